package sass

import (
	"strings"
	"testing"
)

// TestSequences checks that the table of opcodes has what the table of sequences names.
func TestSequences(t *testing.T) {
	for name, list := range sequences {
		for _, opcode := range strings.Fields(list) {
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
