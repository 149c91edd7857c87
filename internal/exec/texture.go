package exec

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"unsafe"

	"silica/internal/isa"
	"silica/internal/mem"
	"silica/internal/texture"
)

// Texture is what a warp's execution of an OpTexture instruction sees.
type Texture struct {
	Launch *Launch
	// Warp holds the lanes, the sources and the destinations, in the order of ir.Inst's.
	Warp isa.Warp
	// Addr is what stands first in each lane's brackets: a handle, or the address, in Space, of what holds one.
	Addr   [32]uint64
	Space  isa.Space
	Memory BlockMemory
	// Reached takes what the lanes reach of arrays and of memory under textures; nil when nobody asks.
	Reached *Reached
	places  []uint64
}

// TextureFunc executes an OpTexture instruction. It returns the first lane that faults, with its fault.
type TextureFunc func(x *Texture) (lane int, fault *Fault)

// TextureOf binds a form whose Op is OpTexture.
func TextureOf(f *isa.Form) TextureFunc {
	switch f.Opcode {
	case "tex", "tld4":
		return bindSample(f)
	case "txq", "suq":
		return bindQuery(f)
	case "istypep":
		return bindIsType(f)
	}
	return bindSurface(f)
}

// each runs an instruction lane by lane.
func each(do func(x *Texture, lane int) *Fault) TextureFunc {
	return func(x *Texture) (int, *Fault) {
		if x.Reached != nil {
			x.Reached.Accesses = x.Reached.Accesses[:0]
		}
		for mask := x.Warp.Active; mask != 0; mask &= mask - 1 {
			lane := bits.TrailingZeros32(mask)
			if fault := do(x, lane); fault != nil {
				return lane, fault
			}
		}
		return 0, nil
	}
}

// handle returns the handle that a reference stands for: a reference is a variable, whose memory the driver keeps the
// handle in, or a parameter. Handles are small, and no addresses.
func (x *Texture) handle(reference uint64, space isa.Space) (uint64, *Fault) {
	if space == isa.Generic && reference < isa.GlobalBase {
		return reference, nil
	}
	b, fault := x.Memory.Bytes(space, reference, 8, 8)
	if fault != nil {
		return 0, fault
	}
	return binary.LittleEndian.Uint64(b), nil
}

// badObject returns the fault of a handle that stands for nothing fit.
func badObject(handle uint64, err error) *Fault {
	return &Fault{Kind: IllegalAddress, Address: handle, Detail: err.Error()}
}

// operand is where values of an operand are among the sources.
type operand struct{ start, count int }

func operandOf(f *isa.Form, name string) operand {
	start, count := f.Source(name)
	return operand{start, count}
}

func (o operand) at(x *Texture, i, lane int) uint32 { return uint32(x.Warp.Src[o.start+i][lane]) }

// geometryOf returns the geometry of a form, whose row has no others than the package texture knows.
func geometryOf(f *isa.Form) texture.Geometry {
	g, _ := texture.ParseGeometry(f.Get("geom"))
	return g
}

// sampling is a tex or tld4 form, bound.
type sampling struct {
	geometry             texture.Geometry
	integer              bool
	coordinates, sampler operand
	level, offset        operand
	gradientX, gradientY operand
	component            int // of a gather, else -1
	half                 bool
	packed               bool
	registers            int // of the result
}

func bindSample(f *isa.Form) TextureFunc {
	s := &sampling{
		geometry: geometryOf(f), integer: f.Get("ctype") == ".s32",
		coordinates: operandOf(f, "c"), sampler: operandOf(f, "b"), level: operandOf(f, "lod"), offset: operandOf(f, "e"),
		gradientX: operandOf(f, "dPdx"), gradientY: operandOf(f, "dPdy"),
		component: strings.Index("rgba", strings.TrimPrefix(f.Get("comp"), ".")),
		half:      f.Get("dtype") == ".f16", packed: f.Has(".f16x2"), registers: 4,
	}
	if f.Get("comp") == "" {
		s.component = -1
	}
	if s.packed {
		s.registers = 2
	}
	return each(s.run)
}

// run samples for one lane.
func (s *sampling) run(x *Texture, lane int) *Fault {
	t, fault := s.texture(x, lane)
	if fault != nil {
		return fault
	}
	at := texture.Sample{Integer: s.integer, Exact: s.integer && s.level.count == 0 && s.offset.count == 0}
	first := 0
	if s.geometry.Layered() {
		at.Layer, first = s.coordinates.at(x, 0, lane), 1
	}
	for d := range s.geometry.Coordinates() {
		at.At[d] = s.coordinates.at(x, first+d, lane)
	}
	for d := range min(s.offset.count, len(at.Offset)) {
		at.Offset[d] = int(int32(s.offset.at(x, d, lane)))
	}
	at.Level = s.levelOf(t, x, lane)
	x.places = x.places[:0]
	if x.Reached != nil {
		at.Places, x.Reached.Bytes = &x.places, t.TexelBytes()
	}
	var value [4]uint32
	switch {
	case s.component >= 0:
		value = t.Gather(&at, s.component)
	case s.gradientX.count > 0:
		value = t.SampleGradients(&at, s.gradient(s.gradientX, x, lane), s.gradient(s.gradientY, x, lane))
	default:
		value = t.Sample(&at)
	}
	for i := range s.registers {
		v := value[i]
		switch {
		case s.packed:
			v = texture.Half(value[2*i]) | texture.Half(value[2*i+1])<<16
		case s.half:
			v = texture.Half(v)
		}
		x.Warp.Dst[i][lane] = uint64(v)
	}
	x.Warp.Dst[s.registers][lane] = 1 // all of every texture is resident
	for k, addr := range x.places {
		x.Reached.add(k, lane, addr)
	}
	return nil
}

// texture returns the texture that a lane samples, with the sampler that it names.
func (s *sampling) texture(x *Texture, lane int) (*texture.Texture, *Fault) {
	handle, fault := x.handle(x.Addr[lane], x.Space)
	if fault != nil {
		return nil, fault
	}
	t, err := x.Launch.Objects.Texture(handle, s.geometry)
	if err != nil {
		return nil, badObject(handle, err)
	}
	if s.sampler.count == 0 {
		return t, nil
	}
	if handle, fault = x.handle(x.Warp.Src[s.sampler.start][lane], isa.Generic); fault != nil {
		return nil, fault
	}
	o, err := x.Launch.Objects.Any(handle)
	switch {
	case err != nil:
		return nil, badObject(handle, err)
	case o.Sampler != nil:
		return t.With(*o.Sampler), nil
	case o.Texture != nil:
		return t.With(o.Texture.Sampler), nil
	}
	return t, nil
}

// gradient returns the change of a lane's coordinates in one direction.
func (s *sampling) gradient(o operand, x *Texture, lane int) (step [3]float32) {
	for d := range min(s.geometry.Coordinates(), o.count) {
		step[d] = math.Float32frombits(o.at(x, d, lane))
	}
	return step
}

// levelOf returns the level of detail that a lane asks for, that of gradients aside.
func (s *sampling) levelOf(t *texture.Texture, x *Texture, lane int) int {
	switch {
	case s.level.count > 0 && s.integer:
		return int(int32(s.level.at(x, 0, lane))) << texture.LevelBits
	case s.level.count > 0:
		return t.LevelOf(math.Float32frombits(s.level.at(x, 0, lane)))
	}
	return t.BaseLevel()
}

// bindQuery binds txq and suq.
func bindQuery(f *isa.Form) TextureFunc {
	query := f.Get("query")[1:]
	level := operandOf(f, "lod")
	return each(func(x *Texture, lane int) *Fault {
		handle, fault := x.handle(x.Addr[lane], x.Space)
		if fault != nil {
			return fault
		}
		o, err := x.Launch.Objects.Any(handle)
		if err != nil {
			return badObject(handle, err)
		}
		l := uint32(0)
		if level.count > 0 {
			l = level.at(x, 0, lane)
		}
		x.Warp.Dst[0][lane] = uint64(o.Query(query, l))
		return nil
	})
}

// bindIsType binds istypep: whether an address is that of a variable of the type. A handle is none, as an H200 answers.
func bindIsType(f *isa.Form) TextureFunc {
	want := isa.ParseType(f.Get("type"))
	return each(func(x *Texture, lane int) *Fault {
		is := uint64(0)
		for i, g := range x.Launch.Kernel.Module.Globals {
			if g.Type == want && x.Launch.Symbols[i] == x.Warp.Src[0][lane] {
				is = 1
			}
		}
		x.Warp.Dst[0][lane] = is
		return nil
	})
}

// surfacing is a suld, sust or sured form, bound.
type surfacing struct {
	geometry    texture.Geometry
	outside     texture.Outside
	coordinates operand
	values      operand
	element     int // bytes
	vector      int
	// combine reduces elements; of formatted ones the surface's format tells whether they have a sign.
	combine, combineSigned isa.CombineFunc
}

func bindSurface(f *isa.Form) TextureFunc {
	s := &surfacing{
		geometry: geometryOf(f), coordinates: operandOf(f, "b"), values: operandOf(f, "c"), vector: 1,
		outside: map[string]texture.Outside{".trap": texture.OutsideTrap, ".clamp": texture.OutsideClamp, ".zero": texture.OutsideZero}[f.Get("mode")],
		element: isa.ParseType(f.Get("dtype")).Bytes(),
	}
	if v := f.Get("vec"); v != "" {
		s.vector = int(v[len(v)-1] - '0')
	}
	switch {
	case f.Opcode == "suld":
		return each(s.load)
	case f.Opcode == "sured":
		s.combine = reduction(f, isa.ParseType(f.Get("dtype")))
		if f.Has(".p") {
			s.combine, s.combineSigned = reduction(f, integerType(s.element, false)), reduction(f, integerType(s.element, true))
			return each(s.reduceTexel)
		}
		return each(s.reduce)
	case f.Has(".p"):
		return each(s.storeTexel)
	}
	return each(s.store)
}

// reduction returns how a sured form combines elements of a type.
func reduction(f *isa.Form, t isa.Type) isa.CombineFunc {
	return isa.CombineOf(f.Get("op"), t, isa.Global)
}

// integerType returns the integer type of 4 or 8 bytes.
func integerType(bytes int, signed bool) isa.Type {
	switch {
	case bytes == 8 && signed:
		return isa.S64
	case bytes == 8:
		return isa.U64
	case signed:
		return isa.S32
	}
	return isa.U32
}

// place returns the surface and the place of a lane.
func (s *surfacing) place(x *Texture, lane int) (*texture.Surface, texture.Place, *Fault) {
	handle, fault := x.handle(x.Addr[lane], x.Space)
	if fault != nil {
		return nil, texture.Place{}, fault
	}
	surface, err := x.Launch.Objects.Surface(handle, s.geometry)
	if err != nil {
		return nil, texture.Place{}, badObject(handle, err)
	}
	var p texture.Place
	first := 0
	if s.geometry.Layered() {
		p.Layer, first = s.coordinates.at(x, 0, lane), 1
	}
	for d := range s.geometry.Coordinates() {
		*[...]*int32{&p.X, &p.Y, &p.Z}[d] = int32(s.coordinates.at(x, first+d, lane))
	}
	return surface, p, nil
}

// bytes returns the bytes of a lane's access, nil when it has none.
func (s *surfacing) bytes(x *Texture, lane int) ([]byte, *Fault) {
	surface, p, fault := s.place(x, lane)
	if fault != nil {
		return nil, fault
	}
	n := s.element * s.vector
	if int(p.X)%n != 0 {
		return nil, Misaligned(uint64(uint32(p.X)), n)
	}
	b, access := surface.Bytes(p, n, s.outside)
	x.reach(surface, lane, b)
	return b, trapped(access, p)
}

// reach notes the bytes of a surface that a lane reaches.
func (x *Texture) reach(surface *texture.Surface, lane int, b []byte) {
	if x.Reached != nil && b != nil {
		x.Reached.Bytes = len(b)
		x.Reached.add(0, lane, surface.Place(b))
	}
}

// trapped returns the fault of an access that was outside and traps.
func trapped(access texture.Access, p texture.Place) *Fault {
	if access != texture.Trapped {
		return nil
	}
	return &Fault{Kind: IllegalAddress, Address: uint64(uint32(p.X)), Detail: "outside the surface: " + p.String()}
}

func (s *surfacing) load(x *Texture, lane int) *Fault {
	b, fault := s.bytes(x, lane)
	for i := range s.vector {
		x.Warp.Dst[i][lane] = 0
		if b != nil {
			x.Warp.Dst[i][lane] = loadElement(b[i*s.element:], s.element)
		}
	}
	return fault
}

func (s *surfacing) store(x *Texture, lane int) *Fault {
	b, fault := s.bytes(x, lane)
	if b == nil {
		return fault
	}
	for i := range s.vector {
		storeElement(b[i*s.element:], s.element, x.Warp.Src[s.values.start+i][lane])
	}
	return nil
}

func (s *surfacing) reduce(x *Texture, lane int) *Fault {
	b, fault := s.bytes(x, lane)
	if b != nil {
		mem.Update(unsafe.Pointer(&b[0]), s.element, s.combine, x.Warp.Src[s.values.start][lane], 0)
	}
	return fault
}

func (s *surfacing) storeTexel(x *Texture, lane int) *Fault {
	surface, p, fault := s.place(x, lane)
	if fault != nil {
		return fault
	}
	b, access := surface.Texel(p, s.outside)
	x.reach(surface, lane, b)
	if b == nil {
		return trapped(access, p)
	}
	var values [4]uint32
	for i := range s.vector {
		values[i] = s.values.at(x, i, lane)
	}
	surface.Store(b, values[:s.vector])
	return nil
}

func (s *surfacing) reduceTexel(x *Texture, lane int) *Fault {
	surface, p, fault := s.place(x, lane)
	if fault != nil {
		return fault
	}
	b, access := surface.Texel(p, s.outside)
	x.reach(surface, lane, b)
	if b == nil || len(b) < s.element {
		return trapped(access, p)
	}
	combine := s.combine
	if surface.Format == texture.S32 {
		combine = s.combineSigned
	}
	mem.Update(unsafe.Pointer(&b[0]), s.element, combine, x.Warp.Src[s.values.start][lane], 0)
	return nil
}

// Reached is the memory that the lanes of a warp reach in an instruction: of a sample, that of one texel of each lane after the other.
type Reached struct {
	Bytes    int
	Accesses []LaneAddresses
}

// LaneAddresses are the addresses of some lanes.
type LaneAddresses struct {
	Mask uint32
	Addr [32]uint64
}

// add enters the address of a lane's k-th texel; 0 for one that is in no memory.
func (r *Reached) add(k, lane int, addr uint64) {
	if k == len(r.Accesses) {
		r.Accesses = append(r.Accesses, LaneAddresses{})
	}
	if addr != 0 {
		r.Accesses[k].Mask |= 1 << lane
		r.Accesses[k].Addr[lane] = addr
	}
}

// Each calls f with an access for each texel of a lane.
func (r *Reached) Each(x *Access, f func(*Access)) {
	x.Space, x.Bytes, x.Times = isa.Tex, r.Bytes, 1
	for i := range r.Accesses {
		if a := &r.Accesses[i]; a.Mask != 0 {
			x.Mask, x.Addr = a.Mask, &a.Addr
			f(x)
		}
	}
}
