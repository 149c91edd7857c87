package mma

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"silica/internal/fp"
)

// recorded is the suite that an H200 recorded. The test fails when it is missing.
const recorded = "../../../shared/conformance"

type recordedCase struct {
	ID, Instr string
	Params    []struct {
		Dir          string
		Data, Expect *struct {
			Offset, Bytes int
			Type          string
		}
	}
}

func readFamily(t *testing.T, family string) (cases []recordedCase, data []byte) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(recorded, family+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(list, &cases); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(filepath.Join(recorded, family+".bin")); err != nil {
		t.Fatal(err)
	}
	return cases, data
}

var mmaForm = regexp.MustCompile(`^mma(\.sp(?:::ordered_metadata)?)?\.sync\.aligned\.m(\d+)n(\d+)k(\d+)\.(row|col)\.(row|col)(\.r[nzmp])?(\.satfinite)?\.(\w+)\.(\w+)\.(\w+)\.(\w+?)(\.(?:xor|and)\.popc)?$`)

// specOf reads the name of an mma.sync.
func specOf(t *testing.T, instr string) Spec {
	t.Helper()
	m := mmaForm.FindStringSubmatch(instr)
	if m == nil {
		t.Fatalf("%s is not understood", instr)
	}
	s := Spec{Sparse: m[1] != "", ColumnA: m[5] == "col", RowB: m[6] == "row", Saturate: m[8] != "", And: strings.HasPrefix(m[13], ".and")}
	s.M, _ = strconv.Atoi(m[2])
	s.N, _ = strconv.Atoi(m[3])
	s.K, _ = strconv.Atoi(m[4])
	s.Mode = map[string]fp.Mode{".rz": fp.RZ, ".rm": fp.RM, ".rp": fp.RP}[m[7]]
	for i, e := range []*Element{&s.D, &s.A, &s.B, &s.C} {
		var ok bool
		if *e, ok = ParseElement(m[9+i]); !ok {
			t.Fatalf("%s: element type %s", instr, m[9+i])
		}
	}
	return s
}

// registersOf reads the registers of a warp: those of each lane lie together.
func registersOf(b []byte, warp, n, bytes int) []Register {
	out := make([]Register, n)
	for lane := range lanes {
		for r := range n {
			at := b[((warp*lanes+lane)*n+r)*bytes:]
			if bytes == 8 {
				out[r][lane] = binary.LittleEndian.Uint64(at)
			} else {
				out[r][lane] = uint64(binary.LittleEndian.Uint32(at))
			}
		}
	}
	return out
}

// TestRecordedProducts compares every bit of the recorded mma.sync, of which the rules ask less, as rows and
// element by element.
func TestRecordedProducts(t *testing.T) {
	for _, family := range []string{"mma_float", "mma_int", "mma_sparse", "mma_probe"} {
		cases, data := readFamily(t, family)
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) {
				p := MMA(specOf(t, c.Instr))
				var buffers [][]byte
				for _, q := range c.Params {
					if q.Data != nil {
						buffers = append(buffers, data[q.Data.Offset:][:q.Data.Bytes])
					} else if q.Expect != nil {
						buffers = append(buffers, data[q.Expect.Offset:][:q.Expect.Bytes])
					}
				}
				replay(t, c, p, buffers)
				if p.Chains() {
					p.emit = nil
					replay(t, c, p, buffers)
				}
			})
		}
	}
}

func replay(t *testing.T, c recordedCase, p *Product, buffers [][]byte) {
	t.Helper()
	fragments := []*Fragment{p.a, p.b, p.c}
	want := buffers[len(buffers)-1]
	n := p.d.Registers()
	size := max(p.d.Element.Bits(), 32) / 8
	wrong := 0
	for warp := range len(want) / (lanes * n * size) {
		var src []Register
		for i, f := range fragments {
			src = append(src, registersOf(buffers[i], warp, f.Registers(), max(f.Element.Bits(), 32)/8)...)
		}
		if p.sparse != nil {
			selector, _ := strconv.Atoi(regexp.MustCompile(`selector (\d)`).FindStringSubmatch(c.ID)[1])
			src = append(src, registersOf(buffers[3], warp, 1, 4)...)
			src = append(src, Register{})
			for lane := range lanes {
				src[len(src)-1][lane] = uint64(selector)
			}
		}
		dst := make([]Register, n)
		runWarp(p, src, dst)
		for r, expect := range registersOf(want, warp, n, size) {
			for lane := range lanes {
				if dst[r][lane] != expect[lane] {
					if wrong == 0 {
						t.Errorf("warp %d, register %d, lane %d: 0x%x, want 0x%x", warp, r, lane, dst[r][lane], expect[lane])
					}
					wrong++
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d registers differ", wrong)
	}
}
