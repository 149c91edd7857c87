package profile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"silica/internal/isa"
)

// Opcode returns the instruction's name without modifiers: "ld".
func (i *Instruction) Opcode() string {
	name, _, _ := strings.Cut(i.Name, ".")
	return name
}

// Type returns the instruction's last type as PTX writes it, such as "f32", "" when it has none.
func (i *Instruction) Type() string {
	parts := strings.Split(i.Name, ".")
	for _, part := range slices.Backward(parts[1:]) {
		if isa.ParseType(part) != isa.NoType {
			return part
		}
	}
	return ""
}

func (i *Instruction) is(ops ...isa.Op) bool {
	return slices.ContainsFunc(ops, func(op isa.Op) bool { return i.Op == op.String() })
}

// movement is how an access is counted: a load, a store, or what Nsight Compute counts apart.
type movement string

const (
	loads      movement = "load"
	stores     movement = "store"
	atomics    movement = "atom"
	reductions movement = "red"
	matrices   movement = "matrix"  // rows of ldmatrix and stmatrix
	products   movement = "product" // factors of warpgroup products
	copies     movement = "copy"    // cp.async
	bulkCopies movement = "bulk"    // by the bulk copy engine
)

// isFragment tells whether an instruction moves a fragment of a matrix, and chooses itself which lane moves what (wmma.load, wmma.store).
func (i *Instruction) isFragment() bool {
	return i.is(isa.OpMatrix) && strings.HasPrefix(i.Name, "wmma")
}

// moves tells how the instruction's accesses are counted.
func (i *Instruction) moves() movement {
	switch {
	case i.isFragment() && strings.HasPrefix(i.Name, "wmma.load"), i.is(isa.OpLoad):
		return loads
	case i.is(isa.OpMatrix) && !i.isFragment():
		return matrices
	case i.is(isa.OpWarpgroup):
		return products
	case strings.Contains(i.Name, ".bulk"):
		return bulkCopies
	case i.is(isa.OpAsync) && i.Opcode() == "cp":
		return copies
	case i.is(isa.OpAtom):
		return atomics
	case i.is(isa.OpRed), i.Opcode() == "red":
		return reductions
	}
	return stores
}

// Sum is what some instructions of a launch have in common, with their counts together.
type Sum struct {
	// File and Line are the place for BySource and ByPTX; Name is the opcode or class otherwise.
	File         string `json:"file,omitempty"`
	Line         int    `json:"line,omitempty"`
	Name         string `json:"name,omitempty"`
	Instructions int    `json:"instructions"` // PTX instructions
	Counts

	// Working is how often threads took part: as Counts.PredOn, but for branches, whose guard is where they go.
	Working uint64 `json:"-"`
}

// working is how often threads took part in an instruction.
func (i *Instruction) working() uint64 {
	if i.is(isa.OpBranch) {
		return i.Threads
	}
	return i.PredOn
}

// In returns the traffic of a space, zero when there is none.
func (c *Counts) In(space Space) Traffic {
	for _, t := range c.Memory {
		if t.Space == space {
			return t
		}
	}
	return Traffic{Space: space}
}

// BySource sums the instructions of each source line, in the order of files and lines. An inlined instruction belongs to
// the line it was written on, but one from CUDA's own headers to the line that uses it. Instructions without a source
// line are left out.
func (l *Launch) BySource() []Sum {
	return l.by(func(i *Instruction) (Sum, bool) {
		own := l.ownPlace(i.Source)
		if own == nil {
			return Sum{}, false
		}
		return Sum{File: l.Files[own.File], Line: own.Line}, true
	})
}

// toolkitHeader matches the headers of CUDA, and those of Silica in their place.
var toolkitHeader = regexp.MustCompile(`(^|/)(silica|crt|cooperative_groups)/|(^|/)(sm_\d+_\w+|device_\w*functions|math_functions|mma|cuda_fp16|cuda_bf16|cuda_fp8|` +
	`cuda_pipeline\w*|cooperative_groups|(texture|surface)_\w*functions|vector_functions)\.(h|hpp)$`)

// OfToolkit tells whether a source file is one of CUDA's headers.
func OfToolkit(file string) bool { return toolkitHeader.MatchString(file) }

// ownPlace returns the innermost place that is not in one of CUDA's headers, the innermost one when all are.
func (l *Launch) ownPlace(place *Location) *Location {
	for p := place; p != nil; p = p.Inlined {
		if !OfToolkit(l.Files[p.File]) {
			return p
		}
	}
	return place
}

// ByPTX sums the instructions of each line of the PTX.
func (l *Launch) ByPTX() []Sum {
	return l.by(func(i *Instruction) (Sum, bool) { return Sum{File: l.File, Line: i.Line}, true })
}

// ByOpcode sums the instructions of each PTX opcode, the most executed first.
func (l *Launch) ByOpcode() []Sum {
	return mostExecuted(l.by(func(i *Instruction) (Sum, bool) { return Sum{Name: i.Opcode()}, true }))
}

// ByClass sums the instructions of each class, the most executed first.
func (l *Launch) ByClass() []Sum {
	return mostExecuted(l.by(func(i *Instruction) (Sum, bool) { return Sum{Name: i.Class}, true }))
}

func mostExecuted(sums []Sum) []Sum {
	slices.SortStableFunc(sums, func(a, b Sum) int { return cmp.Compare(b.Warps, a.Warps) })
	return sums
}

// by sums the instructions that have the same key.
func (l *Launch) by(key func(*Instruction) (k Sum, ok bool)) []Sum {
	type place struct {
		file, name string
		line       int
	}
	index := map[place]int{}
	var out []Sum
	for i := range l.Instructions {
		in := &l.Instructions[i]
		k, ok := key(in)
		if !ok {
			continue
		}
		p := place{k.File, k.Name, k.Line}
		at, known := index[p]
		if !known {
			at = len(out)
			index[p] = at
			out = append(out, k)
		}
		out[at].Instructions++
		out[at].add(&in.Counts)
		out[at].Working += in.working()
	}
	slices.SortStableFunc(out, func(a, b Sum) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// Totals holds a launch's sums that metrics and rules ask for.
type Totals struct {
	*Launch
	All Counts // without Memory
	// traffic holds the sums by space and movement.
	traffic map[Space]map[movement]*Traffic
	// uncounted names executed instructions whose accesses the engines did not report.
	uncounted []string
}

// Totals sums the launch's instructions.
func (l *Launch) Totals() *Totals {
	t := &Totals{Launch: l, traffic: map[Space]map[movement]*Traffic{}}
	for i := range l.Instructions {
		in := &l.Instructions[i]
		t.All.Warps += in.Warps
		t.All.Threads += in.Threads
		t.All.PredOn += in.PredOn
		t.All.Divergent += in.Divergent
		if in.Uncounted && !slices.Contains(t.uncounted, in.Name) {
			t.uncounted = append(t.uncounted, in.Name)
		}
		for m := range in.Memory {
			traffic := &in.Memory[m]
			ops := t.traffic[traffic.Space]
			if ops == nil {
				ops = map[movement]*Traffic{}
				t.traffic[traffic.Space] = ops
			}
			op := in.moves()
			if ops[op] == nil {
				ops[op] = &Traffic{Space: traffic.Space}
			}
			ops[op].add(traffic)
		}
	}
	return t
}

// memory returns the traffic of some movements to or from a space, of all of them when none is named.
func (t *Totals) memory(space Space, moves ...movement) Traffic {
	sum := Traffic{Space: space}
	for m, traffic := range t.traffic[space] {
		if len(moves) == 0 || slices.Contains(moves, m) {
			sum.add(traffic)
		}
	}
	return sum
}

// count sums the counts of the instructions that which picks.
func (t *Totals) count(which func(*Instruction) bool) Counts {
	var sum Counts
	for i := range t.Instructions {
		if in := &t.Instructions[i]; which(in) {
			sum.Warps += in.Warps
			sum.Threads += in.Threads
			sum.PredOn += in.PredOn
			sum.Divergent += in.Divergent
		}
	}
	return sum
}

// branches counts what machine code has a branch for: a branch to the kernel's end becomes a predicated EXIT.
func (t *Totals) branches() Counts {
	return t.count((*Instruction).branches)
}

// branches tells whether machine code has a branch for the instruction.
func (i *Instruction) branches() bool { return i.is(isa.OpBranch, isa.OpBranchIndexed) && !i.ToExit }

func (t *Totals) warps() uint64 {
	perBlock := (t.Block.Count() + t.Device.WarpSize - 1) / t.Device.WarpSize
	return uint64(perBlock) * uint64(t.Grid.Count())
}

func (t *Totals) schedulers() uint64 { return uint64(t.Device.SMs * t.Device.SubPartitions) }
