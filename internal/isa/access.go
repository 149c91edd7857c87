package isa

import "slices"

// Access is what an ld, st, atom, red or prefetch form does to memory, decoded once.
type Access struct {
	// Space is the space written, Generic when none is. A plain .param is ParamEntry: whether the
	// variable belongs to the kernel or to a device function's frame, only its declaration tells.
	Space Space
	// Type is the type of one element, Vector the number of elements a lane moves (1 when scalar).
	Type   Type
	Vector int
	// Volatile, relaxed, acquire... accesses may not be merged or kept in registers; engines treat
	// every access as performed when it is executed, so only the timing model and the sanitizer read these.
	// Order is "" (weak), "volatile", "mmio", "relaxed", "acquire", "release" or "acq_rel"; Scope is ""
	// or "cta", "cluster", "gpu", "sys". An atom or red that says nothing is relaxed at gpu scope.
	Order, Scope string
	NonCoherent  bool // ld.global.nc, ldu
}

// Bytes returns the number of bytes one lane moves.
func (a Access) Bytes() int { return a.Type.Bytes() * a.Vector }

// AccessOf decodes a form whose Op is OpLoad, OpStore, OpAtom, OpRed or OpPrefetch.
//
// A load fills each destination register from the low end: unsigned and untyped elements are
// zero-extended to the register's width, signed ones sign-extended. A store takes the low bits
// of each register. Elements of 8 and 16 bits of a vector lie next to each other in memory. The
// address must be a multiple of Bytes. A prefetch has no Type.
func AccessOf(f *Form) Access {
	a := Access{Space: spaceIn(f.Mods), Type: ParseType(f.Get("type")), Vector: 1, NonCoherent: f.Opcode == "ldu"}
	if v := f.Get("vec"); v != "" {
		a.Vector = int(v[len(v)-1] - '0')
	}
	if f.Row.Op == OpAtom || f.Row.Op == OpRed {
		a.Order, a.Scope = "relaxed", "gpu"
	}
	for _, m := range f.Mods {
		switch m {
		case ".volatile", ".mmio", ".acquire", ".release", ".acq_rel":
			a.Order = m[1:]
		case ".relaxed":
			if a.Order != "mmio" {
				a.Order = "relaxed"
			}
		case ".cta", ".cluster", ".gpu", ".sys":
			a.Scope = m[1:]
		case ".nc":
			a.NonCoherent = true
		}
	}
	return a
}

// AddressSpace returns the space that an address operand of a form lies in, Generic for a generic address. A form
// that names two spaces has them in the order of its operands dst and src. fixed is false where any
// space will do.
func AddressSpace(f *Form, operand string) (space Space, fixed bool) {
	space = spaceIn(f.Mods)
	switch {
	case f.Row.Op == OpFence, f.Row.Unit == TEX:
		return Generic, false
	case f.Opcode == "cp" && operand == "tensorMap", f.Opcode == "prefetchu":
		return Global, true
	case f.Opcode == "cp" && operand == "mbar", f.Opcode == "mbarrier" && space == Generic:
		return Shared, true
	case operand == "src" && space != Generic:
		if second := spaceIn(f.Mods[1+slices.IndexFunc(f.Mods, isSpace):]); second != Generic {
			return second, true
		}
	}
	return space, true
}

func isSpace(mod string) bool { return spaceIn([]string{mod}) != Generic }

// spaceIn returns the state space that the modifiers name first, Generic when none does.
func spaceIn(mods []string) Space {
	for _, m := range mods {
		switch m {
		case ".global":
			return Global
		case ".const":
			return Const
		case ".local":
			return Local
		case ".param", ".param::entry":
			return ParamEntry
		case ".param::func":
			return ParamFunc
		case ".shared", ".shared::cta":
			return Shared
		case ".shared::cluster":
			return SharedCluster
		}
	}
	return Generic
}

// CvtaOf decodes a cvta form: the space on one side, and whether the other side, the generic
// address, is the source (cvta.to) or the destination.
func CvtaOf(f *Form) (space Space, fromGeneric bool) { return spaceIn(f.Mods), f.Has(".to") }

// IsspacepOf returns the space an isspacep form asks about.
func IsspacepOf(f *Form) Space { return spaceIn(f.Mods) }

// BarrierKind is what a block barrier instruction does.
type BarrierKind uint8

// The kinds of barrier instructions.
const (
	BarrierSync   BarrierKind = iota // arrive and wait
	BarrierArrive                    // arrive and go on
	BarrierRed                       // arrive, wait and combine a predicate over the threads
)

// BarrierReduction is how barrier.red combines the predicates of all participating threads.
type BarrierReduction uint8

// The reductions of barrier.red.
const (
	ReduceNone BarrierReduction = iota
	ReducePopc                  // number of true predicates
	ReduceAnd
	ReduceOr
)

// Barrier is a bar or barrier form, decoded. Its sources are the barrier's number, then the number of
// threads when HasCount is set (else all threads of the block take part), then the predicate of
// a reduction.
type Barrier struct {
	Kind      BarrierKind
	Reduction BarrierReduction
	HasCount  bool
	// Aligned promises that all lanes of a warp execute the instruction together. A bar instruction
	// is aligned; without it every lane arrives for itself.
	Aligned bool
}

// BarrierOf decodes a form whose Op is OpBarrier.
func BarrierOf(f *Form) Barrier {
	b := Barrier{Aligned: f.Opcode == "bar" || f.Has(".aligned")}
	sources := len(f.Args)
	switch {
	case f.Has(".arrive"):
		b.Kind = BarrierArrive
	case f.Has(".red"):
		b.Kind = BarrierRed
		sources -= 2 // the result and the predicate
		switch {
		case f.Has(".popc"):
			b.Reduction = ReducePopc
		case f.Has(".and"):
			b.Reduction = ReduceAnd
		default:
			b.Reduction = ReduceOr
		}
	}
	b.HasCount = sources == 2
	return b
}

// ClusterBarrierOf decodes a barrier.cluster form: it arrives (or else waits).
func ClusterBarrierOf(f *Form) (arrive bool) { return f.Has(".arrive") }

// MapaOf decodes a mapa or getctarank form: rank is set for getctarank, which gives the rank of the
// block an address belongs to; mapa gives the address in the block of a rank. space is SharedCluster
// for offsets into shared memory and Generic for generic addresses.
func MapaOf(f *Form) (rank bool, space Space) { return f.Opcode == "getctarank", spaceIn(f.Mods) }

// BranchUniform tells whether a branch, call or return is marked .uni: all active lanes go the same way.
func BranchUniform(f *Form) bool { return f.Has(".uni") }

// WarpSync tells whether a warp-wide form (OpWarp, OpBarrierWarp, OpMatrix, OpTensorMemory) waits for other lanes of its warp, and
// for which: member is the source that holds their mask, -1 for all lanes. A form that does not wait runs with
// whatever lanes are active.
func WarpSync(f *Form) (waits bool, member int) {
	switch {
	case f.Row.Op == OpBarrierWarp:
	case !f.Has(".sync"):
		return false, -1
	case f.Has(".aligned") || f.Row.Op == OpMatrix || f.Row.Unit == Tensor: // wmma had no .aligned at first
		return true, -1
	}
	member = -1 // the last source
	for _, a := range f.Args {
		if a.Read {
			member++
		}
	}
	return true, member
}
