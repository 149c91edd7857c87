package isa

import (
	"math/bits"

	"silica/internal/fp"
)

// warpRows holds the instructions that work across the lanes of a warp. Those with .sync run when
// all lanes of their member mask have arrived; Warp.Active then holds the members that have not exited.
func warpRows() []Row {
	since := Since{PTX: 60, SM: 30}
	// Without .sync an instruction works on whatever lanes are active; such forms ended with
	// independent thread scheduling.
	until := Since{PTX: 64, SM: 70}
	shuffle := Row{
		Mods:  Mods{"mode": ".up .down .bfly .idx"},
		Types: "d:b32:w:kept p:pred:w a:b32 b:u32 c:u32 membermask:b32",
		Unit:  LSU, Class: ClassCommunication, Op: OpWarp, Warp: shuffleWarp,
	}
	vote := Row{
		Mods:  Mods{"mode": ".all .any .uni"},
		Types: "d:pred:w a:pred membermask:b32",
		Unit:  ALU, Class: ClassCommunication, Op: OpWarp, Warp: voteWarp,
	}
	ballot := vote
	ballot.Mods, ballot.Types = nil, "d:b32:w a:pred membermask:b32"
	ballot.Warp = ballotWarp
	match := Row{
		Mods: Mods{"type": ".b32 .b64"}, Types: "d:u32:w p:pred:w a:type membermask:u32",
		Since: Since{PTX: 60, SM: 70},
		Unit:  ADU, Class: ClassCommunication, Op: OpWarp,
	}
	redux := Row{
		Types: "d:type:w a:type membermask:u32",
		Since: Since{PTX: 70, SM: 80},
		Unit:  ALU, Class: ClassCommunication, Op: OpWarp,
	}
	form := func(r Row, syntax string, since, until Since) Row {
		r.Syntax, r.Since, r.Until = syntax, since, until
		return r
	}
	reduxForm := func(syntax string, mods Mods, since Since, bind func(*Form) WarpFunc) Row {
		r := form(redux, syntax, since, Since{})
		r.Mods, r.Warp = mods, bind
		return r
	}
	reduxBits := reduxForm("redux.sync.op.type d, a, membermask", Mods{"op": ".and .or .xor", "type": ".b32"}, redux.Since, reduxWarp)
	reduxBits.Types = "d:u32:w a:u32 membermask:u32"
	matchAny := form(match, "match.any.sync.type d, a, membermask", match.Since, Since{})
	matchAny.Warp = matchAnyWarp
	matchAll := form(match, "match.all.sync.type d{|p}, a, membermask", match.Since, Since{})
	matchAll.Warp = matchAllWarp
	return []Row{
		form(shuffle, "shfl.sync.mode.b32 d{|p}, a, b, c, membermask", since, Since{}),
		form(shuffle, "shfl.mode.b32 d{|p}, a, b, c", Since{PTX: 30, SM: 30}, until),
		form(vote, "vote.sync.mode.pred d, {!}a, membermask", since, Since{}),
		form(vote, "vote.mode.pred d, {!}a", Since{PTX: 12, SM: 12}, until),
		form(ballot, "vote.sync.ballot.b32 d, {!}a, membermask", since, Since{}),
		form(ballot, "vote.ballot.b32 d, {!}a", Since{PTX: 20, SM: 20}, until),
		matchAny,
		matchAll,
		{
			Syntax: "activemask.b32 d", Since: Since{PTX: 62, SM: 30},
			Unit: ALU, Class: ClassCommunication, Op: OpWarp, Warp: activemaskWarp,
		},
		reduxForm("redux.sync.op.type d, a, membermask", Mods{"op": ".add .min .max", "type": ".u32 .s32"}, redux.Since, reduxWarp),
		reduxBits,
		reduxForm("redux.sync.op{.abs}{.NaN}.type d, a, membermask", Mods{"op": ".min .max", "type": ".f32"},
			Since{PTX: 86, SM: 100, On: "100f"}, reduxFloatWarp),
		{
			Syntax: "elect.sync d|p, membermask", Types: "d:u32:w p:pred:w:kept membermask:u32",
			Since: Since{PTX: 80, SM: 90}, Unit: ALU, Class: ClassCommunication, Op: OpWarp, Warp: electWarp,
		},
		{
			Syntax: "movmatrix.sync.aligned.m8n8.trans.b16 d, a", Types: "d:b32:w a:b32:reg",
			Since: Since{PTX: 78, SM: 75}, Unit: LSU, Class: ClassCommunication, Op: OpWarp, Warp: movmatrixWarp,
		},
	}
}

// lanes calls f for each lane of mask, lowest first.
func lanes(mask uint32, f func(lane int)) {
	for ; mask != 0; mask &= mask - 1 {
		f(bits.TrailingZeros32(mask))
	}
}

// fill sets a destination of all active lanes to v.
func (w *Warp) fill(dst int, v uint64) {
	lanes(w.Active, func(lane int) { w.Dst[dst][lane] = v })
}

// shuffleWarp computes, for each lane, the lane to read from as the manual's pseudocode does. A lane
// that is out of range is replaced by the reader itself. One that is not active gives 0: the manual leaves
// its value open, and this is what an H200 reads.
func shuffleWarp(f *Form) WarpFunc {
	var source func(lane, b, segment, last int) (from int, inRange bool)
	switch f.Get("mode") {
	case ".up":
		source = func(lane, b, segment, last int) (int, bool) { return lane - b, lane-b >= last }
	case ".down":
		source = func(lane, b, segment, last int) (int, bool) { return lane + b, lane+b <= last }
	case ".bfly":
		source = func(lane, b, segment, last int) (int, bool) { return lane ^ b, lane^b <= last }
	default:
		source = func(lane, b, segment, last int) (int, bool) {
			from := lane&segment | b&^segment
			return from, from <= last
		}
	}
	return func(w *Warp) {
		lanes(w.Active, func(lane int) {
			b, c := int(w.Src[1][lane]&31), int(w.Src[2][lane])
			segment, clamp := c>>8&31, c&31
			from, inRange := source(lane, b, segment, lane&segment|clamp&^segment)
			if !inRange {
				from = lane
			}
			w.Dst[0][lane], w.Dst[1][lane] = 0, bit(inRange)
			if w.Active>>from&1 != 0 {
				w.Dst[0][lane] = w.Src[0][from]
			}
		})
	}
}

// bit returns 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// ballot returns the active lanes whose predicate is true.
func ballot(w *Warp) uint32 {
	var votes uint32
	lanes(w.Active, func(lane int) { votes |= uint32(w.Src[0][lane]&1) << lane })
	return votes
}

func voteWarp(f *Form) WarpFunc {
	switch f.Get("mode") {
	case ".all":
		return func(w *Warp) { w.fill(0, bit(ballot(w) == w.Active)) }
	case ".any":
		return func(w *Warp) { w.fill(0, bit(ballot(w) != 0)) }
	}
	return func(w *Warp) {
		votes := ballot(w)
		w.fill(0, bit(votes == 0 || votes == w.Active))
	}
}

func ballotWarp(*Form) WarpFunc {
	return func(w *Warp) { w.fill(0, uint64(ballot(w))) }
}

func activemaskWarp(*Form) WarpFunc {
	return func(w *Warp) { w.fill(0, uint64(w.Active)) }
}

// equalLanes returns the active lanes that hold the same value as lane.
func equalLanes(w *Warp, lane int) uint32 {
	var equal uint32
	lanes(w.Active, func(other int) {
		if w.Src[0][other] == w.Src[0][lane] {
			equal |= 1 << other
		}
	})
	return equal
}

func matchAnyWarp(*Form) WarpFunc {
	return func(w *Warp) {
		for rest := w.Active; rest != 0; {
			equal := equalLanes(w, bits.TrailingZeros32(rest))
			lanes(equal, func(lane int) { w.Dst[0][lane] = uint64(equal) })
			rest &^= equal
		}
	}
}

func matchAllWarp(*Form) WarpFunc {
	return func(w *Warp) {
		if w.Active == 0 {
			return
		}
		all := equalLanes(w, bits.TrailingZeros32(w.Active)) == w.Active
		w.fill(0, uint64(w.Active)*bit(all))
		w.fill(1, bit(all))
	}
}

func reduxWarp(f *Form) WarpFunc {
	combine := CombineIn(f, Generic)
	return func(w *Warp) { reduce(w, combine) }
}

// reduce gives all active lanes the combination of their first sources.
func reduce(w *Warp, combine CombineFunc) {
	if w.Active == 0 {
		return
	}
	first := bits.TrailingZeros32(w.Active)
	r := w.Src[0][first]
	lanes(w.Active&^(1<<first), func(lane int) { r = combine(r, w.Src[0][lane], 0) })
	w.fill(0, r)
}

func reduxFloatWarp(f *Form) WarpFunc {
	choose, mode, abs := fp.Min32, fp.RN, f.Has(".abs")
	if f.Get("op") == ".max" {
		choose = fp.Max32
	}
	if f.Has(".NaN") {
		mode |= fp.PropagateNaN
	}
	combine := func(old, b, _ uint64) uint64 { return uint64(choose(uint32(old), uint32(b), mode)) }
	return func(w *Warp) {
		in := *w
		lanes(w.Active, func(lane int) {
			x := uint32(w.Src[0][lane])
			if abs {
				x = fp.Abs32(x, fp.RN)
			}
			// With itself: a single NaN becomes the canonical one.
			in.Src[0][lane] = uint64(choose(x, x, mode))
		})
		reduce(&in, combine)
		w.Dst = in.Dst
	}
}

// electWarp elects the lowest active lane, as an H200 does.
func electWarp(*Form) WarpFunc {
	return func(w *Warp) {
		leader := bits.TrailingZeros32(w.Active)
		w.fill(0, uint64(leader))
		lanes(w.Active, func(lane int) { w.Dst[1][lane] = bit(lane == leader) })
	}
}

// movmatrixWarp transposes an 8x8 matrix of 16-bit elements: lane 4r+c holds columns 2c and 2c+1 of row r.
func movmatrixWarp(*Form) WarpFunc {
	return func(w *Warp) {
		element := func(row, column int) uint64 { return w.Src[0][4*row+column/2] >> (16 * (column % 2)) & 0xFFFF }
		lanes(w.Active, func(lane int) {
			row, column := lane/4, lane%4*2
			w.Dst[0][lane] = element(column, row) | element(column+1, row)<<16
		})
	}
}
