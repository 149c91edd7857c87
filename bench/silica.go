package bench

import (
	"context"
	"encoding/binary"
	"fmt"

	"silica/driver"
	"silica/gpu"
	"silica/internal/exec"
)

// Prepared is a case whose data lies in device memory.
type Prepared struct {
	device   *driver.Device
	launches []prepared
	last     Buffer
	result   uint64
}

type prepared struct {
	function *driver.Function
	launch   driver.Launch
}

// Prepare loads the PTX of kernels.cu on a device of its own and fills the buffers of a case of size n.
func (c Case) Prepare(text []byte, n int, o driver.Options) (*Prepared, error) {
	g, err := gpu.Load("h200")
	if err != nil {
		return nil, err
	}
	d, err := driver.Open(g, o)
	if err != nil {
		return nil, err
	}
	p := &Prepared{device: d}
	if err := p.fill(c, text, n); err != nil {
		d.Close()
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return p, nil
}

func (p *Prepared) fill(c Case, text []byte, n int) error {
	m, err := p.device.LoadPTX("kernels.ptx", text)
	if err != nil {
		return err
	}
	var addresses []uint64
	for _, b := range c.Buffers(n) {
		address, err := p.device.Alloc(uint64(b.Bytes))
		if err != nil {
			return err
		}
		contents, err := p.device.Bytes(address, uint64(b.Bytes))
		if err != nil {
			return err
		}
		if b.Fill != nil {
			b.Fill(contents)
		}
		addresses = append(addresses, address)
		p.last, p.result = b, address
	}
	for _, l := range c.Launches(n) {
		f, err := m.Function(l.Kernel)
		if err != nil {
			return err
		}
		params := make([]byte, f.Kernel.ParamBytes)
		for i, a := range l.Args {
			if at := params[f.Kernel.Params[i].Offset:]; a.Buffer >= 0 {
				binary.LittleEndian.PutUint64(at, addresses[a.Buffer])
			} else {
				binary.LittleEndian.PutUint32(at, a.Word)
			}
		}
		dim := func(d [3]int) driver.Dim3 { return driver.Dim3{X: d[0], Y: d[1], Z: d[2]} }
		p.launches = append(p.launches, prepared{f, driver.Launch{Grid: dim(l.Grid), Block: dim(l.Block), Params: params}})
	}
	return nil
}

// Run runs one pass.
func (p *Prepared) Run() error {
	for _, l := range p.launches {
		if err := l.function.Launch(context.Background(), l.launch); err != nil {
			return err
		}
	}
	return nil
}

// Result returns the last buffer, as it is in device memory.
func (p *Prepared) Result() ([]byte, error) { return p.device.Bytes(p.result, uint64(p.last.Bytes)) }

// Close gives the device memory back.
func (p *Prepared) Close() error { return p.device.Close() }

// Counter is a driver.Tracer that counts thread instructions.
type Counter struct{ Threads uint64 }

// Launch is for driver.Tracer.
func (c *Counter) Launch(_ *driver.Function, l *exec.Launch) func(*exec.Stats, error) {
	l.Count = true
	return func(s *exec.Stats, err error) {
		if err != nil {
			return
		}
		for _, f := range s.Funcs {
			for _, i := range f {
				c.Threads += i.Threads
			}
		}
	}
}

// Listener is a driver.Tracer that receives every memory access and does nothing with it.
type Listener struct{}

// Launch is for driver.Tracer.
func (Listener) Launch(_ *driver.Function, l *exec.Launch) func(*exec.Stats, error) {
	l.Observe = func(int) exec.Observer { return Listener{} }
	return func(*exec.Stats, error) {}
}

// BlockStart, BlockEnd and Access are for exec.Observer.
func (Listener) BlockStart(int)      {}
func (Listener) BlockEnd(int)        {}
func (Listener) Access(*exec.Access) {}

// ThreadInstructions counts the thread instructions of one pass of a case of size n.
func (c Case) ThreadInstructions(text []byte, n int) (uint64, error) {
	var count Counter
	p, err := c.Prepare(text, n, driver.Options{Tracer: &count})
	if err != nil {
		return 0, err
	}
	defer p.Close()
	if err := p.Run(); err != nil {
		return 0, err
	}
	return count.Threads, nil
}
