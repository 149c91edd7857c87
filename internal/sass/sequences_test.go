package sass

import (
	"strings"
	"testing"
)

// TestSequences checks that the table of opcodes has what the table of sequences names.
func TestSequences(t *testing.T) {
	table := sequences()
	if len(table.byName) < 5000 {
		t.Errorf("the table has %d forms", len(table.byName))
	}
	for name, list := range internals {
		table.byName[name] = list
	}
	for name, list := range table.byName {
		for _, opcode := range strings.Fields(list) {
			opcode, _, _ = strings.Cut(opcode, ".")
			if Lookup(opcode) == nil {
				t.Errorf("%s becomes %s, which is not in the table of opcodes", name, opcode)
			}
		}
	}
	for unit, opcode := range unitOpcodes {
		if Lookup(opcode) == nil {
			t.Errorf("an instruction of %s becomes %s, which is not in the table of opcodes", unit, opcode)
		}
	}
}
