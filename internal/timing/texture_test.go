package timing

import (
	"math"
	"testing"

	"silica/internal/isa"
	"silica/internal/sass"
	pixels "silica/internal/texture"
)

// TestTextures fetches 256 times what a warp of an H200 fetched, and compares the sectors of each time (l1tex__t_sectors_pipe_tex_mem_texture), those
// that missed L1, the requests to L2 (lts__t_requests_srcunit_tex) and the turns of the unit (l1tex__f_wavefronts, l1tex__data_pipe_tex_wavefronts).
func TestTextures(t *testing.T) {
	_, m := h200(t)
	patterns := []func(lane, k int) (x, y int){
		func(lane, k int) (x, y int) { return lane + k%8*32, k / 8 },             // rows
		func(lane, k int) (x, y int) { return lane%8 + k%32*8, lane/8 + k/32*4 }, // tiles of 8 by 4
		func(lane, k int) (x, y int) { return k, lane },                          // columns
		func(_, k int) (x, y int) { return k, 0 },                                // one texel
	}
	for _, row := range table(t, "textures.csv") {
		bytes, filtered := int(row[1]), row[2] == 1
		format, channels := pixels.F32, bytes/4
		if bytes == 1 {
			format, channels = pixels.U8, 1
		}
		d := pixels.Descriptor{Format: format, Channels: channels, Width: 256, Height: 64}
		sampler, shift := pixels.Sampler{Integer: true}, float32(0.5)
		if filtered {
			sampler.Filter, shift = pixels.Linear, 0.75
		}
		sampler.Address = [3]pixels.AddressMode{pixels.Clamp, pixels.Clamp, pixels.Clamp}
		tex := pixels.NewTexture(pixels.New(d, 1, make([]byte, d.Bytes(1)+1<<12)), sampler)
		u := newMemory(m, newChip(m, NewFootprint(m.sms), 1, 1, held{}))
		op := &operation{inst: &sass.Inst{Op: sass.Lookup("TEX")}, kind: texture}
		w := &warp{stream: stream{trace: &warpTrace{}}, block: &residentBlock{}}
		const times = 256
		for k := range times {
			*w.trace = warpTrace{}
			var list []int32
			for lane := range 32 {
				x, y := patterns[int(row[0])](lane, k)
				var places []uint64
				tex.Sample(&pixels.Sample{At: [3]uint32{math.Float32bits(float32(x) + shift), math.Float32bits(float32(y) + shift)}, Places: &places})
				for i, place := range places {
					if lane == 0 {
						list = append(list, int32(i))
						w.trace.accesses = append(w.trace.accesses, access{far: int32(32 * i), mask: math.MaxUint32, bytes: uint16(bytes), space: isa.Tex})
						w.trace.far = append(w.trace.far, make([]uint64, 32)...)
					}
					w.trace.far[32*i+lane] = place
				}
			}
			u.texture(w, op, list, 0)
		}
		n := u.chip.counts
		for i, got := range []float64{n.textureHits + n.textureMisses, n.textureMisses, u.texBusy} {
			if want := row[3+i]; !near(got/times, want, []float64{0.02, 0.07, 0.13}[i]) {
				t.Errorf("%v: %s %.2f, an H200's %.2f", row[:3], []string{"sectors", "misses", "turns"}[i], got/times, want)
			}
		}
	}
}

// TestStores makes stores to a line, one after the other, and looks for what L1 and L2 see of them, as an H200's counters have them.
func TestStores(t *testing.T) {
	_, m := h200(t)
	for _, c := range []struct {
		name                    string
		do                      func(u *memory)
		hits, writes, loadsThat float64
	}{
		{"a line as a whole, and a load", func(u *memory) { u.store(1, sectorsOf(0, 1, 2, 3), true); u.load(100, sectorsOf(0), false, 0, true) }, 0, 4, 1},
		{"parts, and a load", func(u *memory) { u.store(0, sectorsOf(0, 1), false); u.load(100, sectorsOf(0), false, 0, true) }, 0, 2, 0},
		{"another sector of the line", func(u *memory) { u.store(0, sectorsOf(0), false); u.store(1000, sectorsOf(3), false) }, 1, 2, 0},
		{"the same while it waits", func(u *memory) { u.store(0, sectorsOf(0, 1), false); u.store(1, sectorsOf(0, 1), false) }, 2, 2, 0},
		{"the same later", func(u *memory) { u.store(0, sectorsOf(0, 1), false); u.store(1000, sectorsOf(0, 1), false) }, 2, 4, 0},
		{"a store to what was loaded", func(u *memory) { u.load(0, sectorsOf(0, 1), false, 0, true); u.store(2000, sectorsOf(0), false) }, 1, 1, 0},
	} {
		u := newMemory(m, newChip(m, NewFootprint(m.sms), 1, 1, held{}))
		c.do(u)
		if n := u.chip.counts; n.storeHits != c.hits || n.writes != c.writes || n.l1Hits != c.loadsThat {
			t.Errorf("%s: %.0f hits, %.0f sectors written, %.0f loads that hit; want %.0f, %.0f, %.0f", c.name, n.storeHits, n.writes, n.l1Hits, c.hits, c.writes, c.loadsThat)
		}
	}
}

// sectorsOf returns sectors of a line.
func sectorsOf(sectors ...uint64) []uint64 {
	for i := range sectors {
		sectors[i] += 1 << 20
	}
	return sectors
}
