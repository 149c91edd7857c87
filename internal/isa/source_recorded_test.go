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

// matchSource matches the instructions of a PTX text whose opcode is in opcodes and counts the rows it meets.
func matchSource(t *testing.T, name, text string, opcodes map[string]bool, met map[*Row]int) {
	s := readSource(text)
	for _, in := range s.insts {
		if !opcodes[in.opcode] {
			continue
		}
		f, err := Match(s.ctx, in.opcode, in.mods, in.operands)
		if err != nil {
			t.Errorf("%s: %s: %v", name, in.text, err)
			continue
		}
		met[f.Row]++
	}
}

// TestEveryRowIsMet matches the instructions outside arithmetic of every recorded PTX file, and of files that
// hold the forms no recording has. Together they must meet every row.
func TestEveryRowIsMet(t *testing.T) {
	opcodes := opcodesOf(t, memoryGroups)
	met := map[*Row]int{}
	for _, pattern := range []string{"conformance/*.ptx", "truth/h200/ptx/*.ptx"} {
		for _, file := range sharedFiles(t, pattern) {
			matchSource(t, filepath.Base(file), readShared(t, file), opcodes, met)
		}
	}
	recorded := 0
	for _, n := range met {
		recorded += n
	}
	if recorded < 10000 {
		t.Errorf("only %d recorded instructions were matched", recorded)
	}
	files, err := filepath.Glob("testdata/forms/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("testdata/forms is missing")
	}
	for _, file := range files {
		matchSource(t, file, readShared(t, file), opcodes, met)
	}
	for opcode := range opcodes {
		for _, row := range Lookup(opcode) {
			if met[row] == 0 {
				t.Errorf("no instruction meets the row %s (%v)", row.Syntax, row.Mods)
			}
		}
	}
}
