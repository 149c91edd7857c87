package ir

import (
	"slices"

	"silica/internal/isa"
)

// flow is the control flow graph of a function before its blocks have places: nodes over code in
// source order. Node 0 is the entry; all nodes can be reached.
type flow struct {
	code  []Inst
	jump  *isa.Form // of the jumps that layout adds
	nodes []node
	order []int // nodes in layout order
}

// node is a basic block.
type node struct {
	start, end int // in flow.code; equal for a gather
	// jumps holds the nodes of a branch's target or targets, fall the one that follows, -1 for none.
	jumps []int
	fall  int
	// gather marks a node that layout added: a jump in which the lanes of several back edges meet.
	gather bool
	depth  int // loops around the node
}

// newFlow splits code into the blocks that the entry reaches.
func newFlow(code []Inst, jump *isa.Form) *flow {
	f := &flow{code: code, jump: jump}
	blocks := splitBlocks(code)
	at := make([]int, len(code)) // node of the block that starts at an instruction, plus 1
	var pending []int
	visit := func(start int) int {
		if at[start] == 0 {
			at[start] = len(f.nodes) + 1
			f.nodes = append(f.nodes, node{start: start, end: blocks[start], fall: -1})
			pending = append(pending, at[start]-1)
		}
		return at[start] - 1
	}
	visit(0)
	for len(pending) > 0 {
		i := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		end := f.nodes[i].end
		last := &code[end-1]
		if last.Op == isa.OpBranch {
			jump := visit(last.Target)
			f.nodes[i].jumps = []int{jump}
		}
		for _, t := range last.Targets {
			jump := visit(t)
			f.nodes[i].jumps = append(f.nodes[i].jumps, jump)
		}
		if !ends(last) {
			fall := visit(end)
			f.nodes[i].fall = fall
		}
	}
	return f
}

// splitBlocks returns, for each instruction that starts a block, the end of the block.
func splitBlocks(code []Inst) []int {
	starts := make([]bool, len(code)+1)
	starts[0] = true
	for i := range code {
		in := &code[i]
		if leaves(in.Op) || in.Op == isa.OpCall {
			starts[i+1] = true
		}
		if in.Op == isa.OpBranch {
			starts[in.Target] = true
		}
		for _, t := range in.Targets {
			starts[t] = true
		}
	}
	ends := make([]int, len(code))
	end := len(code)
	for i := len(code) - 1; i >= 0; i-- {
		ends[i] = end
		if starts[i] {
			end = i
		}
	}
	return ends
}

// successors calls visit for each successor of a node.
func (n *node) successors(visit func(int)) {
	for _, j := range n.jumps {
		visit(j)
	}
	if n.fall >= 0 {
		visit(n.fall)
	}
}

// redirect makes the node's edges to one node lead to another.
func (n *node) redirect(from, to int) {
	for i, j := range n.jumps {
		if j == from {
			n.jumps[i] = to
		}
	}
	if n.fall == from {
		n.fall = to
	}
}

// emit puts the nodes in their order: final code with final branch targets, and its blocks.
func (f *flow) emit() ([]Inst, []Block) {
	blockOf := make([]int, len(f.nodes)) // node to block
	start := make([]int, len(f.nodes))   // node to first instruction
	size := 0
	for b, n := range f.order {
		blockOf[n], start[n] = b, size
		size += max(f.nodes[n].end-f.nodes[n].start, 1)
	}
	code := make([]Inst, 0, size)
	blocks := make([]Block, len(f.order))
	for b, i := range f.order {
		n := &f.nodes[i]
		first := len(code)
		if n.gather {
			code = append(code, f.gatherJump(n))
		} else {
			code = append(code, f.code[n.start:n.end]...)
		}
		for pc := first; pc < len(code); pc++ {
			code[pc].Next = pc + 1
		}
		last := &code[len(code)-1]
		last.Next = -1
		if n.fall >= 0 {
			last.Next = start[n.fall]
		}
		if last.Op == isa.OpBranch {
			last.Target = start[n.jumps[0]]
		}
		for t := range last.Targets {
			last.Targets[t] = start[n.jumps[t]]
		}
		blocks[b] = Block{Start: first, End: len(code)}
		n.successors(func(s int) {
			if !slices.Contains(blocks[b].Succs, blockOf[s]) {
				blocks[b].Succs = append(blocks[b].Succs, blockOf[s])
			}
		})
	}
	return code, blocks
}

// depths returns the number of loops around each block.
func (f *flow) depths() []int {
	depths := make([]int, len(f.order))
	for b, n := range f.order {
		depths[b] = f.nodes[n].depth
	}
	return depths
}

// gatherJump returns the jump of a gather to its loop's header.
func (f *flow) gatherJump(n *node) Inst {
	in := Inst{Form: f.jump, Op: isa.OpBranch, Guard: None, Addr: Addr{Base: None}, Target: -1, Synthetic: true}
	if header := &f.nodes[n.jumps[0]]; !header.gather {
		in.Pos, in.Loc = f.code[header.start].Pos, f.code[header.start].Loc
	}
	return in
}
