package driver

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
	"silica/internal/texture"
	"silica/ptx"
)

// Module is a PTX module loaded on a device: its variables have addresses, its kernels are lowered when
// they are asked for.
type Module struct {
	device    *Device
	program   *ir.Module
	variables *exec.Variables
	hosts     []unsafe.Pointer // host variables of managed ones
	managed   []uint64         // managed variables without one
	// samplerHandles are the objects of .samplerref variables.
	samplerHandles []uint64

	mu        sync.Mutex
	functions map[string]*Function
	unloaded  atomic.Bool // its variables keep their addresses, but have no memory
}

// HostVariable is a variable of the host program: the one under whose address the program's code on the
// host reaches a managed variable of a module.
type HostVariable struct {
	Address unsafe.Pointer
	Size    uint64
}

// LoadPTX loads PTX text; file is the name that messages use. The error lists everything that is wrong.
func (d *Device) LoadPTX(file string, text []byte) (*Module, error) {
	return d.LoadPTXFor(nil, file, text)
}

// LoadPTXFor is LoadPTX for a host program: managed variables live in its variables of their names.
func (d *Device) LoadPTXFor(hosts map[string]HostVariable, file string, text []byte) (*Module, error) {
	if err := d.Status(); err != nil {
		return nil, err
	}
	tree, err := ptx.Parse(file, text)
	if err == nil {
		tree, err = resolve(tree)
	}
	if err == nil {
		err = ptx.Check(tree)
	}
	if err != nil {
		return nil, wrap(codeOfPTX(file, text), ptx.NameSource(text, err))
	}
	if err := d.checkTarget(tree); err != nil {
		return nil, err
	}
	program, err := ir.NewModule(tree)
	if err != nil {
		return nil, wrap(InvalidPTX, err)
	}
	if u := program.Unresolved(); len(u) > 0 {
		return nil, Fail(InvalidPTX, "%s:%d:%d: %s", file, u[0].Pos.Line, u[0].Pos.Col, u[0].Msg)
	}
	m := &Module{device: d, program: program, functions: map[string]*Function{}}
	if err := m.place(hosts); err != nil {
		return nil, errors.Join(err, m.Unload())
	}
	return m, nil
}

// codeOfPTX is the error of PTX that is refused: whether it is wrong, or of a version that is not known.
func codeOfPTX(file string, text []byte) Code {
	tree, err := ptx.Parse(file, text)
	if err == nil && tree.Version != (ptx.Version{}) && !tree.Version.Known() {
		return UnsupportedPTXVersion
	}
	return InvalidPTX
}

// place gives every variable memory and its initial contents.
func (m *Module) place(hosts map[string]HostVariable) error {
	fixed := map[string]exec.Fixed{}
	for _, g := range m.program.Globals {
		h, ok := hosts[g.Name]
		if !ok || !g.Managed {
			continue
		}
		if h.Size < uint64(g.Size) {
			return Fail(InvalidPTX, "%s: the variable %s has %d bytes, the host's %d", m.program.Source.File, g.Name, g.Size, h.Size)
		}
		addr := uint64(uintptr(h.Address))
		if known := m.device.MemoryAt(addr); known.Kind == ManagedMemory && known.Base == addr {
			fixed[g.Name] = exec.Fixed{Address: addr, Kept: true} // by another device
			continue
		}
		if err := m.device.RegisterHost(h.Address, Memory{Kind: ManagedMemory, Size: h.Size}); err != nil {
			return err
		}
		m.hosts = append(m.hosts, h.Address)
		fixed[g.Name] = exec.Fixed{Address: addr}
	}
	var err error
	m.variables, err = exec.PlaceVariables(m.program, m.device.memory, fixed)
	switch {
	case errors.Is(err, mem.ErrOutOfMemory):
		return wrap(OutOfMemory, err)
	case err != nil:
		return wrap(InvalidPTX, err)
	}
	for i, g := range m.program.Globals {
		if _, onHost := fixed[g.Name]; g.Managed && !onHost {
			m.managed = append(m.managed, m.variables.Symbols[i])
			m.device.memory.Share(m.variables.Symbols[i])
			m.device.know(Memory{Kind: ManagedMemory, Base: m.variables.Symbols[i], Size: uint64(g.Size)})
		}
	}
	return m.samplers()
}

// checkTarget refuses a module that is for other GPUs.
func (d *Device) checkTarget(m *ptx.Module) error {
	t, g := m.Architecture(), d.GPU
	if !t.RunsOn(g.Chip.ComputeCapability.SM()) {
		return Fail(NoBinaryForGPU, "%s:%d:%d: the target %s does not run on %s, which is of compute capability %s: compile with -arch=sm_%d",
			m.File, m.TargetPos.Line, m.TargetPos.Col, t, g.Name, g.Chip.ComputeCapability, g.Chip.ComputeCapability.SM())
	}
	return nil
}

// Unload gives the module's variables back when all work has ended.
func (m *Module) Unload() error {
	if m.unloaded.Swap(true) {
		return nil
	}
	m.device.drain()
	var errs []error
	for _, p := range m.hosts {
		errs = append(errs, m.device.UnregisterHost(p))
	}
	if m.variables != nil {
		for _, addr := range m.managed {
			m.device.forget(addr)
		}
		errs = append(errs, m.variables.Free())
	}
	for _, handle := range m.samplerHandles {
		m.device.objects.set(handle, texture.Object{})
	}
	m.hosts, m.managed, m.samplerHandles = nil, nil, nil
	return errors.Join(errs...)
}

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

// entries lists the kernels of the module by the names under which they are looked up, for a message.
func (m *Module) entries() string {
	if len(m.program.Entries) == 0 {
		return "none"
	}
	var list []string
	for _, name := range m.program.Entries {
		list = append(list, strconv.Quote(name))
	}
	return strings.Join(list, ", ")
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
			m.program.Source.File, name, m.entries()).Msg}
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
