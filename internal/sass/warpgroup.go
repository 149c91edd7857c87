package sass

import (
	"strconv"
	"strings"

	"silica/internal/isa"
)

// isWarpgroup tells whether an instruction is one of a warpgroup's: a product of its four warps, or what orders them.
func isWarpgroup(v *value) bool { return v.inst != nil && v.inst.Form.Opcode == "wgmma" }

// warpgroup selects an instruction of a warpgroup, as ptxas 13.0 writes them for sm_90a. A commit is no instruction: the last product before it
// closes the group.
func (s *selector) warpgroup(v *value) {
	switch f := v.inst.Form; {
	case v.inst.Op == isa.OpWarpgroup:
		s.warpgroupProduct(v)
	case f.Has(".fence"):
		s.emit("WARPGROUP", ".ARRIVE", Operand{})
	case f.Has(".wait_group"):
		s.emit("WARPGROUP", ".DEPBAR.LE", Operand{}, groupBarrier, Operand{Kind: Immediate, Value: v.args[0].imm})
	case f.Has(".commit_group"):
		s.closing = v.block
	}
}

// groupBarrier is the scoreboard of groups of products.
var groupBarrier = Operand{Kind: SpecialRegister, Name: "gsb0"}

// warpgroupProduct selects a product: descriptors of matrices in shared memory go to four uniform registers, and sums stay where they are.
func (s *selector) warpgroupProduct(v *value) {
	f := v.inst.Form
	args := func(name string) []*value {
		start, n := f.Source(name)
		return v.args[start : start+n]
	}
	var src []Operand
	for i, a := range args("a") {
		src = append(src, s.reg(a))
		src[i].More = i > 0
	}
	descriptors := s.temp(128)
	descriptors.Kind = UniformRegister
	for _, name := range []string{"a-desc", "b-desc"} {
		for _, d := range args(name) {
			s.descriptor(descriptors, d)
		}
	}
	src = append(src, Operand{Kind: Address, Reg: -1, Uniform: descriptors.Reg, Name: "gdesc", Suffix: descriptorSuffix(f, v)})
	for i, sum := range args("d") {
		src = append(src, s.reg(sum))
		src[len(src)-1].More = i > 0
	}
	switch scale := args("scale-d")[0]; {
	case !scale.isConst():
		known := s.uniformTemp()
		s.emit("VOTEU", ".ANY", known, s.predicate(scale, false))
		src = append(src, known)
	case scale.imm == 0:
		src = append(src, s.predicate(scale, false))
	}
	for _, meta := range args("sp-meta") {
		src = append(src, s.reg(meta))
	}
	for _, selector := range args("sp-sel") {
		src = append(src, Operand{Kind: Immediate, Value: selector.imm})
	}
	if s.closing == v.block {
		src, s.closing = append(src, groupBarrier), nil
	}
	name, mods := warpgroupName(f)
	in := s.emit(name, mods, s.dst(v), src...)
	for _, r := range v.results {
		d := s.dst(r)
		d.More = true
		in.Dst = append(in.Dst, d)
	}
}

// descriptor brings a descriptor of a matrix to uniform registers: where that is known to be the same in all lanes, ptxas computes it there.
func (s *selector) descriptor(to Operand, d *value) {
	for half := range uint64(2) {
		if d.isConst() {
			s.emit("UMOV", "", to, Operand{Kind: Immediate, Value: d.imm >> (32 * half) & 0xffffffff})
			continue
		}
		s.emit("R2UR", "", to, s.reg(d))
	}
}

// descriptorSuffix names what is done to the matrices of the descriptors: factors whose sign changes, and matrices that are transposed.
func descriptorSuffix(f *isa.Form, v *value) string {
	out := ""
	for _, o := range []struct {
		name, suffix string
		on           uint64
	}{{"scale-a", ".negA", 0xffffffff}, {"scale-b", ".negB", 0xffffffff}, {"trans-a", ".tnspA", 1}, {"trans-b", ".tnspB", 1}} {
		if start, n := f.Source(o.name); n > 0 && v.args[start].imm&0xffffffff == o.on {
			out += o.suffix
		}
	}
	return out
}

// warpgroupName is the opcode of a product and its modifiers: the extents, and the types that the opcode does not tell.
func warpgroupName(f *isa.Form) (name, mods string) {
	p := isa.WarpgroupProductOf(f)
	types := func(names ...string) (out string) {
		for _, n := range names {
			out += strings.ToUpper(f.Get(n))
		}
		return out
	}
	switch f.Get("atype") {
	case ".f16":
		name, mods = "HGMMA", types("dtype")
	case ".bf16", ".tf32":
		name, mods = "HGMMA", types("dtype", "atype")
	case ".b1":
		name, mods = "BGMMA", ".AND.POPC"
	case ".s8", ".u8":
		name, mods = "IGMMA", types("atype", "btype")
		if p.Saturate {
			mods += ".SAT"
		}
	default:
		name, mods = "QGMMA", types("dtype", "atype", "btype")
	}
	shape := "." + strconv.Itoa(p.M) + "x" + strconv.Itoa(p.N) + "x" + strconv.Itoa(p.K)
	if p.Sparse {
		return name, ".SP" + shape + mods
	}
	return name, shape + mods
}
