package exec

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"silica/internal/isa"
)

// replacedCopy is a tensor copy by a map whose fields were replaced on an H200, driver 580, CUDA 13.0: from a map of zeros or
// another map, to that of the copy.
type replacedCopy struct {
	tensorCopy
	Zeros   bool
	Address uint64 // of the tensor in global memory
	Replace []replacement
}

type replacement struct {
	Field string
	Ord   int
	Value uint64
}

func TestReplacedMapsAsRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/replaced_maps.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []replacedCopy
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			first := TensorMap{
				Type: isa.U32, Address: fakeGlobal + 4096, Rank: 2, Dims: [5]uint32{64, 64}, Strides: [4]uint64{512},
				Box: [5]uint16{32, 8}, ElementStrides: [5]uint8{1, 1}, Swizzle: Swizzle128,
			}
			if c.images() {
				first = *c.tensorMap()
			}
			encoded, err := first.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if c.Zeros {
				clear(encoded)
			}
			global, shared := c.memory()
			m := &fakeMemory{encoded, global, append(shared, make([]byte, 8)...)}
			for _, r := range c.Replace {
				if r.Field == "global_address" {
					r.Value += fakeGlobal
				}
				if fault := r.run(t, m); fault != nil {
					t.Fatal(fault)
				}
			}
			want := c.tensorMap()
			want.Address += c.Address
			switch got, err := DecodeTensorMap(encoded); {
			case err != nil && c.Fault != "": // for this reason
			case err != nil || *got != *want:
				t.Errorf("the map is %+v, %v, want %+v", got, err, want)
			}
			switch fault := c.run(t, m); {
			case fault != nil && fault.Kind.String() == c.Fault:
			case fault != nil || c.Fault != "":
				t.Errorf("fault %v, want %q", fault, c.Fault)
			}
		})
	}
}

// run replaces a field of the map in memory.
func (r *replacement) run(t *testing.T, m *fakeMemory) *Fault {
	t.Helper()
	typ := isa.B32
	if r.Field == "global_address" || r.Field == "global_stride" {
		typ = isa.B64
	}
	constant := func(v uint64) isa.Shape { return isa.Shape{Kind: isa.ShapeInteger, Type: isa.U64, Value: v} }
	operands := []isa.Shape{{Kind: isa.ShapeAddress}}
	a := &Async{Memory: m, Addr: []uint64{0}}
	switch r.Field {
	case "box_dim", "global_dim", "element_stride", "global_stride":
		operands = append(operands, constant(uint64(r.Ord)))
		a.Src = append(a.Src, uint64(r.Ord))
	}
	a.Src = append(a.Src, r.Value)
	switch r.Field {
	case "elemtype", "interleave_layout", "swizzle_mode", "fill_mode":
		operands = append(operands, constant(r.Value))
	default:
		operands = append(operands, isa.Shape{Kind: isa.ShapeRegister, Type: typ})
	}
	form, err := isa.Match(isa.Context{}, "tensormap", []string{".replace", ".tile", "." + r.Field, ".b1024", "." + typ.String()}, operands)
	if err != nil {
		t.Fatal(err)
	}
	return AsyncOf(form)(a)
}

// TestFieldsKeepAsManyBitsAsAnH200 replaces single fields of zeros. What is left of the values was recorded on an H200,
// driver 580, CUDA 13.0.
func TestFieldsKeepAsManyBitsAsAnH200(t *testing.T) {
	for _, c := range []struct {
		replacement
		same uint64 // a value that gives the same map
	}{
		{replacement{"rank", 0, 8}, 0},
		{replacement{"box_dim", 2, 0}, 256},
		{replacement{"box_dim", 0, 257}, 1},
		{replacement{"global_dim", 1, 1<<32 + 7}, 7},
		{replacement{"element_stride", 4, 0}, 8},
		{replacement{"element_stride", 3, 9}, 1},
		{replacement{"element_stride", 0, 255}, 7},
		{replacement{"global_stride", 1, 24}, 16},
		{replacement{"global_stride", 3, 1 << 40}, 0},
		{replacement{"global_stride", 0, 1<<64 - 1}, 1<<40 - 16},
	} {
		var maps [2]string
		for i, value := range []uint64{c.Value, c.same} {
			m := &fakeMemory{tensorMap: make([]byte, TensorMapBytes)}
			r := c.replacement
			r.Value = value
			if fault := r.run(t, m); fault != nil {
				t.Fatal(fault)
			}
			maps[i] = string(m.tensorMap)
		}
		if maps[0] != maps[1] {
			t.Errorf("%s of %d is not that of %d", c.Field, c.Value, c.same)
		}
	}
}

func TestReplacementsThatAreRefused(t *testing.T) {
	m := &fakeMemory{tensorMap: []byte(strings.Repeat("x", TensorMapBytes))}
	r := replacement{Field: "rank"}
	if fault := r.run(t, m); fault == nil || !strings.Contains(fault.Detail, "no tensor map") {
		t.Errorf("%v, want no tensor map", fault)
	}
	m = &fakeMemory{tensorMap: make([]byte, TensorMapBytes)}
	r = replacement{Field: "global_stride", Ord: 4}
	if fault := r.run(t, m); fault == nil || !strings.Contains(fault.Detail, "no stride 4") {
		t.Errorf("%v, want no stride 4", fault)
	}
}

// FuzzDecodeTensorMap checks that no bytes make a map that can not be encoded, and read again.
func FuzzDecodeTensorMap(f *testing.F) {
	m := goodMap()
	images := goodImages()
	for _, m := range []*TensorMap{&m, &images} {
		b, err := m.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(make([]byte, TensorMapBytes))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := DecodeTensorMap(b)
		if err != nil {
			return
		}
		again, err := m.Encode()
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if got, err := DecodeTensorMap(again); err != nil || *got != *m {
			t.Fatalf("%+v became %+v, %v", m, got, err)
		}
	})
}

// CUTLASS and Triton clear bit 21 of the second word of maps of small tensors, for drivers before CUDA 13.2, wherever the tensor is.
func TestMapsKeepWithoutBit21OfTheSecondWord(t *testing.T) {
	for _, address := range []uint64{0x7000_0000_0000, 0x7000_0020_0000, 0xffff_ffff_fff0} {
		want := TensorMap{Address: address, Type: isa.F16, Rank: 2, Dims: [5]uint32{64, 32}, Strides: [4]uint64{128}, Box: [5]uint16{64, 8},
			ElementStrides: [5]uint8{1, 1}}
		b, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint64(b[8:], binary.LittleEndian.Uint64(b[8:])&^(1<<21))
		if got, err := DecodeTensorMap(b); err != nil || *got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
}
