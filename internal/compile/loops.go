package compile

import (
	"bytes"
	"regexp"
)

// unrolling tells LLVM what NVIDIA's compiler repeats of loops, found with loops of growing bodies: whole loops up to 400 instructions; parts of
// those with more runs, or with a number of runs that is not known, up to 200 and four times. It takes the trouble to compute
// a number of runs, with a division where the step is a variable, and leaves the test as it is written: whether the counter is below its bound.
var unrolling = []string{
	"-mllvm", "-unroll-threshold=400",
	"-mllvm", "-unroll-partial-threshold=200",
	"-mllvm", "-unroll-max-count=4",
	"-mllvm", "-scev-cheap-expansion-budget=16",
	"-mllvm", "-disable-lftr",
}

// LLVM's back end for PTX never negates a condition: a loop ends in a branch out of it and one back to its beginning, where the block that
// is branched to follows. NVIDIA's compiler branches back alone, and that is the loop that its assembler unrolls.
var (
	branchIf   = regexp.MustCompile(`^(\t@)(!?)(%p\d+ bra +\t?)(\$\w+)(;)$`)
	branchElse = regexp.MustCompile(`^\tbra\.uni +\t?(\$\w+);$`)
	blockLabel = regexp.MustCompile(`^(\$L__BB\w+):`)
)

// straighten negates the conditional branches to the block that follows, and lets them go where the branch after them goes.
func straighten(ptx []byte) []byte {
	lines := bytes.Split(ptx, []byte("\n"))
	kept := lines[:0]
	for i := 0; i < len(lines); i++ {
		if m := branchIf.FindSubmatch(lines[i]); m != nil && i+1 < len(lines) {
			other := branchElse.FindSubmatch(lines[i+1])
			if other != nil && bytes.Equal(nextLabel(lines[i+2:]), m[4]) {
				not := []byte("!")
				if len(m[2]) > 0 {
					not = nil
				}
				kept = append(kept, bytes.Join([][]byte{m[1], not, m[3], other[1], m[5]}, nil))
				i++
				continue
			}
		}
		kept = append(kept, lines[i])
	}
	return bytes.Join(kept, []byte("\n"))
}

// nextLabel returns the label of the block that begins here, if one does.
func nextLabel(lines [][]byte) []byte {
	for _, line := range lines {
		if m := blockLabel.FindSubmatch(line); m != nil {
			return m[1]
		}
		text := bytes.TrimSpace(line)
		if len(text) > 0 && !bytes.HasPrefix(text, []byte(".loc")) && !bytes.HasPrefix(text, []byte("//")) && !bytes.HasPrefix(text, []byte("$L__tmp")) {
			return nil
		}
	}
	return nil
}
