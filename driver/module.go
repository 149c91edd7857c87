package driver

import (
	"errors"
	"strings"
	"sync"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
	"silica/ptx"
)

// Module is a PTX module loaded on a device: its variables have addresses, its kernels are lowered when
// they are asked for.
type Module struct {
	device    *Device
	program   *ir.Module
	variables *exec.Variables

	mu        sync.Mutex
	functions map[string]*Function
}

// LoadPTX loads PTX text; file is the name that messages use. The error lists everything that is wrong.
func (d *Device) LoadPTX(file string, text []byte) (*Module, error) {
	return d.LoadPTXAt(file, text, nil)
}

// LoadPTXAt is LoadPTX for a module of which some variables have their memory already: fixed gives the
// address of each. Their initial contents are written there.
func (d *Device) LoadPTXAt(file string, text []byte, fixed map[string]uint64) (*Module, error) {
	if err := d.Status(); err != nil {
		return nil, err
	}
	tree, err := ptx.Load(file, text)
	if err != nil {
		return nil, wrap(InvalidPTX, err)
	}
	if err := d.checkTarget(tree); err != nil {
		return nil, err
	}
	program, err := ir.NewModule(tree)
	if err != nil {
		return nil, wrap(InvalidPTX, err)
	}
	variables, err := exec.PlaceVariables(program, d.memory, fixed)
	switch {
	case errors.Is(err, mem.ErrOutOfMemory):
		return nil, wrap(OutOfMemory, err)
	case err != nil:
		return nil, wrap(InvalidPTX, err)
	}
	return &Module{device: d, program: program, variables: variables, functions: map[string]*Function{}}, nil
}

// checkTarget refuses a module that is for other GPUs.
func (d *Device) checkTarget(m *ptx.Module) error {
	t, g := targetOf(m), d.GPU
	if !t.runsOn(g.Chip.ComputeCapability) {
		return Fail(NoBinaryForGPU, "%s:%d:%d: the target %s does not run on %s, which is of compute capability %s",
			m.File, m.TargetPos.Line, m.TargetPos.Col, t, g.Name, g.Chip.ComputeCapability)
	}
	return nil
}

// Unload gives the module's variables back.
func (m *Module) Unload() error { return m.variables.Free() }

// Kernels names the module's entries in source order.
func (m *Module) Kernels() []string { return m.program.Entries }

// Global returns the address and the size in bytes of a variable.
func (m *Module) Global(name string) (addr, size uint64, err error) {
	for i, g := range m.program.Globals {
		if g.Name == name {
			return m.variables.Symbols[i], uint64(g.Size), nil
		}
	}
	return 0, 0, Fail(NotFound, "%s: there is no variable %s", m.program.Source.File, name)
}

// constBytes is the size of the module's constant variables.
func (m *Module) constBytes() int {
	n := 0
	for _, g := range m.program.Globals {
		if g.Space == isa.Const {
			n += g.Size
		}
	}
	return n
}

// Function returns a kernel by its (mangled) name.
func (m *Module) Function(name string) (*Function, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.functions[name]; f != nil {
		return f, nil
	}
	k, err := m.program.Kernel(name)
	if errors.Is(err, ir.ErrNoKernel) {
		return nil, &Error{Code: NotFound, err: err, Msg: Fail(NotFound, "%s: there is no kernel %q; it has %s",
			m.program.Source.File, name, strings.Join(m.program.Entries, ", ")).Msg}
	}
	if err != nil {
		return nil, wrap(InvalidPTX, err)
	}
	if u := k.Unsupported; len(u) > 0 {
		return nil, Fail(NotSupported, "%s:%d:%d: %s", m.program.Source.File, u[0].Pos.Line, u[0].Pos.Col, u[0].Msg)
	}
	f := &Function{Module: m, Kernel: k, dynamicShared: -1}
	m.functions[name] = f
	return f, nil
}
