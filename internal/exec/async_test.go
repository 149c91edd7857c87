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

// goodImages is a tensor of 4 images of 6 x 8 pixels of 64 half-precision channels, of which 16 pixels are moved.
func goodImages() TensorMap {
	return TensorMap{
		Type: isa.F16, Address: 0x1000, Rank: 4, Dims: [5]uint32{64, 8, 6, 4}, Strides: [4]uint64{128, 1024, 6144},
		ElementStrides: [5]uint8{1, 2, 1, 1}, Swizzle: Swizzle64, FillNaN: true, Images: true,
		Column: Column{Lower: [3]int16{-1, -2}, Upper: [3]int16{1, -3}, Channels: 32, Pixels: 16},
	}
}

func TestImageMapsSurviveTheirEncoding(t *testing.T) {
	m := goodImages()
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeTensorMap(b); err != nil || *got != m {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestImageMapsThatAreRefused has what the driver of an H200 (580, CUDA 13.0) refuses, next to what it takes.
func TestImageMapsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		change func(m *TensorMap)
		want   string
	}{
		{func(m *TensorMap) { m.Rank = 2 }, "images with 2 dimensions"},
		{func(m *TensorMap) { m.Column.Channels = 257 }, "257 channels"},
		{func(m *TensorMap) { m.Column.Channels = 0 }, "0 channels"},
		{func(m *TensorMap) { m.Column.Channels = 9 }, "have 18 bytes"},
		{func(m *TensorMap) { m.Column.Channels = 40 }, "its swizzle repeats after 64"},
		{func(m *TensorMap) { m.Column.Pixels = 0 }, "0 pixels"},
		{func(m *TensorMap) { m.Column.Pixels = 1024 }, ""},
		{func(m *TensorMap) { m.Column.Pixels = 1025 }, "1025 pixels"},
		{func(m *TensorMap) { m.Column.Lower[0] = -128 }, ""},
		{func(m *TensorMap) { m.Column.Lower[0] = -129 }, "is at -129; -128 to 127"},
		{func(m *TensorMap) { m.Column.Upper[1] = 127 }, ""},
		{func(m *TensorMap) { m.Column.Upper[1] = 128 }, "is at 128; -128 to 127"},
		{func(m *TensorMap) { m.Column.Lower[0], m.Column.Upper[0] = 1, -7 }, "begins at 1 and ends at 0"},
		{func(m *TensorMap) { m.Column.Lower[0], m.Column.Upper[0] = 0, -7 }, ""},
		{func(m *TensorMap) { m.ElementStrides[0] = 8 }, ""},
		{func(m *TensorMap) { m.ElementStrides[3] = 9 }, "element stride of dimension 3 is 9"},
		{func(m *TensorMap) { m.Interleave, m.Swizzle = Interleave32, NoSwizzle }, ""},
		{func(m *TensorMap) { m.Interleave, m.Column.Channels = Interleave16, 4 }, "have 8 bytes"},
		{func(m *TensorMap) { m.Type = isa.B16 }, "no elements of type b16"},
	} {
		m := goodImages()
		c.change(&m)
		switch _, err := m.Encode(); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v, want %q", err, c.want)
		}
	}
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
		{func(m *TensorMap) { m.FlushDenormals = true }, "no denormals to flush"},
		{func(m *TensorMap) { m.Type, m.FillNaN = isa.U16, true }, "can not be filled with NaN"},
		{func(m *TensorMap) { m.Swizzle = 4 }, "no swizzle 4"},
		{func(m *TensorMap) { m.Interleave = 3 }, "no interleaving 3"},
		{func(m *TensorMap) { m.Interleave = Interleave16 }, "interleaved tensor map of 2 dimensions"},
		{func(m *TensorMap) { interleave32(m); m.Address = 0x1010 }, "0x1010 is not a multiple of 32"},
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
