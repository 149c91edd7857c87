package mma

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// mixer gives the operands of recorded products (splitmix64, of which the high words count).
type mixer struct{ state uint64 }

func (m *mixer) word() uint32 {
	m.state += 0x9E3779B97F4A7C15
	z := m.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return uint32((z ^ z>>31) >> 32)
}

// registers gives the registers of each warp, those of a lane one after the other, with the bits of keep and of set.
func (m *mixer) registers(warps, n int, keep, set hexWord) [][]Register {
	out := make([][]Register, warps)
	for w := range out {
		out[w] = make([]Register, n)
		for lane := range lanes {
			for r := range n {
				out[w][r][lane] = uint64(m.word()&uint32(keep) | uint32(set))
			}
		}
	}
	return out
}

// metadata gives legal metadata of a sparse matrix.
func (m *mixer) metadata(warps int, e Element) [][]Register {
	pairs := []uint32{4, 8, 12, 9, 13, 14}
	if e == TF32 {
		pairs = []uint32{4, 14}
	}
	out := make([][]Register, warps)
	for w := range out {
		out[w] = make([]Register, 1)
		for lane := range lanes {
			v := m.word()
			for i := 0; i < 32; i += 4 {
				out[w][0][lane] |= uint64(pairs[(v>>i&15)%uint32(len(pairs))] << i)
			}
		}
	}
	return out
}

type hexWord uint32

func (h *hexWord) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 32)
	*h = hexWord(v)
	return err
}

var wmmaForm = regexp.MustCompile(`^wmma\.mma\.sync\.aligned\.row\.col\.m(\d+)n(\d+)k(\d+)\.(\w+?)(?:\.(\w+)\.(\w+))?\.(\w+)$`)

// productNamed returns the product of an mma.sync or wmma.mma.
func productNamed(t *testing.T, instr string) *Product {
	m := wmmaForm.FindStringSubmatch(instr)
	if m == nil {
		return MMA(specOf(t, instr))
	}
	var s Spec
	s.M, _ = strconv.Atoi(m[1])
	s.N, _ = strconv.Atoi(m[2])
	s.K, _ = strconv.Atoi(m[3])
	s.D, _ = ParseElement(m[4])
	s.A, _ = ParseElement(m[5])
	s.B = s.A
	s.C, _ = ParseElement(m[7])
	return WMMA(s)
}

// TestProductsOfAnyBits replays products of operands near each other, denormal, far apart and not finite that an H200
// computed; testdata/products.json has the sums of the results' bytes (FNV-1a), as rows and element by element.
func TestProductsOfAnyBits(t *testing.T) {
	text, err := os.ReadFile("testdata/products.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Instr    string
			Seed     uint64
			KeepA    hexWord `json:"keep_a"`
			SetA     hexWord `json:"set_a"`
			KeepB    hexWord `json:"keep_b"`
			SetB     hexWord `json:"set_b"`
			KeepC    hexWord `json:"keep_c"`
			SetC     hexWord `json:"set_c"`
			Selector uint64
			Sum      string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	const warps = 2
	for _, c := range file.Cases {
		p := productNamed(t, c.Instr)
		m := mixer{c.Seed}
		a := m.registers(warps, p.a.Registers(), c.KeepA, c.SetA)
		b := m.registers(warps, p.b.Registers(), c.KeepB, c.SetB)
		acc := m.registers(warps, p.c.Registers(), c.KeepC, c.SetC)
		meta := m.metadata(warps, p.a.Element)
		for _, rows := range []bool{true, false} {
			if !rows {
				p.emit = nil
			}
			h := fnv.New64a()
			for w := range warps {
				src := append(append(append([]Register{}, a[w]...), b[w]...), acc[w]...)
				if p.sparse != nil {
					var selector Register
					for lane := range selector {
						selector[lane] = c.Selector
					}
					src = append(src, meta[w][0], selector)
				}
				dst := make([]Register, p.d.Registers())
				runWarp(p, src, dst)
				for lane := range lanes {
					for _, r := range dst {
						h.Write(binary.LittleEndian.AppendUint32(nil, uint32(r[lane])))
					}
				}
			}
			if got := fmt.Sprintf("%016x", h.Sum64()); got != c.Sum {
				t.Errorf("%s, seed %d, rows %v: other results than recorded", c.Instr, c.Seed, rows)
			}
		}
	}
}
