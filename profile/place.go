package profile

// Placer finds where in the source machine instructions come from.
type Placer struct {
	launch *Launch
	index  map[key]*Instruction
}

// Placer returns what finds the places of a launch's machine instructions.
func (l *Launch) Placer() Placer {
	p := Placer{l, map[key]*Instruction{}}
	for i := range l.Instructions {
		in := &l.Instructions[i]
		p.index[key{in.Function, in.PC}] = in
	}
	return p
}

// Of returns the line of the source, or of the PTX where there is no other; Line is 0 for an instruction that stands for none of the PTX.
func (p Placer) Of(in *TimedInstruction) Site {
	ptx := p.index[key{in.Function, in.PC}]
	if ptx == nil {
		return Site{}
	}
	file, line := p.launch.place(ptx)
	return Site{File: file, Line: line}
}
