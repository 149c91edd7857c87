package isa

import (
	"math"
	"math/rand/v2"
	"testing"
)

// warpOf runs a form over lanes whose first source is given; all other sources are zero.
func warpOf(f *Form, active uint32, values func(lane int) uint64) *Warp {
	w := &Warp{Active: active}
	for lane := range 32 {
		w.Src[0][lane] = values(lane)
		w.Dst[0][lane], w.Dst[1][lane] = 0xDEAD, 0xDEAD
	}
	f.Row.Warp(f)(w)
	return w
}

func TestReduxFloat(t *testing.T) {
	nan, negativeNaN := uint64(0x7FC00005), uint64(0xFFC00005)
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, test := range []struct {
		name   string
		active uint32
		values []uint64 // of the lanes from 0 on, the others hold 1
		want   uint64
	}{
		{"redux.sync.min.f32", 0xF, []uint64{f32(3), f32(-2), f32(5), f32(0)}, f32(-2)},
		{"redux.sync.max.f32", 0xF, []uint64{f32(3), f32(-2), f32(5), f32(0)}, f32(5)},
		{"redux.sync.max.f32", 0x3, []uint64{f32(3), f32(-2), f32(5), f32(0)}, f32(3)},
		{"redux.sync.max.abs.f32", 0x3, []uint64{f32(3), f32(-8)}, f32(8)},
		{"redux.sync.min.f32", 0x3, []uint64{nan, f32(4)}, f32(4)},
		{"redux.sync.min.NaN.f32", 0x3, []uint64{nan, f32(4)}, 0x7FFFFFFF},
		{"redux.sync.max.f32", 0x3, []uint64{nan, negativeNaN}, 0x7FFFFFFF},
		{"redux.sync.max.abs.NaN.f32", 0x2, []uint64{f32(1), negativeNaN}, 0x7FFFFFFF},
		{"redux.sync.min.f32", 0x1, []uint64{nan}, 0x7FFFFFFF},
	} {
		f := form(t, test.name, reg(F32), reg(F32), imm(-1))
		w := warpOf(f, test.active, func(lane int) uint64 {
			if lane < len(test.values) {
				return test.values[lane]
			}
			return f32(1)
		})
		lanes(test.active, func(lane int) {
			if got := w.Dst[0][lane]; got != test.want {
				t.Errorf("%s of %#x with lanes %#x: lane %d has %#x, want %#x", test.name, test.values, test.active, lane, got, test.want)
			}
		})
	}
}

func TestMovmatrixTransposes(t *testing.T) {
	f := form(t, "movmatrix.sync.aligned.m8n8.trans.b16", reg(B32), reg(B32))
	element := func(row, column int) uint64 { return uint64(16*row + column) }
	w := warpOf(f, 0xFFFFFFFF, func(lane int) uint64 {
		row, column := lane/4, lane%4*2
		return element(row, column) | element(row, column+1)<<16
	})
	for lane := range 32 {
		row, column := lane/4, lane%4*2
		if got, want := w.Dst[0][lane], element(column, row)|element(column+1, row)<<16; got != want {
			t.Errorf("lane %d: %#x, want %#x", lane, got, want)
		}
	}
}

// TestWarpRowsKeepToActiveLanes checks that no warp instruction writes a lane that is not active or depends on one.
func TestWarpRowsKeepToActiveLanes(t *testing.T) {
	r, p := reg(B32), reg(Pred)
	forms := []*Form{
		form(t, "vote.sync.all.pred", p, p, imm(-1)), form(t, "vote.sync.any.pred", p, p, imm(-1)),
		form(t, "vote.sync.uni.pred", p, p, imm(-1)), form(t, "vote.sync.ballot.b32", r, p, imm(-1)),
		form(t, "match.any.sync.b32", r, r, imm(-1)), form(t, "match.all.sync.b32", pairOf(r, p), r, imm(-1)),
		form(t, "redux.sync.add.s32", r, r, imm(-1)), form(t, "redux.sync.xor.b32", r, r, imm(-1)),
		form(t, "redux.sync.max.f32", reg(F32), reg(F32), imm(-1)), form(t, "activemask.b32", r),
		form(t, "elect.sync", pairOf(r, p), imm(-1)), form(t, "shfl.sync.idx.b32", pairOf(r, p), r, imm(0), imm(31), imm(-1)),
		form(t, "shfl.sync.bfly.b32", pairOf(r, p), r, imm(0), imm(31), imm(-1)),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range forms {
		for _, active := range []uint32{0, 1, 0x80000000, 0x55555555, 0xFFFF0000, 0xFFFFFFFF, random.Uint32()} {
			value := func(seed uint64) func(int) uint64 {
				return func(lane int) uint64 {
					if active>>lane&1 == 0 {
						return seed & 1
					}
					return uint64(lane) * 0x9E3779B9 >> 3 & 1
				}
			}
			a, b := warpOf(f, active, value(0)), warpOf(f, active, value(1))
			for lane := range 32 {
				for d := range 2 {
					x, y := a.Dst[d][lane], b.Dst[d][lane]
					if active>>lane&1 == 0 && x != 0xDEAD {
						t.Errorf("%s with lanes %#x writes lane %d", f.Name(), active, lane)
					}
					if x != y {
						t.Errorf("%s with lanes %#x: lane %d depends on an inactive lane", f.Name(), active, lane)
					}
				}
			}
		}
	}
}
