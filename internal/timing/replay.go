package timing

// stream is a warp's steps as machine code: one block after the other, with the accesses that were recorded for it.
type stream struct {
	functions []code
	trace     *warpTrace
	steps     []step // of the trace, without waiting
	step      int    // the next one

	queue []emission
	block *block
	from  int // steps that the block stands for: from, to
	to    int
	at    int // the next operation

	accesses [][]int32 // of the block, by slot
	// lent and others list, for a step, those whose blocks became part of its block; nil when there are none.
	lent, others []int32
}

// newStream returns what a warp runs.
func newStream(functions []code, t *warpTrace, v *waits) stream {
	s := stream{functions: functions, trace: t, steps: v.without(t)}
	for i := range s.steps {
		if st := &s.steps[i]; st.first >= 0 && len(s.blocks(i)) == 0 {
			s.lend(i)
		}
	}
	return s
}

// lend gives a step without code of its own, which has accesses, to the step whose block has its instructions: the last that the same lanes came
// to.
func (s *stream) lend(i int) {
	st := &s.steps[i]
	home := s.functions[st.function].homes[st.block]
	for j := i - 1; j >= 0 && home >= 0; j-- {
		if o := &s.steps[j]; o.function == st.function && int(o.block) == home && st.mask&^o.mask == 0 {
			if s.lent == nil {
				s.lent, s.others = make([]int32, len(s.steps)), make([]int32, len(s.steps))
			}
			s.others[i] = s.lent[j]
			s.lent[j] = int32(i) + 1
			return
		}
	}
}

// emission is a machine block that runs for some steps.
type emission struct {
	block    *block
	from, to int
}

// next returns the operation that the warp comes to, nil when it has ended.
func (s *stream) next() *operation {
	for s.block == nil || s.at >= len(s.block.code) {
		if !s.advance() {
			return nil
		}
	}
	return &s.block.code[s.at]
}

// ended tells whether nothing follows the operation that the warp is at.
func (s *stream) ended() bool {
	return s.at+1 >= len(s.block.code) && len(s.queue) == 0 && !s.more()
}

// more tells whether some step still has code.
func (s *stream) more() bool {
	for i := s.step; i < len(s.steps); i++ {
		if len(s.blocks(i)) > 0 {
			return true
		}
	}
	return false
}

// jumps tells whether the block after this one is not the one that follows in memory.
func (s *stream) jumps() bool {
	var then *block
	if len(s.queue) > 0 {
		then = s.queue[0].block
	} else {
		for i := s.step; i < len(s.steps) && then == nil; i++ {
			if b := s.blocks(i); len(b) > 0 {
				then = b[0]
			}
		}
	}
	if then == nil || len(then.code) == 0 || len(s.block.code) == 0 {
		return false
	}
	return then.code[0].id != s.block.code[len(s.block.code)-1].id+1
}

func (s *stream) blocks(i int) []*block {
	st := &s.steps[i]
	return s.functions[st.function].blocks[st.block]
}

// advance goes to the next block that runs.
func (s *stream) advance() bool {
	for len(s.queue) == 0 {
		if s.step >= len(s.steps) {
			return false
		}
		s.take()
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	s.block, s.from, s.to, s.at = e.block, e.from, e.to, 0
	s.gather()
	return true
}

// take queues what runs for the next step, or for all runs of a loop that was unrolled.
func (s *stream) take() {
	from := s.step
	blocks := s.blocks(from)
	first := &s.steps[from]
	s.step++
	if len(blocks) == 0 {
		return // its instructions are in another block, which has its accesses
	}
	if !blocks[0].repeated {
		to := s.follow()
		for _, b := range blocks {
			s.queue = append(s.queue, emission{b, from, to})
		}
		return
	}
	starts := []int{from}
	for s.follow(); s.step < len(s.steps); s.follow() {
		if st := &s.steps[s.step]; st.function != first.function || st.block != first.block {
			break
		}
		starts = append(starts, s.step)
		s.step++
	}
	s.unrolled(blocks, append(starts, s.step))
}

// follow passes steps that have no code of their own; it returns the first that has.
func (s *stream) follow() int {
	for s.step < len(s.steps) && len(s.blocks(s.step)) == 0 {
		s.step++
	}
	return s.step
}

// unrolled queues the blocks of an unrolled loop, of whose runs the first steps are given, and the step after the last.
func (s *stream) unrolled(blocks []*block, starts []int) {
	runs, done := len(starts)-1, 0
	for _, b := range blocks {
		switch {
		case b.part == 0:
			s.queue = append(s.queue, emission{b, starts[0], starts[runs]})
		case b.part == 1:
			for ; done < runs; done++ {
				s.queue = append(s.queue, emission{b, starts[done], starts[done+1]})
			}
		default:
			for ; runs-done >= b.part; done += b.part {
				s.queue = append(s.queue, emission{b, starts[done], starts[done+b.part]})
			}
		}
	}
}

// gather sorts the accesses of the block's steps by its instructions.
func (s *stream) gather() {
	for len(s.accesses) < len(s.block.turns) {
		s.accesses = append(s.accesses, nil)
	}
	for i := range s.accesses {
		s.accesses[i] = s.accesses[i][:0]
	}
	if len(s.block.turns) == 0 {
		return
	}
	for i := s.from; i < s.to; i++ {
		if len(s.blocks(i)) == 0 {
			continue
		}
		s.enter(i)
		if s.lent == nil {
			continue
		}
		for j := s.lent[i]; j != 0; j = s.others[j-1] {
			s.enter(int(j) - 1)
		}
	}
}

// enter adds a step's accesses to those of the block.
func (s *stream) enter(i int) {
	for a := s.steps[i].first; a >= 0; a = s.trace.accesses[a].next {
		if slot, ok := s.block.slots[s.trace.accesses[a].pc]; ok {
			s.accesses[slot] = append(s.accesses[slot], a)
		}
	}
}

// of returns the accesses of an operation, nil when no lane has one. Where several instructions stand for one of the ir, as in an
// unrolled loop, each has its part of them.
func (s *stream) of(op *operation) []int32 {
	if op.slot < 0 {
		return nil
	}
	all, turns, turn := s.accesses[op.slot], int(s.block.turns[op.slot]), int(op.turn)
	if len(all) <= turns { // each access has an instruction, or several
		if i := turn * len(all) / turns; i < len(all) {
			return all[i : i+1]
		}
		return nil
	}
	return all[turn*len(all)/turns : (turn+1)*len(all)/turns]
}

// fragment returns the accesses of all instructions that stand with an operation for one of the ir, which loads a fragment, and which of them it is.
func (s *stream) fragment(op *operation) (list []int32, turn int) {
	all, turns, runs := s.accesses[op.slot], int(s.block.turns[op.slot]), max(s.block.part, 1)
	if turns%runs != 0 || len(all)%runs != 0 {
		return all, int(op.turn)
	}
	run, turn := int(op.turn)/(turns/runs), int(op.turn)%(turns/runs)
	return all[run*len(all)/runs : (run+1)*len(all)/runs], turn
}
