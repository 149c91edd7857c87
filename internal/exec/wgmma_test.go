package exec

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"testing"

	"silica/internal/isa"
	"silica/internal/mma"
)

// groupProduct is a wgmma.mma_async with what is not in its registers.
type groupProduct struct {
	Instr     string
	A, B      descriptorText
	Registers bool   // A is in registers
	Discard   bool   // scale-d is false
	NegateA   bool   `json:"negate_a"`
	NegateB   bool   `json:"negate_b"`
	TransA    uint64 `json:"trans_a"`
	TransB    uint64 `json:"trans_b"`
	Selector  uint64
}

// descriptorText is a descriptor in hexadecimal.
type descriptorText uint64

func (d *descriptorText) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 64)
	*d = descriptorText(v)
	return err
}

// form matches the instruction against the rows.
func (p *groupProduct) form(t *testing.T, registers int) *isa.Form {
	t.Helper()
	vector := func(n int, typ isa.Type) isa.Shape {
		v := isa.Shape{Kind: isa.ShapeVector}
		for range n {
			v.Elems = append(v.Elems, isa.Shape{Kind: isa.ShapeRegister, Type: typ})
		}
		return v
	}
	number := func(v uint64) isa.Shape { return isa.Shape{Kind: isa.ShapeInteger, Type: isa.S64, Value: v} }
	parts := strings.Split(p.Instr, ".")
	descriptor := isa.Shape{Kind: isa.ShapeRegister, Type: isa.B64}
	operands := []isa.Shape{vector(registers, isa.B32), descriptor, descriptor}
	if p.Registers {
		operands[1] = vector(4, isa.B32)
	}
	if strings.Contains(p.Instr, ".sp.") {
		operands = append(operands, isa.Shape{Kind: isa.ShapeRegister, Type: isa.B32}, number(p.Selector))
	}
	operands = append(operands, isa.Shape{Kind: isa.ShapeRegister, Type: isa.Pred})
	if e := p.element(); e != mma.S8 && e != mma.U8 && e != mma.B1 {
		sign := map[bool]uint64{false: 1, true: ^uint64(0)}
		operands = append(operands, number(sign[p.NegateA]), number(sign[p.NegateB]))
		if e == mma.F16 || e == mma.BF16 {
			if !p.Registers {
				operands = append(operands, number(p.TransA))
			}
			operands = append(operands, number(p.TransB))
		}
	}
	var mods []string
	for _, m := range parts[1:] {
		mods = append(mods, "."+m)
	}
	f, err := isa.Match(isa.Context{}, parts[0], mods, operands)
	if err != nil {
		t.Fatalf("%s: %v", p.Instr, err)
	}
	return f
}

// element is the type of A.
func (p *groupProduct) element() mma.Element {
	parts := strings.Split(strings.TrimSuffix(p.Instr, ".and.popc"), ".")
	e, _ := mma.ParseElement(parts[len(parts)-2])
	return e
}

// lanesOf are the registers of a warp.
type lanesOf [][32]uint32

func (r lanesOf) pointers() (out []*[32]uint32) {
	for i := range r {
		out = append(out, &r[i])
	}
	return out
}

// run computes the product in c, of which each warp of the group has its registers.
func (p *groupProduct) run(t *testing.T, memory BlockMemory, c, a, meta [4]lanesOf) (warp int, fault *Fault) {
	t.Helper()
	f := p.form(t, len(c[0]))
	x := &Warpgroup{Memory: memory}
	for w := range c {
		warp := WarpgroupWarp{Index: w, Active: 1<<32 - 1, Dst: c[w].pointers()}
		source := func(rows []*[32]uint32, first ...uint64) {
			warp.Src, warp.First = append(warp.Src, rows...), append(warp.First, first...)
		}
		source(warp.Dst, make([]uint64, len(warp.Dst))...)
		if p.Registers {
			source(a[w].pointers(), make([]uint64, 4)...)
		} else {
			source([]*[32]uint32{nil}, uint64(p.A))
		}
		source([]*[32]uint32{nil}, uint64(p.B))
		if strings.Contains(p.Instr, ".sp.") {
			source(append(meta[w].pointers(), nil), 0, p.Selector)
		}
		scale := map[bool]uint64{false: 1, true: 0}[p.Discard]
		source([]*[32]uint32{nil}, scale)
		sign := map[bool]uint64{false: 1, true: 1<<32 - 1}
		source([]*[32]uint32{nil, nil}, sign[p.NegateA], sign[p.NegateB])
		if !p.Registers {
			source([]*[32]uint32{nil}, p.TransA)
		}
		source([]*[32]uint32{nil}, p.TransB)
		x.Warps = append(x.Warps, warp)
	}
	return WarpgroupOf(f)(x)
}

func registersOfGroup(n int) (out [4]lanesOf) {
	for w := range out {
		out[w] = make(lanesOf, n)
	}
	return out
}

// groupRegisters is the number of accumulator registers of n columns.
func groupRegisters(instr string, n int) int {
	if strings.Contains(instr, ".f16.e") || strings.Contains(instr, ".f16.f16.f16") {
		return n / 4
	}
	return n / 2
}

func TestEveryWarpgroupRowIsBound(t *testing.T) {
	rows := 0
	for _, r := range isa.Rows() {
		if r.Op == isa.OpWarpgroup {
			rows++
			if !strings.HasPrefix(r.Syntax, "wgmma.mma_async.") {
				t.Errorf("%s is bound to nothing", r.Syntax)
			}
		}
	}
	if rows == 0 {
		t.Error("there are no such rows")
	}
}

// mixer gives the operands of the recorded products (splitmix64, of which the high words count).
type mixer struct{ state uint64 }

func (m *mixer) word() uint32 {
	m.state += 0x9E3779B97F4A7C15
	z := m.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return uint32((z ^ z>>31) >> 32)
}

func (m *mixer) registers(n int, keep, set uint32) (out [4]lanesOf) {
	out = registersOfGroup(n)
	for thread := range 128 {
		for r := range n {
			out[thread/32][r][thread%32] = m.word()&keep | set
		}
	}
	return out
}

func (m *mixer) metadata(e mma.Element) (out [4]lanesOf) {
	pairs := []uint32{4, 8, 12, 9, 13, 14}
	if e == mma.TF32 {
		pairs = []uint32{4, 14}
	}
	out = registersOfGroup(1)
	for thread := range 128 {
		v := m.word()
		for i := 0; i < 32; i += 4 {
			out[thread/32][0][thread%32] |= pairs[(v>>i&15)%uint32(len(pairs))] << i
		}
	}
	return out
}

// TestWarpgroupProductsAsRecorded replays products of random operands, descriptors and layouts that an H200 computed.
// The file has the sums of the results' bytes (FNV-1a).
func TestWarpgroupProductsAsRecorded(t *testing.T) {
	text, err := os.ReadFile("testdata/warpgroup_products.json")
	if err != nil {
		t.Fatal(err)
	}
	type word = string
	var file struct {
		Cases []struct {
			groupProduct
			Seed      uint64
			Keep, Set word
			KeepC     word `json:"keep_c"`
			SetC      word `json:"set_c"`
			Sum       string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	mask := func(s word) uint32 {
		v, err := strconv.ParseUint(s, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(v)
	}
	for i, c := range file.Cases {
		p := c.groupProduct
		m := &mixer{c.Seed}
		memory := &fakeMemory{shared: make([]byte, 64<<10)}
		for at := 0; at < len(memory.shared); at += 4 {
			binary.LittleEndian.PutUint32(memory.shared[at:], m.word()&mask(c.Keep)|mask(c.Set))
		}
		var n int
		if _, err := fmt.Sscanf(p.Instr[strings.Index(p.Instr, ".m64n"):], ".m64n%d", &n); err != nil {
			t.Fatal(err)
		}
		acc := m.registers(groupRegisters(p.Instr, n), mask(c.KeepC), mask(c.SetC))
		a := m.registers(4, mask(c.Keep), mask(c.Set))
		meta := m.metadata(p.element())
		if warp, fault := p.run(t, memory, acc, a, meta); fault != nil {
			t.Errorf("case %d, %s: warp %d: %v", i, p.Instr, warp, fault.Detail)
			continue
		}
		h := fnv.New64a()
		for thread := range 128 {
			for _, r := range acc[thread/32] {
				h.Write(binary.LittleEndian.AppendUint32(nil, r[thread%32]))
			}
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != c.Sum {
			t.Errorf("case %d, %s, seed %d: other results than recorded", i, p.Instr, c.Seed)
		}
	}
}
