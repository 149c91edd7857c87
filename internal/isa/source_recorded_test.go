package isa

import (
	"path/filepath"
	"testing"
)

// memoryGroups are the row groups outside arithmetic.
var memoryGroups = []func() []Row{
	loadRows, storeRows, prefetchRows, policyRows, addressRows, atomRows, redRows, warpRows, branchRows,
	threadRows, barrierRows, fenceRows, mbarrierRows, asyncCopyRows, bulkRows, tensormapRows, asyncAccessRows,
	multimemRows, clusterRows, mmaRows, wmmaRows, matrixMoveRows, wgmmaRows, textureRows, surfaceRows, tensorMemoryRows,
}

// opcodesOf returns the opcodes that groups hold.
func opcodesOf(t *testing.T, groups []func() []Row) map[string]bool {
	opcodes := map[string]bool{}
	for _, group := range groups {
		for _, row := range group() {
			p, err := parsePattern(&row)
			if err != nil {
				t.Fatal(err)
			}
			opcodes[p.opcode] = true
		}
	}
	return opcodes
}

// TestRecordedInstructionsMatch matches every instruction of the recorded PTX files whose opcode is not arithmetic.
func TestRecordedInstructionsMatch(t *testing.T) {
	opcodes := opcodesOf(t, memoryGroups)
	matched := 0
	for _, pattern := range []string{"conformance/*.ptx", "truth/h200/ptx/*.ptx"} {
		for _, file := range sharedFiles(t, pattern) {
			s := readSource(readShared(t, file))
			failed := 0
			for _, in := range s.insts {
				if !opcodes[in.opcode] || failed > 5 {
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
