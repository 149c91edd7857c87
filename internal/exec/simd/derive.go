package simd

import (
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"silica/internal/amd64"
	"silica/internal/ir"
	"silica/internal/isa"
)

// address is what a register of 64 bits holds that only addresses are made of: a constant, parameters, and a register of 32 bits, extended, so many
// times. Native code of a whole kernel does not compute it, but accesses memory by what it is made of.
type address struct {
	register operand // that holds it
	lane     operand // of 32 bits
	unsigned bool    // how it is extended
	factor   int32
	cells    []int // where parameters are
	constant uint64
	after    int // the work that computes the address that it follows from, -1 for none
}

// derivation is what native code of a whole kernel knows instead of computing it: registers that hold parameters, which are read where parameters are,
// and those that only addresses are made of. Both are named by the work that writes them, as a row may be that of several registers.
type derivation struct {
	list      []work
	numbers   [][]int // works of the segments
	flow      *flow
	cells     map[int]int // where parameters are
	addresses map[int]*address
	guesses   map[int]*address // those that something else may read as well
	// defs are the works that write a row; reaching are those of them, by their bits, of which a row may have the value at the start of a segment.
	defs     map[int][]int
	kept     map[int]operand // the registers that addresses follow from and that have other values later, by what computes the address: copies are kept
	reaching []map[int]uint64
	constant map[int]uint64
}

const (
	// paramCells is how many words of parameters native code of whole kernels has at hand.
	paramCells = 64
	// firstCell is behind all rows of frames: native code reads parameters as rows from there on.
	firstCell = 1 << 24
	// spareRows is how many rows there are for copies.
	spareRows = 8
	// manyDefs is the number of works that write a row from which on they are not told apart.
	manyDefs = 63
)

// derive finds the derivation of a flow's work and takes from it what need not be done.
func derive(f *flow, list []work, numbers [][]int) *derivation {
	d := &derivation{list: list, numbers: numbers, flow: f, cells: map[int]int{}, addresses: map[int]*address{}, kept: map[int]operand{}, defs: map[int][]int{}, constant: map[int]uint64{}}
	for _, k := range f.fn.consts {
		if k.Kind == ir.ConstValue && k.row.bits <= 64 && k.row.bits > 1 {
			d.constant[k.row.offset] = k.Value
		}
	}
	for i := range list {
		for _, o := range list[i].writes() {
			d.defs[o.offset] = append(d.defs[o.offset], i)
		}
	}
	d.findReaching()
	d.findCells()
	d.findAddresses()
	for i := range d.cells {
		if !list[i].reported {
			list[i].kind = describes
		}
	}
	for i, x := range d.addresses {
		if from, ok := d.kept[i]; ok {
			list[i].kernel, list[i].dst, list[i].srcs = f.program.move32(), x.lane, []operand{from}
			continue
		}
		list[i].kind = describes
	}
	return d
}

// move32 returns the kernel that copies 32 bits.
func (p *program) move32() kernel {
	i := slices.IndexFunc(p.unit.kernels["mov"], func(k kernel) bool { return k.shape.d == 32 && k.shape.src[0] == 32 })
	return p.unit.kernels["mov"][i]
}

// writes returns the registers that the work writes, but for predicates.
func (w *work) writes() (list []operand) {
	var all []operand
	switch {
	case w.kind == computes || w.kind == exchanges:
		all = []operand{w.dst}
	case w.kind == calls || w.kind == accesses && !w.store:
		all = w.rows
	}
	for _, o := range all {
		if o.bits != 1 && o.offset >= 0 {
			list = append(list, o)
		}
	}
	return list
}

// bit returns the bit of a work among those that write its row.
func (d *derivation) bit(row, i int) uint64 { return 1 << min(slices.Index(d.defs[row], i), manyDefs) }

// only returns the work that alone may have written what a row has; false when there are several, or none.
func (d *derivation) only(row int, reaching map[int]uint64) (i int, ok bool) {
	set := reaching[row]
	if n := bits.TrailingZeros64(set); set != 0 && set&(set-1) == 0 && n < manyDefs {
		return d.defs[row][n], true
	}
	return 0, false
}

// pass takes what reaches a work to behind it.
func (d *derivation) pass(i int, reaching map[int]uint64) {
	for _, o := range d.list[i].writes() {
		if bit := d.bit(o.offset, i); d.list[i].guarded {
			reaching[o.offset] |= bit
		} else {
			reaching[o.offset] = bit
		}
	}
}

// findReaching finds what reaches the segments.
func (d *derivation) findReaching() {
	for range d.numbers {
		d.reaching = append(d.reaching, map[int]uint64{})
	}
	for changed := true; changed; {
		changed = false
		for i, numbers := range d.numbers {
			out := maps.Clone(d.reaching[i])
			for _, n := range numbers {
				d.pass(n, out)
			}
			for _, to := range d.flow.segments[i].ways() {
				for row, set := range out {
					if in := d.reaching[to]; in[row]|set != in[row] {
						in[row] |= set
						changed = true
					}
				}
			}
		}
	}
}

// ways returns the segments that lanes go to.
func (x *flowSegment) ways() (list []int) {
	if x.next != ends {
		list = append(list, x.next)
	}
	if x.ending == branches {
		list = append(list, x.target)
	}
	return list
}

// eachWork calls visit for all works with what reaches them.
func (d *derivation) eachWork(visit func(i int, w *work, reaching map[int]uint64)) {
	for segment, numbers := range d.numbers {
		reaching := maps.Clone(d.reaching[segment])
		for _, i := range numbers {
			visit(i, &d.list[i], reaching)
			d.pass(i, reaching)
		}
	}
}

// eachSource calls visit for the operands that the work reads, but for the base of addresses.
func (w *work) eachSource(visit func(o *operand)) {
	list := w.srcs
	if w.kind == accesses {
		list = nil
		if w.store {
			list = w.rows
		}
	}
	for i := range list {
		if list[i].bits != 1 && list[i].offset >= 0 {
			visit(&list[i])
		}
	}
}

// findCells finds the registers that hold parameters, and has those that read them read these.
func (d *derivation) findCells() {
	for i := range d.list {
		w := &d.list[i]
		if w.guarded || !w.isParameter() {
			continue
		}
		at, bytes := int(w.mem.offset), w.mem.bytes
		if w.rows[0].bits == 8*bytes && bytes >= 4 && at%bytes == 0 && at+bytes <= min(d.flow.program.kernel.ParamBytes, 8*paramCells) {
			d.cells[i] = at
		}
	}
	// Those are none that share their reader with others, or are read as what they are not.
	d.eachWork(func(_ int, w *work, reaching map[int]uint64) {
		drop := func(row int) {
			for n, i := range d.defs[row] {
				if reaching[row]>>min(n, manyDefs)&1 != 0 {
					delete(d.cells, i)
				}
			}
		}
		for _, o := range w.writes() {
			if w.guarded {
				drop(o.offset)
			}
		}
		if w.kind == calls { // the step reads its operands where they are
			w.eachSource(func(o *operand) { drop(o.offset) })
		}
		if w.kind == accesses && w.mem.base.offset >= 0 {
			drop(w.mem.base.offset)
		}
		w.eachSource(func(o *operand) {
			if i, ok := d.only(o.offset, reaching); !ok || d.list[i].kind == accesses && d.list[i].rows[0].bits != o.bits {
				drop(o.offset)
			}
		})
	})
	d.eachWork(func(_ int, w *work, reaching map[int]uint64) {
		w.srcs, w.rows = slices.Clone(w.srcs), slices.Clone(w.rows)
		if w.kind == calls {
			return
		}
		w.eachSource(func(o *operand) {
			if i, ok := d.only(o.offset, reaching); ok {
				if at, ok := d.cells[i]; ok {
					o.offset = firstCell + at
				}
			}
		})
	})
}

// findAddresses finds the registers that only addresses are made of.
func (d *derivation) findAddresses() {
	d.guessAddresses()
	d.guesses = maps.Clone(d.addresses)
	for d.dropAddresses() {
	}
	d.eachWork(func(_ int, w *work, reaching map[int]uint64) {
		if w.kind == accesses && w.mem.base.offset >= 0 {
			w.address = d.of(w.mem.base, reaching)
		}
	})
}

// of returns the address that a register holds, nil for others.
func (d *derivation) of(o operand, reaching map[int]uint64) *address {
	if i, ok := d.only(o.offset, reaching); ok && o.bits == 64 {
		return d.addresses[i]
	}
	return nil
}

// guessAddresses finds the registers that hold what addresses are made of.
func (d *derivation) guessAddresses() {
	for changed := true; changed; {
		changed = false
		d.eachWork(func(i int, w *work, reaching map[int]uint64) {
			if w.kind != computes || w.guarded || w.dst.bits != 64 || d.addresses[i] != nil {
				return
			}
			if x := d.compute(w, reaching); x != nil {
				x.register, x.after = w.dst, -1
				w.eachSource(func(o *operand) {
					if def, ok := d.only(o.offset, reaching); ok && d.addresses[def] != nil {
						x.after = def
					}
				})
				d.addresses[i], changed = x, true
			}
		})
	}
}

// dropAddresses forgets those that something else reads, or that are read where the register that they follow from may have another value; false when
// there are none.
func (d *derivation) dropAddresses() (dropped bool) {
	available := d.findAvailable()
	for segment, numbers := range d.numbers {
		reaching, here := maps.Clone(d.reaching[segment]), maps.Clone(available[segment])
		for _, i := range numbers {
			w := &d.list[i]
			check := func(o operand, alone bool) {
				for n, def := range d.defs[o.offset] {
					if d.addresses[def] == nil || reaching[o.offset]>>min(n, manyDefs)&1 == 0 {
						continue
					}
					only, ok := d.only(o.offset, reaching)
					if alone && ok && only == def && o.bits == 64 && (here[def] || d.keep(def)) {
						continue
					}
					delete(d.addresses, def)
					dropped = true
				}
			}
			x := d.addresses[i]
			if g := d.guesses[i]; g != nil && g.after >= 0 && !here[g.after] { // it does not follow from what the register is now
				delete(d.guesses, i)
				delete(d.addresses, i)
				dropped, x = true, nil
			}
			w.eachSource(func(o *operand) { check(*o, x != nil) })
			if w.kind == accesses {
				check(w.mem.base, true)
			}
			for _, o := range w.writes() {
				if w.guarded {
					check(o, false)
				}
			}
			d.pass(i, reaching)
			d.passAvailable(i, here)
		}
	}
	return dropped
}

// keep has a copy kept of what an address follows from, while there is room.
func (d *derivation) keep(def int) bool {
	x := d.guesses[def]
	if _, ok := d.kept[def]; ok || x == nil || len(d.kept) == spareRows {
		return ok
	}
	from, to := x.lane, x.lane
	to.offset = d.flow.fn.spare + len(d.kept)*d.flow.program.warps*rowBytes
	d.kept[def], x.lane = from, to
	// Those that follow from it follow from the copy.
	for i, y := range d.guesses {
		switch {
		case !d.follows(y, def):
		case d.kept[i] == from:
			d.kept[i] = to
		case y.lane == from:
			y.lane = to
		}
	}
	return true
}

// follows tells whether an address is made of one that a work computes.
func (d *derivation) follows(x *address, def int) bool {
	for x != nil && x.after >= 0 && x.after != def {
		x = d.guesses[x.after]
	}
	return x != nil && x.after == def
}

// passAvailable takes the addresses that follow from registers as they are to behind a work.
func (d *derivation) passAvailable(i int, here map[int]bool) {
	for _, o := range d.list[i].writes() {
		for def := range here {
			if g := d.guesses[def]; g == nil || g.lane.offset == o.offset {
				delete(here, def)
			}
		}
	}
	if x := d.guesses[i]; x != nil && x.lane.offset != d.list[i].dst.offset {
		here[i] = true
	}
}

// findAvailable finds the addresses that follow, at the start of each segment, from registers as they are there, whatever way lanes came.
func (d *derivation) findAvailable() []map[int]bool {
	in := make([]map[int]bool, len(d.numbers)) // nil where no way has been found
	in[0] = map[int]bool{}
	for changed := true; changed; {
		changed = false
		for i, numbers := range d.numbers {
			if in[i] == nil {
				continue
			}
			out := maps.Clone(in[i])
			for _, n := range numbers {
				d.passAvailable(n, out)
			}
			for _, to := range d.flow.segments[i].ways() {
				if in[to] == nil {
					in[to], changed = maps.Clone(out), true
					continue
				}
				before := len(in[to])
				maps.DeleteFunc(in[to], func(def int, _ bool) bool { return !out[def] })
				changed = changed || len(in[to]) != before
			}
		}
	}
	return in
}

// Bodies of the kernels that addresses are computed with.
const (
	moveBody         = "VMOVDQA64 a, d"
	addBody          = "VPADDQ b, a, d"
	shiftBody        = "VPMOVZXDQ b, t0; VPSLLVQ t0, a, d"
	signedBody       = "VPMOVSXDQ a, d"
	unsignedBody     = "VPMOVZXDQ a, d"
	signedProduct    = "VPMOVSXDQ a, a.full; VPMOVSXDQ b, b.full; VPMULDQ b.full, a.full, d"
	unsignedProduct  = "VPMOVZXDQ a, a.full; VPMOVZXDQ b, b.full; VPMULUDQ b.full, a.full, d"
	productAddedTail = "; VPADDQ c, d, d"
)

// compute returns what an instruction computes from what is known, nil when that is no address.
func (d *derivation) compute(w *work, reaching map[int]uint64) *address {
	a, b := w.srcs[0], operand{offset: -1}
	if len(w.srcs) > 1 {
		b = w.srcs[1]
	}
	switch w.kernel.body {
	case moveBody:
		if x := d.of(a, reaching); x != nil {
			return x.plus(0)
		}
	case signedBody, unsignedBody:
		if w.kernel.shape.src[0] == 32 && a.offset < firstCell {
			return &address{lane: a, unsigned: w.kernel.body == unsignedBody, factor: 1}
		}
	case signedProduct, unsignedProduct:
		return d.product(a, b, w.kernel.body == unsignedProduct)
	case signedProduct + productAddedTail, unsignedProduct + productAddedTail:
		return d.sum(d.product(a, b, w.kernel.body == unsignedProduct+productAddedTail), w.srcs[2])
	case shiftBody:
		if n, ok := d.constant[b.offset]; ok && n < 31 {
			return d.of(a, reaching).shifted(int(n))
		}
	case addBody:
		if x := d.sum(d.of(a, reaching), b); x != nil {
			return x
		}
		return d.sum(d.of(b, reaching), a)
	}
	return nil
}

// product returns a register times a constant.
func (d *derivation) product(a, b operand, unsigned bool) *address {
	n, ok := d.constant[b.offset]
	if !ok {
		a, b = b, a
		n, ok = d.constant[b.offset]
	}
	if factor := int32(n); ok && factor > 0 && a.offset < firstCell {
		return &address{lane: a, unsigned: unsigned, factor: factor}
	}
	return nil
}

// sum returns an address and a constant or a parameter; nil where one is not known.
func (d *derivation) sum(x *address, o operand) *address {
	if x == nil {
		return nil
	}
	if n, ok := d.constant[o.offset]; ok {
		return x.plus(n)
	}
	if o.offset >= firstCell {
		y := x.plus(0)
		y.cells = append(slices.Clone(x.cells), o.offset-firstCell)
		slices.Sort(y.cells)
		return y
	}
	return nil
}

func (x *address) plus(n uint64) *address {
	y := *x
	y.constant += n
	return &y
}

func (x *address) shifted(n int) *address {
	if x == nil || len(x.cells) > 0 || int64(x.factor<<n) != int64(x.factor)<<n {
		return nil
	}
	y := x.plus(0)
	y.factor, y.constant = x.factor<<n, x.constant<<n
	return y
}

// cellAt returns where a parameter is.
func cellAt(at int) amd64.Memory {
	return suspensionAt(unsafe.Offsetof(suspension{}.params) + uintptr(at))
}

// restore writes the registers that native code has not computed, for lanes that go on in the engine at the start of a segment.
func (d *derivation) restore(g *gang, segment int, lanes *masks) {
	params := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(g.worker.params))), 8*len(g.worker.params))
	for row := range d.reaching[segment] {
		i, ok := d.only(row, d.reaching[segment])
		if !ok {
			continue
		}
		if at, ok := d.cells[i]; ok {
			var word [8]byte
			copy(word[:], params[at:at+d.list[i].mem.bytes])
			g.fillRow(d.list[i].rows[0], binary.LittleEndian.Uint64(word[:]), lanes)
		}
		x := d.addresses[i]
		if x == nil {
			continue
		}
		base := x.constant
		for _, at := range x.cells {
			base += binary.LittleEndian.Uint64(params[at:])
		}
		g.eachLane(lanes, func(w, lane int) {
			v := int64(int32(g.read(x.lane, w, lane)))
			if x.unsigned {
				v = int64(uint32(v))
			}
			g.write(x.register, w, lane, base+uint64(v*int64(x.factor)))
		})
	}
}

// gathers tells whether instructions that load or store lanes at indices of 32 bits can make an access.
func (a *access) gathers() bool {
	x := a.w.address
	return x != nil && a.m.elem >= 4 && a.m.bytes == a.m.elem && x.factor&(x.factor-1) == 0 && x.factor%int32(a.m.bytes) == 0 && a.m.space != isa.ParamEntry
}

// firstAddress emits the address that follows from the value of a half's first lane in RAX, and a distance; it goes elsewhere when that of
// another lane is beyond the register's range. It may change RCX.
func (a *access) firstAddress(to amd64.Register, distance int32, slow amd64.Label) {
	c, x := a.c, a.w.address
	if a.site.lies == liesContiguous {
		lanes := warpLanes / 2
		if a.site.joint {
			lanes = warpLanes
		}
		c.Address32(amd64.RCX, amd64.At(amd64.RAX, int32((lanes-1)*a.m.bytes)/x.factor))
		c.Do32(amd64.Compare, amd64.RCX, amd64.RAX)
		if x.unsigned {
			c.JumpIf(amd64.Below, slow)
		} else {
			c.JumpIf(amd64.Less, slow)
		}
	}
	if !x.unsigned {
		c.SignExtend(amd64.RAX, amd64.RAX)
	}
	cells := x.cells
	switch {
	case len(cells) > 0 && x.factor <= 8 && x.factor&(x.factor-1) == 0:
		c.Do(amd64.Move, to, cellAt(cells[0]))
		c.Address(to, amd64.Memory{Base: to, Index: amd64.RAX, Scale: int(x.factor), Displacement: distance})
		cells = cells[1:]
	default:
		c.Multiply(amd64.RAX, amd64.RAX, x.factor)
		c.Address(to, amd64.At(amd64.RAX, distance))
	}
	for _, at := range cells {
		c.Do(amd64.Add, to, cellAt(at))
	}
}

// base puts what all addresses have in common in a register, with a distance.
func (x *address) base(c *compiler, to amd64.Register, distance uint64) {
	c.Load64(to, distance)
	for _, at := range x.cells {
		c.Do(amd64.Add, to, cellAt(at))
	}
}

// extendLanes puts the addresses of a half in the vectors for them. It changes RAX.
func (a *access) extendLanes(half int, distance uint64) {
	c, x := a.c, a.w.address
	const lanes = spare
	a.loadLane(half, lanes)
	extend, multiply := "VPMOVSXDQ", "VPMULDQ"
	if x.unsigned {
		extend, multiply = "VPMOVZXDQ", "VPMULUDQ"
	}
	c.vector("VEXTRACTI64X4", amd64.Immediate(1), z(lanes), amd64.Y(addressVectors+1))
	c.vector(extend, amd64.Y(addressVectors+1), z(addressVectors+1))
	c.vector(extend, amd64.Y(lanes), z(addressVectors))
	x.base(c, amd64.RAX, distance)
	c.vector("VPBROADCASTGQ", amd64.RAX, z(lanes))
	factor := c.Constant(binary.LittleEndian.AppendUint64(nil, uint64(x.factor)))
	factor.Broadcast = true
	for i := range 2 {
		to := z(addressVectors + i)
		c.vector(multiply, factor, to, to)
		c.vector("VPADDQ", z(lanes), to, to)
	}
}

// loadLane brings what the addresses of a half follow from in a vector.
func (a *access) loadLane(half, to int) {
	switch from := a.bases[half].(type) {
	case amd64.Vector:
		a.c.vector("VMOVDQA64", from, z(to))
	case amd64.Memory:
		a.c.loadVector(value{}, from, z(to))
	}
}

// gather emits an access with instructions that take lanes at indices of 32 bits, when all are in the region; otherwise what comes next is to make it.
func (a *access) gather(join amd64.Label) {
	c, x := a.c, a.w.address
	lanewise := c.NewLabel()
	const index, above, below = spare, spare + 1, spare + 2
	in := func(field uintptr) amd64.Memory {
		return amd64.At(amd64.RDX, int32(a.m.region*regionBytes)+int32(field))
	}
	c.Do(amd64.Move, amd64.RDX, machineAt(unsafe.Offsetof(machine{}.regions)))
	c.Do(amd64.Move, amd64.RAX, in(unsafe.Offsetof(region{}.size)))
	c.DoImmediate(amd64.Sub, amd64.RAX, int32(a.m.bytes))
	c.JumpIf(amd64.Below, lanewise)
	x.base(c, amd64.RCX, a.w.distance())
	c.TestImmediate32(amd64.RCX, int32(a.m.bytes-1))
	c.JumpIf(amd64.NotEqual, lanewise)
	// The indices lie between two numbers, which are brought to 32 bits, and fewer where instructions have no such factor.
	more := max(bits.TrailingZeros32(uint32(x.factor))-3, 0)
	c.Do(amd64.Sub, amd64.RCX, in(unsafe.Offsetof(region{}.start)))
	c.Do(amd64.Sub, amd64.RAX, amd64.RCX)
	c.Do(amd64.Move, amd64.RDI, amd64.RCX)
	shift := uint8(bits.TrailingZeros32(uint32(x.factor)))
	c.ShiftRight(amd64.RAX, shift)
	c.ShiftRight(amd64.RDI, shift)
	c.DoImmediate(amd64.Add, amd64.RAX, 1)
	c.DoImmediate(amd64.Xor, amd64.RDI, -1)
	a.limit(amd64.RDI, above)
	a.limit(amd64.RAX, below)
	if more > 0 {
		most, least := c.Constant(wordBytes([]uint32{1 << (31 - more)})), c.Constant(wordBytes([]uint32{^uint32(0) << (31 - more)}))
		most.Broadcast, least.Broadcast = true, true
		c.vector("VPMAXSD", least, z(above), z(above))
		c.vector("VPMINSD", most, z(below), z(below))
	}
	if x.unsigned {
		none := c.Constant(binary.LittleEndian.AppendUint32(nil, math.MaxUint32))
		none.Broadcast = true
		c.vector("VPMAXSD", none, z(above), z(above))
	}
	c.Do(amd64.Add, amd64.RCX, in(unsafe.Offsetof(region{}.host)))
	for half := range 2 {
		check := func(relation int, limit int, to amd64.Mask) {
			operands := []any{amd64.Immediate(relation), a.bases[half], z(limit)}
			if a.partial() {
				operands = append(operands, c.laneMask(a.w.guarded, half, false, 7))
			}
			c.vector("VPCMPD", append(operands, to)...)
		}
		check(5, above, 5)
		check(2, below, 6)
		c.TestMasks(5, 6)
		c.JumpIf(amd64.NotEqual, lanewise)
	}
	for part, r := range a.values {
		half := part * 2 / len(a.values)
		if part*2%len(a.values) == 0 {
			a.loadLane(half, index)
			if more > 0 {
				c.vector("VPSLLD", amd64.Immediate(more), z(index), z(index))
			}
		}
		from, wide := z(index), 32
		if a.wide() {
			from, wide = amd64.Y(index), 64
			if part%2 > 0 {
				from = amd64.Y(below + 1)
				c.vector("VEXTRACTI64X4", amd64.Immediate(1), z(index), from)
			}
		}
		lanes := amd64.Mask(5)
		if a.partial() {
			mask := c.laneMask(a.w.guarded, part, a.wide(), 7)
			c.vector("KORW", mask, mask, lanes)
		} else {
			c.vector("KXNORW", lanes, lanes, lanes)
		}
		at := amd64.Indexed{Base: amd64.RCX, Index: from, Scale: min(int(x.factor), 8)}
		if a.w.store {
			c.Scatter(wide, z(r), at, lanes)
			continue
		}
		c.vector("VPXORD", z(r), z(r), z(r))
		c.Gather(wide, at, lanes, z(r))
	}
	c.Jump(join)
	c.Place(lanewise)
}

// limit puts a signed number of 64 bits in all lanes of a vector, or the nearest one of 32 bits.
func (a *access) limit(from amd64.Register, to int) {
	a.c.vector("VPBROADCASTGQ", from, z(to))
	a.c.vector("VPMOVSQD", z(to), amd64.Y(uint8(to)))
	a.c.vector("VPBROADCASTD", amd64.X(uint8(to)), z(to))
}
