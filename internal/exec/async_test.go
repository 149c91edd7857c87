package exec

import (
	"strings"
	"testing"

	"silica/internal/isa"

	"pgregory.net/rapid"
)

func TestEveryAsyncRowHasSemantics(t *testing.T) {
	rows := 0
	for _, r := range isa.Rows() {
		if r.Op != isa.OpAsync {
			continue
		}
		rows++
		bound := false
		for _, b := range asyncBinders {
			bound = bound || strings.HasPrefix(r.Syntax, b.prefix)
		}
		if !bound {
			t.Errorf("%s is bound to nothing", r.Syntax)
		}
	}
	if rows == 0 {
		t.Error("there are no such rows")
	}
}

func TestBarrierObjectsFitTheirWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, countMask)
		b := BarrierObject{
			Expected: count.Draw(t, "expected"), Pending: count.Draw(t, "pending"),
			Bytes: rapid.IntRange(-countMask, countMask).Draw(t, "bytes"), Phase: rapid.IntRange(0, 1).Draw(t, "phase"),
		}
		if got := DecodeBarrier(b.Encode()); got != b {
			t.Fatalf("%+v became %+v", b, got)
		}
	})
}

func TestPhasesEndWhenArrivalsAndBytesHaveCome(t *testing.T) {
	b := BarrierObject{Expected: 2, Pending: 2}
	for i, step := range []struct {
		arrivals, bytes int
		phase           int
	}{
		{1, 0, 0}, {0, 64, 0}, {1, 0, 0}, {0, -32, 0}, {0, -32, 1}, // bytes are lacking after the last arrival
		{1, 0, 1}, {1, 0, 0}, // the next phase needs arrivals only
		{0, -16, 0}, {1, 16, 0}, {1, 0, 1}, // bytes came before they were announced
	} {
		b.Pending -= step.arrivals
		b.Bytes += step.bytes
		b.complete()
		if b.Phase != step.phase {
			t.Errorf("step %d: phase %d, want %d", i, b.Phase, step.phase)
		}
	}
}

// goodMap is a tensor of 64 x 40 half-precision numbers with a box of 32 x 16.
func goodMap() TensorMap {
	return TensorMap{
		Type: isa.F16, Address: 0x1000, Rank: 2, Dims: [5]uint32{64, 40}, Strides: [4]uint64{128},
		Box: [5]uint16{32, 16}, ElementStrides: [5]uint8{1, 1},
	}
}

// interleave32 makes a map one of three dimensions with slices of 32 bytes.
func interleave32(m *TensorMap) {
	m.Rank, m.Interleave, m.Swizzle = 3, Interleave32, Swizzle32
	m.Dims[2], m.Strides[1], m.Box[2], m.ElementStrides[2] = 4, 128*40, 2, 1
}

func TestTensorMapsSurviveTheirEncoding(t *testing.T) {
	m := goodMap()
	interleave32(&m)
	m.FillNaN = true
	b, err := m.Encode()
	if err != nil || len(b) != TensorMapBytes {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	got, err := DecodeTensorMap(b)
	if err != nil || *got != m {
		t.Errorf("%+v, %v", got, err)
	}
	b[0] ^= 1
	if _, err := DecodeTensorMap(b); err == nil {
		t.Error("other bytes were taken for a tensor map")
	}
	if _, err := DecodeTensorMap(b[:10]); err == nil {
		t.Error("10 bytes were taken for a tensor map")
	}
}

func TestTensorMapsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		change func(m *TensorMap)
		want   string
	}{
		{func(m *TensorMap) { m.Rank = 6 }, "6 dimensions"},
		{func(m *TensorMap) { m.Address = 8 }, "0x8 is not a multiple of 16"},
		{func(m *TensorMap) { m.Dims[1] = 0 }, "dimension 1 of the tensor is empty"},
		{func(m *TensorMap) { m.Box[1] = 257 }, "has 257 elements"},
		{func(m *TensorMap) { m.ElementStrides[0] = 0 }, "element stride of dimension 0 is 0"},
		{func(m *TensorMap) { m.Strides[0] = 100 }, "stride of dimension 1 is 100 bytes"},
		{func(m *TensorMap) { m.Box[0] = 4 }, "the box is 8 bytes wide; a multiple of 16"},
		{func(m *TensorMap) { m.Swizzle = Swizzle32 }, "its swizzle repeats after 32"},
		{func(m *TensorMap) { m.Type, m.FillNaN = isa.U16, true }, "can not be filled with NaN"},
		{func(m *TensorMap) { m.Swizzle = 4 }, "no swizzle 4"},
		{func(m *TensorMap) { m.Interleave = 3 }, "no interleaving 3"},
		{func(m *TensorMap) { m.Interleave = Interleave16 }, "interleaved tensor map of 2 dimensions"},
		{func(m *TensorMap) { interleave32(m); m.Swizzle = NoSwizzle }, "swizzled by 32 bytes"},
		{func(m *TensorMap) { interleave32(m); m.Address = 0x1010 }, "0x1010 is not a multiple of its slices of 32"},
		{func(m *TensorMap) { interleave32(m); m.Strides[1] = 144 }, "stride of dimension 2 is 144 bytes; a multiple of 32"},
	} {
		m := goodMap()
		c.change(&m)
		if _, err := m.Encode(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestSwizzlesPermuteWithinTheirPattern checks that no two pieces of 16 bytes share a place.
func TestSwizzlesPermuteWithinTheirPattern(t *testing.T) {
	for s := NoSwizzle; s <= Swizzle128; s++ {
		seen := map[uint64]bool{}
		for addr := uint64(0); addr < 1024; addr += 16 {
			p := s.place(addr)
			if p/uint64(16<<s) != addr/uint64(16<<s) || seen[p] {
				t.Errorf("swizzle %d moves %d to %d", s, addr, p)
			}
			seen[p] = true
		}
	}
}

func TestSharedAddressesOfACluster(t *testing.T) {
	for rank := range 16 {
		owner, offset := SharedOwner(SharedAddress(rank, 1000), 3)
		if owner != rank || offset != 1000 {
			t.Errorf("rank %d: block %d, offset %d", rank, owner, offset)
		}
	}
	if owner, offset := SharedOwner(1000, 3); owner != 3 || offset != 1000 {
		t.Errorf("own address: block %d, offset %d", owner, offset)
	}
	if SharedAddress(15, 228<<10) >= isa.WindowSize {
		t.Error("a cluster of 16 blocks does not fit the window")
	}
}
