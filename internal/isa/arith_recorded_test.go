package isa

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestArithmeticInstructionsMatch matches every arithmetic instruction of the recorded PTX files.
func TestArithmeticInstructionsMatch(t *testing.T) {
	others := opcodesOf(t, memoryGroups)
	matched := 0
	for _, pattern := range []string{"conformance/*.ptx", "truth/h200/ptx/*.ptx"} {
		for _, file := range sharedFiles(t, pattern) {
			s := readSource(readShared(t, file))
			failed := 0
			for _, in := range s.insts {
				if others[in.opcode] || failed > 5 || constantExpression.MatchString(in.text) {
					continue
				}
				if _, err := Match(s.ctx, in.opcode, in.mods, in.operands); err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(file), in.text, err)
					failed++
				}
				matched++
			}
		}
	}
	if matched < 10000 {
		t.Errorf("only %d instructions were matched", matched)
	}
}

// nameFaults lists refused modules whose instruction is well-formed: the fault lies in a name that is not
// declared, or not as a predicate, which package ptx checks.
var nameFaults = map[string]bool{
	"mov/undeclared register":                 true,
	"control/predicate of wrong type":         true,
	"syntax/error: predicate missing percent": true,
	"syntax/error: undefined symbol address":  true,
}

// TestRefusedArithmetic checks that no row takes the arithmetic instruction on the line that ptxas names.
func TestRefusedArithmetic(t *testing.T) {
	others := opcodesOf(t, memoryGroups)
	checked := 0
	for _, r := range readRejected(t) {
		if r.Line == nil || nameFaults[r.ID] {
			continue
		}
		line := strings.TrimSuffix(strings.TrimSpace(strings.Split(r.PTX, "\n")[*r.Line-1]), ";")
		s := readSource(r.PTX)
		for _, in := range s.insts {
			if in.text != line || others[in.opcode] {
				continue
			}
			checked++
			_, err := Match(s.ctx, in.opcode, in.mods, in.operands)
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %s: error %v, want one line like %q", r.ID, in.text, err, r.Message)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d refused modules were checked", checked)
	}
}
