package isa

import (
	"encoding/json"
	"strings"
	"testing"
)

// rejected is a module that ptxas refuses, with the line it names.
type rejected struct {
	ID, Family, Instr, Target, Why, Message, PTX string
	Line                                         *int
}

func readRejected(t *testing.T) []rejected {
	t.Helper()
	var list []rejected
	file := sharedFiles(t, "conformance/rejected.json")[0]
	if err := json.Unmarshal([]byte(readShared(t, file)), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// declarationFaults lists refused modules whose instruction is well-formed: the fault lies in what its
// names were declared as, which package ptx checks.
var declarationFaults = map[string]bool{
	"control/predicate of wrong type":      true,
	"call/call with a wrong argument size": true,
}

// TestRefusedInstructions checks that no row takes the instruction on the line that ptxas names, and that
// the error is one line.
func TestRefusedInstructions(t *testing.T) {
	opcodes := opcodesOf(t, memoryGroups)
	checked := 0
	for _, r := range readRejected(t) {
		if r.Line == nil || declarationFaults[r.ID] {
			continue
		}
		line := strings.TrimSuffix(strings.TrimSpace(strings.Split(r.PTX, "\n")[*r.Line-1]), ";")
		s := readSource(r.PTX)
		for _, in := range s.insts {
			if in.text != line || !opcodes[in.opcode] {
				continue
			}
			checked++
			_, err := Match(s.ctx, in.opcode, in.mods, in.operands)
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %s: error %v, want one line like %q", r.ID, in.text, err, r.Message)
			}
		}
	}
	if checked < 70 {
		t.Errorf("only %d refused modules were checked", checked)
	}
}
