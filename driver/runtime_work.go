package driver

import (
	"silica/internal/exec"
	"silica/internal/isa"
)

// dim3 reads an extent from two words of arguments.
func dim3(w []uint64) Dim3 {
	return Dim3{X: int(uint32(w[0])), Y: int(uint32(w[0] >> 32)), Z: int(uint32(w[1]))}
}

// getParameterBufferV2 takes a kernel, its grid, block and shared memory. Whether they are valid shows at the launch.
func (c *call) getParameterBufferV2() (uint64, error) {
	f, err := c.function(c.args[0])
	if err != nil {
		return 0, err
	}
	return c.buffer(&buffer{
		bytes: uint64(f.Kernel.ParamBytes), of: f,
		child: Launch{Grid: dim3(c.args[1:]), Block: dim3(c.args[3:]), Shared: int(uint32(c.args[5]))},
	})
}

// getParameterBuffer takes the alignment and the size of the parameters.
func (c *call) getParameterBuffer() (uint64, error) {
	return c.buffer(&buffer{bytes: c.args[1]})
}

// buffer gives a parameter buffer memory; the result is a null pointer when there is none.
func (c *call) buffer(b *buffer) (uint64, error) {
	const align = 64 // of every parameter there can be
	addr, err := c.device().memory.Alloc(max(b.bytes, 1), align)
	if err != nil {
		c.grid.errors[c.thread()] = OutOfMemory
		return 0, nil
	}
	b.address = addr
	c.grid.buffers[addr] = b
	return addr, nil
}

func (c *call) launchDeviceV2() (uint64, error) {
	b := c.grid.buffers[c.args[0]]
	if b == nil || b.of == nil {
		return 0, Fail(InvalidValue, "0x%x is no parameter buffer", c.args[0])
	}
	return 0, c.launch(b, c.args[1])
}

func (c *call) launchDevice() (uint64, error) {
	b := c.grid.buffers[c.args[1]]
	if b == nil {
		return 0, Fail(InvalidValue, "0x%x is no parameter buffer", c.args[1])
	}
	f, err := c.function(c.args[0])
	if err != nil {
		return 0, err
	}
	b.of = f
	b.child = Launch{Grid: dim3(c.args[2:]), Block: dim3(c.args[4:]), Shared: int(uint32(c.args[6]))}
	return 0, c.launch(b, c.args[7])
}

// launch enters the launch of a parameter buffer in a stream. The buffer is used up whatever comes of it.
func (c *call) launch(b *buffer, handle uint64) error {
	delete(c.grid.buffers, b.address)
	w, err := c.child(b)
	if err == nil {
		err = c.enter(w, handle)
	}
	if err != nil {
		_ = c.device().memory.Free(b.address) // it is ours, so it can be freed
	}
	return err
}

// child makes the launch that a parameter buffer describes.
func (c *call) child(b *buffer) (*work, error) {
	d, f := c.device(), b.of
	if b.bytes < uint64(f.Kernel.ParamBytes) {
		return nil, Fail(InvalidValue, "%d bytes of parameters, %s takes %d", b.bytes, f.Kernel.Name, f.Kernel.ParamBytes)
	}
	// The memory stays where it is until the launch has ended.
	params, err := d.memory.Bytes(b.address, uint64(max(f.Kernel.ParamBytes, 1)))
	if err != nil {
		return nil, err
	}
	b.child.Params = params[:f.Kernel.ParamBytes]
	p, err := f.prepare(b.child)
	if err != nil {
		return nil, onDevice(err)
	}
	l := p.launch
	l.Origin = &exec.Origin{
		Kernel: c.Launch.Kernel, GridID: c.Launch.GridID, Func: c.Func, PC: c.PC, Block: c.Block, Thread: c.Thread.Thread,
	}
	return &work{child: newGrid(f, l), parameters: b.address}, nil
}

// onDevice gives a launch that the host would answer with InvalidValue the code of the device runtime.
func onDevice(err error) error {
	e := wrap(InvalidConfiguration, err)
	if code := codeOf(err); code != InvalidValue {
		e.Code = code
	}
	return e
}

// enter puts work in a stream.
func (c *call) enter(w *work, handle uint64) error {
	g := c.grid
	w.block = c.block()
	switch handle {
	case streamTailLaunch:
		// Tail launches wait for the grid, so that they are what can pile up.
		if most := c.device().limits.get(LimitDevRuntimePendingLaunches); uint64(len(g.tails)) >= most {
			return Fail(LaunchPendingCountExceeded, "more than %d launches that have not begun", most)
		}
		g.tails = append(g.tails, w)
		return nil
	case streamFireAndForget:
		g.work = append(g.work, w)
		return nil
	}
	s, err := c.stream(handle)
	if err != nil {
		return err
	}
	w.after = append(w.after, g.last[s])
	g.last[s] = w
	g.work = append(g.work, w)
	return nil
}

// stream returns the default stream of the block, or one that the grid created.
func (c *call) stream(handle uint64) (stream, error) {
	switch {
	case handle == 0:
		return stream{block: c.block()}, nil
	case c.grid.streams[handle]:
		return stream{handle: handle}, nil
	case handle != 0 && handle%streamGraphTailLaunch == 0:
		return stream{}, Fail(InvalidValue, "the stream 0x%x is for kernels of graphs that a device launches", handle)
	}
	return stream{}, Fail(InvalidValue, "there is no stream 0x%x in the grid", handle)
}

// handle returns a new handle of a stream or an event of the grid.
func (g *grid) handle() uint64 {
	g.handles++
	return firstHandle + 16*g.handles
}

func (c *call) streamCreate() (uint64, error) {
	if flags := uint32(c.args[1]); flags&^streamNonBlocking != 0 {
		return 0, Fail(InvalidValue, "a stream with the flags 0x%x", flags)
	}
	h := c.grid.handle()
	c.grid.streams[h] = true
	return 0, c.out(0, 8, h)
}

// streamDestroy takes no stream away from work that is in it already.
func (c *call) streamDestroy() (uint64, error) {
	if c.args[0] < firstHandle {
		return 0, Fail(InvalidValue, "the stream 0x%x can not be destroyed", c.args[0])
	}
	delete(c.grid.streams, c.args[0])
	return 0, nil
}

func (c *call) eventCreate() (uint64, error) {
	if flags := uint32(c.args[1]); flags != eventDisableTiming {
		return 0, Fail(InvalidValue, "an event with the flags 0x%x; on the device, events have cudaEventDisableTiming", flags)
	}
	h := c.grid.handle()
	c.grid.events[h] = nil
	return 0, c.out(0, 8, h)
}

func (c *call) eventDestroy() (uint64, error) {
	delete(c.grid.events, c.args[0])
	return 0, nil
}

func (c *call) eventRecord() (uint64, error) {
	s, err := c.stream(c.args[1])
	if err != nil {
		return 0, err
	}
	if _, ok := c.grid.events[c.args[0]]; !ok {
		return 0, Fail(InvalidValue, "there is no event 0x%x in the grid", c.args[0])
	}
	c.grid.events[c.args[0]] = c.grid.last[s]
	return 0, nil
}

func (c *call) streamWaitEvent() (uint64, error) {
	if _, err := c.stream(c.args[0]); err != nil {
		return 0, err
	}
	event, ok := c.grid.events[c.args[1]]
	if !ok {
		return 0, Fail(InvalidValue, "there is no event 0x%x in the grid", c.args[1])
	}
	return 0, c.enter(&work{after: []*work{event}}, c.args[0])
}

func (c *call) memcpy() (uint64, error) {
	return 0, c.copy(Place{Addr: c.args[0]}, Place{Addr: c.args[1]}, Extent{c.args[2], 1, 1}, c.args[3], c.args[4])
}

func (c *call) memcpy2D() (uint64, error) {
	dst, src := Place{Addr: c.args[0], Pitch: c.args[1]}, Place{Addr: c.args[2], Pitch: c.args[3]}
	return 0, c.copy(dst, src, Extent{c.args[4], c.args[5], 1}, c.args[6], c.args[7])
}

// memcpy3D reads a cudaMemcpy3DParms: srcArray, srcPos, srcPtr, dstArray, dstPos, dstPtr, extent, kind.
func (c *call) memcpy3D() (uint64, error) {
	var w [20]uint64
	for i := range w {
		var err error
		if w[i], err = c.read(c.args[0]+8*uint64(i), 8); err != nil {
			return 0, err
		}
	}
	if w[0] != 0 || w[8] != 0 {
		return 0, Fail(InvalidValue, "a copy of an array; the device runtime copies memory")
	}
	return 0, c.copy(pitched(w[9:12], w[12:16]), pitched(w[1:4], w[4:8]), Extent{w[16], w[17], w[18]}, w[19], c.args[1])
}

// pitched returns where a cudaPos in a cudaPitchedPtr (address, pitch, width, height) is.
func pitched(pos, p []uint64) Place {
	slice := p[1] * p[3]
	return Place{Addr: p[0] + pos[0] + pos[1]*p[1] + pos[2]*slice, Pitch: p[1], Slice: slice}
}

// copy enters a copy in a stream. Both sides are in global memory.
func (c *call) copy(dst, src Place, e Extent, kind, handle uint64) error {
	if k := CopyKind(int32(kind)); k != DeviceToDevice && k != Default {
		return Fail(InvalidMemcpyDirection, "a copy of kind %d on the device", k)
	}
	return c.move(MemoryCopy{Dst: dst, Src: src, Extent: e, Kind: DeviceToDevice}, handle, dst.Addr, src.Addr)
}

// move makes a copy or fill at addresses at once where nothing in the stream comes before it, else in its turn. Memory that
// kernels have given back by then stays as it is: a GPU still has it.
func (c *call) move(o Operation, handle uint64, addresses ...uint64) error {
	for _, addr := range addresses {
		if in := isa.SpaceOf(addr); in == isa.Shared || in == isa.Local {
			return Fail(InvalidValue, "the address 0x%x is one of .%s memory, where nobody else can copy", addr, in)
		}
	}
	d := c.device()
	if _, _, err := o.prepare(d); err != nil {
		return err
	}
	do := func() {
		if work, _, err := o.prepare(d); err == nil && work != nil {
			_ = work() // neither copies nor fills have errors
		}
	}
	s, err := c.stream(handle)
	switch {
	case handle == streamFireAndForget || err == nil && c.grid.last[s] == nil:
		do()
		return nil
	case handle != streamTailLaunch && err != nil:
		return err
	}
	return c.enter(&work{do: do}, handle)
}

func (c *call) memset() (uint64, error) {
	return 0, c.fill(Place{Addr: c.args[0]}, c.args[1], Extent{c.args[2], 1, 1}, c.args[3])
}

func (c *call) memset2D() (uint64, error) {
	return 0, c.fill(Place{Addr: c.args[0], Pitch: c.args[1]}, c.args[2], Extent{c.args[3], c.args[4], 1}, c.args[5])
}

// memset3D takes a cudaPitchedPtr, the value, and a cudaExtent by value.
func (c *call) memset3D() (uint64, error) {
	a := c.args
	return 0, c.fill(pitched([]uint64{0, 0, 0}, a[0:4]), a[4], Extent{a[5], a[6], a[7]}, a[8])
}

// fill enters a fill in a stream.
func (c *call) fill(dst Place, value uint64, e Extent, handle uint64) error {
	return c.move(MemorySet{Dst: dst, Value: uint32(value), Bytes: 1, Extent: e}, handle, dst.Addr)
}
