package exec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"silica/internal/isa"
)

// tensorCopy is a tensor copy that an H200 made. Global memory held 64 KiB of a pattern, in which the tensor
// began at its first byte; the digest (SHA-256) is that of shared memory after a load, else of global memory.
type tensorCopy struct {
	Name, Kind     string // Kind: load, store or the operation of a reduction
	Type           string
	Dims           []uint32
	Strides        []uint64
	Box            []uint16
	ElementStrides []uint8
	Interleave     Interleave
	Swizzle        Swizzle
	Fill           int
	Start          []int32
	Lower, Upper   []int16 // of copies of images, as the three below
	Channels       int
	Pixels         int
	Offsets        []uint16
	Offset, Shared int // of the box in shared memory; size of shared memory
	Floats         bool
	Flush          bool // of a type that flushes denormals
	Digest, Fault  string
}

func (c *tensorCopy) images() bool { return c.Pixels > 0 }

func (c *tensorCopy) tensorMap() *TensorMap {
	m := &TensorMap{
		Type: isa.ParseType(c.Type), Address: fakeGlobal, Rank: len(c.Dims),
		Interleave: c.Interleave, Swizzle: c.Swizzle, FillNaN: c.Fill == 1, FlushDenormals: c.Flush,
	}
	copy(m.Dims[:], c.Dims)
	copy(m.Strides[:], c.Strides)
	copy(m.Box[:], c.Box)
	copy(m.ElementStrides[:], c.ElementStrides)
	if c.images() {
		m.Images, m.Column.Channels, m.Column.Pixels = true, c.Channels, c.Pixels
		copy(m.Column.Lower[:], c.Lower)
		copy(m.Column.Upper[:], c.Upper)
	}
	return m
}

// recordedFloats are the values of memory with floats: zeros, ones, denormals, infinities, NaNs and others.
var recordedFloats = []uint32{
	0, 0x80000000, 0x3F800000, 0xBF800000, 1, 0x007FFFFF, 0x80000001, 0x00800000, 0x7F800000, 0xFF800000,
	0x7FC00001, 0x7F800001, 0x3F801FFF, 0x3F801000, 0x3F803000, 0x40490FDB, 0x7F7FFFFF, 0xFF7FFFFF, 0x12345678, 0x00400000,
}

// memory returns global and shared memory as they were before the copy.
func (c *tensorCopy) memory() (global, shared []byte) {
	global, shared = make([]byte, 64<<10), make([]byte, c.Shared)
	if c.Floats {
		for i := range len(global) / 4 {
			binary.LittleEndian.PutUint32(global[4*i:], recordedFloats[i%len(recordedFloats)])
		}
		for i := range len(shared) / 4 {
			binary.LittleEndian.PutUint32(shared[4*i:], recordedFloats[(7*i+i/20)%len(recordedFloats)])
		}
		return global, shared
	}
	for i := range len(global) / 2 {
		binary.LittleEndian.PutUint16(global[2*i:], uint16(i))
	}
	for i := range len(shared) / 2 {
		v := uint16(0xCCCC)
		if c.Kind != "load" {
			v = 0x8000 | uint16(i)
		}
		binary.LittleEndian.PutUint16(shared[2*i:], v)
	}
	return global, shared
}

// fakeMemory has a tensor map at address 0 of parameter memory, global memory and shared memory.
type fakeMemory struct{ tensorMap, global, shared []byte }

const fakeGlobal = 0x1_0000_0000

func (m *fakeMemory) Rank() int { return 0 }

func (m *fakeMemory) Tensor(int) *TensorMemory { return nil }

func (m *fakeMemory) Bytes(space isa.Space, addr uint64, n, align int) ([]byte, *Fault) {
	memory := m.shared
	switch space {
	case isa.Generic:
		memory = m.tensorMap
	case isa.Global:
		memory = m.global
		addr -= fakeGlobal
	}
	switch {
	case addr%uint64(align) != 0:
		return nil, Misaligned(addr, align)
	case addr > uint64(len(memory)) || uint64(n) > uint64(len(memory))-addr:
		return nil, &Fault{Kind: IllegalAddress, Address: addr, Bytes: n}
	}
	return memory[addr:][:n], nil
}

func TestTensorCopiesAsRecorded(t *testing.T) { runRecordedCopies(t, "testdata/tensor_copies.json") }

// TestImageCopiesAsRecorded makes the copies of mode im2col that were recorded on an H200, driver 580, CUDA 13.0.
func TestImageCopiesAsRecorded(t *testing.T) { runRecordedCopies(t, "testdata/image_copies.json") }

func runRecordedCopies(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []tensorCopy
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			encoded, err := c.tensorMap().Encode()
			if err != nil {
				t.Fatal(err)
			}
			global, shared := c.memory()
			fault := c.run(t, &fakeMemory{encoded, global, append(shared, make([]byte, 8)...)})
			switch {
			case fault != nil && fault.Kind.String() == c.Fault:
			case fault != nil || c.Fault != "":
				t.Errorf("fault %v, want %q", fault, c.Fault)
			}
		})
	}
}

// run makes the copy and compares the memory it changed. A barrier object for it follows shared memory.
func (c *tensorCopy) run(t *testing.T, m *fakeMemory) *Fault {
	t.Helper()
	coordinates := isa.Shape{Kind: isa.ShapeVector}
	a := &Async{Memory: m}
	for _, v := range c.Start {
		a.Src = append(a.Src, uint64(uint32(v)))
		coordinates.Elems = append(coordinates.Elems, isa.Shape{Kind: isa.ShapeRegister, Type: isa.B32})
	}
	address := isa.Shape{Kind: isa.ShapeAddress}
	tensor := isa.Shape{Kind: isa.ShapeAddress, Elems: []isa.Shape{coordinates}}
	dim := "." + string('0'+byte(len(c.Start))) + "d"
	load, store := ".tile", ".tile"
	if c.images() {
		load, store = ".im2col", ".im2col_no_offs"
	}
	mods := []string{".async", ".bulk", ".tensor", dim, ".global", ".shared::cta", store, ".bulk_group"}
	operands := []isa.Shape{tensor, address}
	a.Addr = []uint64{0, uint64(c.Offset)}
	changed := m.global
	switch c.Kind {
	case "store":
	case "load":
		mods = []string{".async", ".bulk", ".tensor", dim, ".shared::cluster", ".global", load, ".mbarrier::complete_tx::bytes"}
		operands = []isa.Shape{address, tensor, address}
		if c.images() {
			offsets := isa.Shape{Kind: isa.ShapeVector}
			for _, v := range c.Offsets {
				a.Src = append(a.Src, uint64(v))
				offsets.Elems = append(offsets.Elems, isa.Shape{Kind: isa.ShapeRegister, Type: isa.U16})
			}
			operands = append(operands, offsets)
		}
		a.Addr = []uint64{uint64(c.Offset), 0, uint64(c.Shared)}
		changed = m.shared[:c.Shared]
	default:
		mods = []string{".reduce", ".async", ".bulk", ".tensor", dim, ".global", ".shared::cta", "." + c.Kind, store, ".bulk_group"}
	}
	form, err := isa.Match(isa.Context{}, "cp", mods, operands)
	if err != nil {
		t.Fatal(err)
	}
	if fault := AsyncOf(form)(a); fault != nil {
		return fault
	}
	if sum := sha256.Sum256(changed); hex.EncodeToString(sum[:]) != c.Digest {
		t.Errorf("memory differs from the recorded one")
	}
	return nil
}
