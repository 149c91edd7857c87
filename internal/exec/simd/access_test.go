package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// accessCase is one access of a gang: the kernel and its shape, and addresses of every kind.
type accessCase struct {
	*bench
	rng           *rand.Rand
	name          string
	store, narrow bool
	elem, count   int
	address       operand
	registers     []operand
	memory        []byte
	start         uint64 // of the region
	offset        uint64
	patterns      [1][gangWarps]pattern
	regions       [1]region
	illegal       int // the first warp with an illegal access; warps when there is none
}

// TestAccessKernels compares loads and stores of every shape with the same made lane by lane: uniform, contiguous and
// scattered addresses, halves of them, lanes that do not run, and regions that end in between.
func TestAccessKernels(t *testing.T) {
	eachUnit(t, func(t *testing.T, u *vectorUnit) {
		for name := range u.kernels {
			if !strings.HasPrefix(name, "load ") && !strings.HasPrefix(name, "store ") {
				continue
			}
			t.Run(name, func(t *testing.T) {
				for seed := range uint64(200) {
					c := newAccessCase(t, u, name, seed)
					c.check(t)
				}
			})
		}
	})
}

func newAccessCase(t *testing.T, u *vectorUnit, name string, seed uint64) *accessCase {
	c := &accessCase{bench: newBench(u, 3), rng: rand.New(rand.NewPCG(seed, 1)), name: name}
	var kind string
	var width int
	if _, err := fmt.Sscanf(name, "%s %dx%d at %d", &kind, &c.elem, &c.count, &width); err != nil {
		t.Fatal(err)
	}
	c.store, c.narrow = kind == "store", width == 32
	c.address = c.operand(uint8(width))
	for range c.count {
		c.registers = append(c.registers, c.operand(uint8(max(c.elem*8, 32))))
	}
	for i := range c.words {
		c.words[i] = c.rng.Uint64()
	}
	words := alignedWords(1024)
	c.memory = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	for i := range c.memory {
		c.memory[i] = byte(c.rng.Uint32())
	}
	c.start = uint64(c.rng.IntN(1<<10)) * 256
	c.offset = uint64(int64(c.rng.IntN(5)-2) * int64(c.elem*c.count))
	size := len(c.memory)
	if c.rng.IntN(3) == 0 {
		size = c.rng.IntN(size/8) / c.elem * c.elem
	}
	c.memory = c.memory[:size]
	c.regions[0] = region{c.start, uint64(size), uintptr(unsafe.Pointer(&words[0]))}
	c.machine.regions, c.machine.patterns = unsafe.Pointer(&c.regions), unsafe.Pointer(&c.patterns)
	c.setLanes(c.rng)
	for w := range c.warps {
		c.addressWarp(w)
	}
	return c
}

// addressWarp gives the lanes of a warp addresses.
func (c *accessCase) addressWarp(w int) {
	bytes := c.elem * c.count
	anywhere := func() uint64 { return c.start + uint64(c.rng.IntN(max(len(c.memory), 1))/bytes*bytes) - c.offset }
	if c.rng.IntN(10) == 0 {
		anywhere = func() uint64 { return c.start + uint64(c.rng.IntN(9000)) - 200 }
	}
	kind := func() func(lane int) uint64 {
		base := anywhere()
		switch c.rng.IntN(3) {
		case 0:
			return func(int) uint64 { return base }
		case 1:
			return func(lane int) uint64 { return base + uint64(lane*bytes) }
		}
		return func(int) uint64 { return anywhere() }
	}
	low := kind()
	high := low
	if c.rng.IntN(2) == 0 {
		second := kind()
		high = func(lane int) uint64 { return second(lane - 16) }
	}
	for lane := range 32 {
		v := low(lane)
		if lane >= 16 {
			v = high(lane)
		}
		if c.machine.masks[w]>>lane&1 == 0 && c.rng.IntN(2) == 0 {
			v = c.rng.Uint64() // not looked at
		}
		c.setLane(c.address, w*32+lane, v)
	}
}

func (c *accessCase) value(p []byte) (v uint64) {
	for i := range c.elem {
		v |= uint64(p[i]) << (8 * i)
	}
	return v
}

// expect makes the accesses one by one, up to the first warp with an illegal one.
func (c *accessCase) expect() (words []uint64, memory []byte) {
	after := c.words
	words, memory = slices.Clone(c.words), slices.Clone(c.memory)
	c.words, c.machine.frame = words, unsafe.Pointer(&words[0])
	defer func() { c.words, c.machine.frame = after, unsafe.Pointer(&after[0]) }()
	bytes := uint64(c.elem * c.count)
	at := func(l int) (uint64, bool) {
		addr := c.lane(c.address, l) + c.offset
		if c.narrow {
			addr = uint64(uint32(addr))
		}
		off := addr - c.start
		return off, addr%bytes == 0 && off < uint64(len(memory)) && bytes <= uint64(len(memory))-off
	}
	for c.illegal = 0; c.illegal < c.warps; c.illegal++ {
		for lane := range 32 {
			if _, ok := at(c.illegal*32 + lane); !ok && c.machine.masks[c.illegal]>>lane&1 != 0 {
				return words, memory
			}
		}
		for lane := range 32 {
			l := c.illegal*32 + lane
			if c.machine.masks[c.illegal]>>lane&1 == 0 {
				continue
			}
			off, _ := at(l)
			for i, r := range c.registers {
				p := memory[off+uint64(i*c.elem):]
				if !c.store {
					c.setLane(r, l, c.value(p))
					continue
				}
				v := c.lane(r, l)
				for j := range c.elem {
					p[j] = byte(v >> (8 * j))
				}
			}
		}
	}
	return words, memory
}

// checkPatterns checks that patterns give the addresses of the lanes that run.
func (c *accessCase) checkPatterns(t *testing.T) {
	t.Helper()
	stride := uint64(c.elem * c.count)
	for l := range c.warps * 32 {
		w, lane := l/32, uint64(l%32)
		p := c.patterns[0][w]
		if p.kind == 0 || c.machine.masks[w]>>lane&1 == 0 {
			continue
		}
		want, ascends := p.base, p.kind == 2
		if p.kind >= 4 {
			ascends = p.kind>>(lane/16)&1 != 0
			if lane >= 16 {
				want = p.high
			}
			lane %= 16
		}
		if ascends {
			want += lane * stride
		}
		if c.narrow {
			want = uint64(uint32(want))
		}
		if got := c.lane(c.address, l); got != want {
			t.Fatalf("lane %d of warp %d has address %x, pattern %+v", l%32, w, got, p)
		}
	}
}

func (c *accessCase) check(t *testing.T) {
	t.Helper()
	words, memory := c.expect()
	pattern := c.unit.kernels["pattern 64"][0]
	if c.narrow {
		pattern = c.unit.kernels["pattern 32"][0]
	}
	if !c.run(step{code: pattern.code, a: uint32(c.address.offset), imm: uint64(c.elem * c.count)}) {
		t.Fatal("the pattern kernel stopped")
	}
	c.checkPatterns(t)
	s := step{code: c.unit.kernels[c.name][0].code, a: uint32(c.address.offset), imm: c.offset}
	for i, at := range []*uint32{&s.d, &s.b, &s.c, &s.e} {
		if i < len(c.registers) {
			*at = uint32(c.registers[i].offset)
		}
	}
	where := fmt.Sprintf("%d bytes at %x, offset %d, masks %08x, patterns %+v", len(c.memory), c.start, int64(c.offset), c.machine.masks[:3], c.patterns[0][:3])
	switch done := c.run(s); {
	case !done && c.illegal == c.warps:
		t.Fatalf("stopped at warp %d of a legal access to %s", c.machine.warp, where)
	case done && c.illegal < c.warps:
		t.Fatalf("did not stop at warp %d of an illegal access to %s", c.illegal, where)
	case !done && c.machine.warp != uint64(c.illegal):
		t.Fatalf("stopped at warp %d, want %d, of an access to %s", c.machine.warp, c.illegal, where)
	}
	if !slices.Equal(words, c.words) {
		t.Fatalf("registers differ after an access to %s", where)
	}
	if !slices.Equal(memory, c.memory) {
		t.Fatalf("memory differs after an access to %s", where)
	}
}
