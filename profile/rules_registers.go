package profile

import "fmt"

// mostRegisters is how many a thread may have, whatever the kernel says.
const mostRegisters = 255

// registerSpilling is about registers that a limit keeps out, or that functions save for their callers: machine code stores them in local memory, of
// which PTX knows nothing.
func registerSpilling(t *Totals) []Advice {
	r := t.Registers
	if r.SpillLoads+r.SpillStores == 0 || !r.Estimated {
		return nil
	}
	a := Advice{
		Rule: "RegisterSpilling", Section: MemoryWorkloadTables, Kind: Optimization, topic: "spills", part: everything,
		Title:  "Registers spilled to local memory",
		Figure: fmt.Sprintf("%d bytes stored, %d loaded a thread", r.SpillStores, r.SpillLoads),
		Message: fmt.Sprintf("The kernel may have %d registers a thread; machine code keeps what does not fit in local memory: instructions for %d bytes of stores and %d of loads (an estimate).",
			r.PerThread, r.SpillStores, r.SpillLoads),
		Change: "Let it have more: leave out the second argument of __launch_bounds__, or give smaller blocks or a larger -maxrregcount; fewer resident warps cost less than " +
			"spilled registers in most kernels. Or keep fewer values alive: unroll less, and load later.",
	}
	if r.Limit == 0 && r.PerThread < mostRegisters {
		a.Title = "Functions save registers in local memory"
		a.Message = fmt.Sprintf("Functions that are called keep registers of their callers in local memory: instructions for %d bytes of stores and %d of loads (an estimate).",
			r.SpillStores, r.SpillLoads)
		a.Change = "Let the compiler inline them: leave out __noinline__, call them by name and not through a pointer or a virtual function, and turn recursion into a loop."
	}
	if t.Timing == nil {
		return []Advice{a}
	}
	cycles, all := t.spillWaits()
	a.Speedup, a.SpeedupType = 100*min(t.unused(), quotient(all, t.Timing.WarpCycles)), GlobalSpeedup
	a.Sites = t.sites(func(i *Instruction) float64 { return cycles[key{i.Function, i.PC}] }, func(_ Sum, worst *Instruction) string {
		return worst.Name + " waits for registers that were spilled"
	})
	return []Advice{a}
}

// spillsTake tells whether spilled registers are most of what warps wait for in some cycles.
func (t *Totals) spillsTake(cycles float64) bool {
	_, all := t.spillWaits()
	return all > cycles/2
}

// spillWaits are the cycles in which warps wait for spilled registers, by the instruction that needs them, and together.
func (t *Totals) spillWaits() (of map[key]float64, all float64) {
	of = map[key]float64{}
	for i := range t.Timing.Code {
		in := &t.Timing.Code[i]
		if in.On < 0 {
			continue
		}
		if on := &t.Timing.Code[in.On]; on.PC < 0 && on.opcode() == "LDL" {
			of[key{in.Function, in.PC}] += in.States["long_scoreboard"]
			all += in.States["long_scoreboard"]
		}
	}
	return of, all
}
