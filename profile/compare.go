package profile

import (
	"fmt"
	"math"
	"strings"

	"silica/internal/isa"
)

// Recorded holds what Nsight Compute gave for a launch on a GPU.
type Recorded struct {
	// Metrics holds values by name. A metric that is not there was not asked for: zeros have to be there.
	Metrics map[string]float64
	// Opcodes counts executed machine instructions by opcode with modifiers, such as "LDG.E.128"; nil when unknown.
	Opcodes map[string]float64
}

// Comparison is one metric beside the recorded one.
type Comparison struct {
	Name string
	Unit string
	Tier Tier
	// PTX marks a count of instructions, which may differ: machine code is not PTX.
	PTX              bool
	Silica, Hardware float64
	Equal            bool
	// Note tells why the two differ, as far as the machine code shows it.
	Note string
}

// precision is that of recorded values, which have six significant digits.
const precision = 1e-5

// Compare puts the launch's exact and device values beside the recorded ones.
func Compare(r Recorded, l *Launch) []Comparison {
	d := differences{r, l.Totals()}
	var out []Comparison
	for _, m := range Metrics() {
		hardware, recorded := r.Metrics[m.Name]
		v := m.Of(d.Totals)
		if !recorded || !v.Available || v.Text != "" {
			continue
		}
		c := Comparison{Name: m.Name, Unit: m.Unit, Tier: v.Tier, PTX: m.PTX, Silica: v.Number, Hardware: hardware, Note: v.Note}
		c.Equal = d.equal(m)
		if !c.Equal && c.Note == "" {
			c.Note = d.explain(m.Name)
		}
		out = append(out, c)
	}
	return out
}

// differences finds what the machine code or the hardware does otherwise than the PTX.
type differences struct {
	Recorded
	*Totals
}

func (d differences) equal(m *Metric) bool {
	return near(m.Of(d.Totals).Number, d.Metrics[m.Name])
}

// sameAddresses tells whether the metric that Nsight Compute computes from addresses is equal.
func (d differences) sameAddresses(name string) bool {
	_, recorded := d.Metrics[name]
	return recorded && d.equal(MetricNamed(name))
}

func near(a, b float64) bool { return math.Abs(a-b) <= precision*math.Abs(b) }

// explain returns why a metric differs, "" when nothing is known.
func (d differences) explain(name string) string {
	has := func(part string) bool { return strings.Contains(name, part) }
	switch {
	case has("branch"):
		return d.branchesDiffer()
	case has("local"):
		return d.localDiffers()
	case d.runs("wmma.") && (has("shared") || has("global")):
		return "wmma loads and stores its fragments by other accesses in machine code"
	case has("shared"):
		return d.sharedDiffers()
	case d.runs("atom.") && d.runsWith(".cas."):
		return "compare-and-swap is repeated as timing has it"
	case has("_red"), has("_atom"):
		return d.atomicsDiffer()
	case has("_op_st"):
		return d.accessesDiffer("STG", "stores", isa.OpStore)
	case has("bytes_per_sector") && d.executed("LD") > 0:
		return "the hardware counts generic loads (LD) of shared memory in the cluster as global ones"
	case has("global"):
		return d.accessesDiffer("LDG", "loads", isa.OpLoad)
	}
	return ""
}

// runs tells whether instructions whose names begin so were executed.
func (d differences) runs(prefix string) bool {
	return d.count(func(i *Instruction) bool { return strings.HasPrefix(i.Name, prefix) }).Warps > 0
}

// runsWith tells whether instructions with a modifier in their names were executed.
func (d differences) runsWith(part string) bool {
	return d.count(func(i *Instruction) bool { return strings.Contains(i.Name, part) }).Warps > 0
}

func (d differences) branchesDiffer() string {
	machine, own := d.executed("BRA")+d.executed("BRX"), float64(d.branches().Warps)
	if d.Opcodes == nil || machine == own {
		return ""
	}
	return fmt.Sprintf("ptxas predicated branches or laid them out anew: %.0f executed, %.0f in PTX", machine, own)
}

func (d differences) localDiffers() string {
	switch own := d.memory(Local).Requests; {
	case own == 0 && d.executed("LDL")+d.executed("STL") > 0:
		return fmt.Sprintf("ptxas spilled registers: %.0f local accesses that PTX does not have", d.executed("LDL")+d.executed("STL"))
	case d.sameAddresses("memory_l2_theoretical_sectors_local"):
		return "equal by addresses; the hardware counts a little otherwise from run to run"
	}
	return ""
}

func (d differences) sharedDiffers() string {
	const byAddress = "memory_l1_wavefronts_shared"
	merged := d.merged(Shared, "LDS", "loads")
	switch {
	case merged != "":
		return merged
	case d.runs("wgmma.mma_async") && d.sameAddresses(byAddress):
		return "equal by addresses; the hardware also counts part of what products of warpgroups read"
	case d.executed("LDGSTS") > 0:
		return copiesDiffer
	case d.sameAddresses(byAddress):
		return "equal by addresses; the hardware also counts conflicts with other traffic of the L1"
	}
	return d.merged(Shared, "STS", "stores")
}

func (d differences) atomicsDiffer() string {
	if d.sameAddresses("memory_l2_theoretical_sectors_global") {
		return "equal by addresses; the hardware takes lanes with the same address apart in a way that is not known"
	}
	return ""
}

// copiesDiffer: the rule by which Nsight Compute counts LDGSTS is not known. Where source and destination are aligned
// alike it gives what a load and a store would.
const copiesDiffer = "asynchronous copies (LDGSTS) are counted as a load and a store here"

// accessesDiffer explains a difference in loads or stores of global memory.
func (d differences) accessesDiffer(opcode, what string, op isa.Op) string {
	if merged := d.merged(Global, opcode, what); merged != "" {
		return merged
	}
	if d.executed("LDGSTS") > 0 {
		return copiesDiffer
	}
	if d.Opcodes != nil {
		if machine, own := d.executed(opcode), float64(d.executions(op)); machine != own {
			return fmt.Sprintf("ptxas executes %.0f global %s for %.0f in PTX", machine, what, own)
		}
	}
	if d.sameAddresses("memory_l2_theoretical_sectors_global") {
		return "equal by addresses; the hardware splits and joins " + what + " as timing has it"
	}
	return ""
}

// executions counts a warp's executions of an operation on global memory, whether or not a lane took part.
func (d differences) executions(op isa.Op) uint64 {
	return d.count(func(i *Instruction) bool { return i.is(op) && i.In(Global).Requests > 0 }).Warps
}

// merged tells whether ptxas made wider accesses of several, "" when not.
func (d differences) merged(space Space, opcode, what string) string {
	for _, bits := range []int{64, 128} {
		own := uint64(0)
		for i := range d.Instructions {
			if in := &d.Instructions[i]; in.Bytes*8 == bits && in.In(space).Requests > 0 {
				own += in.Warps
			}
		}
		if machine := d.executed(opcode, fmt.Sprint(bits)); machine > float64(own) {
			return fmt.Sprintf("ptxas merged %s: %.0f %s.%d executed, %d %s of %d bits in PTX", what, machine, opcode, bits, own, what, bits)
		}
	}
	return ""
}

// executed counts the machine instructions of an opcode that have all the modifiers.
func (d differences) executed(opcode string, modifiers ...string) float64 {
	n := 0.0
next:
	for op, count := range d.Opcodes {
		parts := strings.Split(op, ".")
		if parts[0] != opcode {
			continue
		}
		for _, m := range modifiers {
			if !strings.Contains(op+".", "."+m+".") {
				continue next
			}
		}
		n += count
	}
	return n
}
