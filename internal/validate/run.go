package validate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"silica/driver"
	"silica/gpu"
	"silica/internal/ir"
	"silica/internal/truth"
	"silica/profile"
)

// Options chooses how cases run.
type Options struct {
	GPU    *gpu.GPU
	Engine string
	// PTX returns the PTX of a case; the recorded one when nil. Relaxed compares exact outputs with a
	// tolerance, for PTX of another compiler.
	PTX     func(ctx context.Context, c *truth.Case) (file string, text []byte, err error)
	Relaxed bool
}

// Outcome tells how a case's outputs compare.
type Outcome string

// The outcomes.
const (
	OK     Outcome = "ok"
	Wrong  Outcome = "wrong"
	Failed Outcome = "error"
)

// Result is one case's outcome.
type Result struct {
	Case    string   `json:"case"`
	Outputs Outcome  `json:"outputs"`
	Error   string   `json:"error"`
	WallS   float64  `json:"wall_s"`
	Metrics []Metric `json:"metrics"`
	// Unsupported marks an error that comes from something Silica does not execute.
	Unsupported bool `json:"-"`
}

// Metric is one counter beside the recorded one.
type Metric struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Tier     string  `json:"tier"`
	Silica   float64 `json:"silica"`
	Hardware float64 `json:"hardware"`
	// PTX marks a count of instructions: machine code has others.
	PTX bool `json:"-"`
	// Equal allows for the six digits that were recorded.
	Equal bool `json:"-"`
	// Note says why the two may differ, such as accesses that ptxas merged; "" when they should not.
	Note string `json:"note,omitempty"`
}

// Run runs one case on a device of its own.
func Run(ctx context.Context, c *truth.Case, o Options) Result {
	start := time.Now()
	r := Result{Case: c.ID, Outputs: OK}
	collector := profile.NewCollector(profile.Options{Registers: c.Compiled.Registers})
	problem, err := run(ctx, c, o, collector)
	if err == nil {
		r.Metrics, err = counters(c, collector.Launches())
	}
	switch {
	case err != nil:
		r.Outputs, r.Error = Failed, err.Error()
		var e *driver.Error
		r.Unsupported = errors.As(err, &e) && e.Code == driver.NotSupported
	case problem != "":
		r.Outputs, r.Error = Wrong, problem
	}
	r.WallS = time.Since(start).Seconds()
	return r
}

// run returns the first difference of the outputs, "" when they pass.
func run(ctx context.Context, c *truth.Case, o Options, t driver.Tracer) (problem string, err error) {
	d, err := driver.Open(o.GPU, driver.Options{Engine: o.Engine, Tracer: t})
	if err != nil {
		return "", err
	}
	defer d.Close()
	source := o.PTX
	if source == nil {
		source = recordedPTX
	}
	file, text, err := source(ctx, c)
	if err != nil {
		return "", err
	}
	m, err := d.LoadPTX(file, text)
	if err != nil {
		return "", err
	}
	f, err := m.Function(c.Kernel)
	if err != nil {
		return "", err
	}
	l := launch{device: d, buffers: map[string]buffer{}}
	if err := l.constants(m, c); err != nil {
		return "", err
	}
	params, err := l.params(f.Kernel, c)
	if err != nil {
		return "", err
	}
	if c.DynamicShared > 0 {
		if err := f.SetMaxDynamicShared(c.DynamicShared); err != nil {
			return "", err
		}
	}
	dim := func(v [3]int) driver.Dim3 { return driver.Dim3{X: v[0], Y: v[1], Z: v[2]} }
	if err := f.Launch(ctx, driver.Launch{
		Grid: dim(c.Grid), Block: dim(c.Block), Cluster: dim(c.Cluster), Shared: c.DynamicShared, Params: params,
	}); err != nil {
		return "", err
	}
	return l.check(c, o.Relaxed)
}

func recordedPTX(_ context.Context, c *truth.Case) (file string, text []byte, err error) {
	text, err = os.ReadFile(c.PTXPath())
	return filepath.Base(c.PTX), text, err
}

// launch holds the buffers of one case on a device.
type launch struct {
	device  *driver.Device
	buffers map[string]buffer
}

type buffer struct {
	addr uint64
	size int
	typ  string
}

// constants fills the case's __constant__ arrays.
func (l *launch) constants(m *driver.Module, c *truth.Case) error {
	for _, k := range c.Constants {
		addr, size, err := m.Global(k.Symbol)
		if err != nil {
			return err
		}
		b, err := k.Init.Bytes(k.Type, k.Count)
		if err != nil {
			return err
		}
		if uint64(len(b)) > size {
			return fmt.Errorf("constant %s has %d bytes, the case fills %d", k.Symbol, size, len(b))
		}
		if err := l.device.Write(addr, b); err != nil {
			return err
		}
	}
	return nil
}

// params allocates the buffers and returns the parameter buffer.
func (l *launch) params(k *ir.Kernel, c *truth.Case) ([]byte, error) {
	if len(c.Params) != len(k.Params) {
		return nil, fmt.Errorf("the case has %d parameters, the kernel %d", len(c.Params), len(k.Params))
	}
	out := make([]byte, k.ParamBytes)
	for i, p := range c.Params {
		var value uint64
		switch p.Kind {
		case "scalar":
			v, err := truth.Bits(p.Type, p.Value)
			if err != nil {
				return nil, err
			}
			value = v
		case "buffer":
			b, err := l.buffer(p)
			if err != nil {
				return nil, err
			}
			value = b.addr
		case "texture":
			handle, err := l.texture(p)
			if err != nil {
				return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
			}
			value = handle
		default:
			return nil, fmt.Errorf("parameter %s is a %s", p.Name, p.Kind)
		}
		var field [8]byte
		binary.LittleEndian.PutUint64(field[:], value)
		copy(out[k.Params[i].Offset:][:k.Params[i].Size], field[:])
	}
	return out, nil
}

func (l *launch) buffer(p truth.Param) (buffer, error) {
	size := p.Count * truth.ElementBytes(p.Type)
	addr, err := l.device.Alloc(uint64(size))
	if err != nil {
		return buffer{}, err
	}
	b := buffer{addr: addr, size: size, typ: p.Type}
	l.buffers[p.Name] = b
	if p.Init.Kind == "zero" || p.Init.Kind == "" {
		return b, nil // fresh device memory reads as zero
	}
	data, err := p.Init.Bytes(p.Type, p.Count)
	if err != nil {
		return b, err
	}
	return b, l.device.Write(addr, data)
}

// texture makes a texture of f32 texels.
func (l *launch) texture(p truth.Param) (handle uint64, err error) {
	a, err := l.device.NewArray(driver.ArrayDescriptor{Format: driver.ChannelF32, Channels: 1, Width: p.Width, Height: p.Height}, 1)
	if err != nil {
		return 0, err
	}
	data, err := p.Init.Bytes(p.Type, p.Width*p.Height)
	if err != nil {
		return 0, err
	}
	if err := a.Write(data); err != nil {
		return 0, err
	}
	filters := map[string]driver.Filter{"point": driver.FilterPoint, "linear": driver.FilterLinear}
	modes := map[string]driver.AddressMode{
		"wrap": driver.AddressWrap, "clamp": driver.AddressClamp, "mirror": driver.AddressMirror, "border": driver.AddressBorder,
	}
	filter, ok := filters[p.Filter]
	mode, known := modes[p.Address]
	if !ok || !known || p.Type != "f32" {
		return 0, fmt.Errorf("a texture of %s with filter %q and address mode %q", p.Type, p.Filter, p.Address)
	}
	return l.device.NewTexture(driver.Resource{Array: a}, driver.Sampler{
		Filter: filter, Address: [3]driver.AddressMode{mode, mode, mode}, Normalized: p.Normalized,
	})
}

// check compares every expected buffer.
func (l *launch) check(c *truth.Case, relaxed bool) (string, error) {
	for _, e := range c.Expected {
		b := l.buffers[e.Param]
		got, err := l.device.Bytes(b.addr, uint64(b.size))
		if err != nil {
			return "", err
		}
		if problem, err := c.Check(e, b.typ, got, relaxed); problem != "" || err != nil {
			return problem, err
		}
	}
	return "", nil
}
