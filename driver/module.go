package driver

import (
	"encoding/binary"
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
	device  *Device
	program *ir.Module
	symbols []uint64 // address of each of program.Globals
	consts  []mem.Range

	mu        sync.Mutex
	functions map[string]*Function
}

// LoadPTX loads PTX text; file is the name that messages use. The error lists everything that is wrong.
func (d *Device) LoadPTX(file string, text []byte) (*Module, error) {
	if err := d.Status(); err != nil {
		return nil, err
	}
	tree, err := ptx.Load(file, text)
	if err != nil {
		return nil, &Error{Code: InvalidPTX, Msg: err.Error(), err: err}
	}
	program, err := ir.NewModule(tree)
	if err != nil {
		return nil, &Error{Code: InvalidPTX, Msg: err.Error(), err: err}
	}
	m := &Module{device: d, program: program, functions: map[string]*Function{}}
	if err := m.place(); err != nil {
		m.Unload()
		return nil, err
	}
	return m, nil
}

// place gives every variable memory and its initial contents.
func (m *Module) place() error {
	d := m.device
	for _, g := range m.program.Globals {
		addr, err := d.memory.Alloc(uint64(max(g.Size, 1)), uint64(max(g.Align, allocationAlign)))
		if err != nil {
			return &Error{Code: OutOfMemory, err: err, Msg: fail(OutOfMemory, "variable %s of %d bytes: out of memory", g.Name, g.Size).Msg}
		}
		m.symbols = append(m.symbols, addr)
		if g.Space == isa.Const {
			m.consts = append(m.consts, mem.Range{Base: addr, Size: uint64(max(g.Size, 1))})
		}
	}
	for i, g := range m.program.Globals {
		b, err := d.memory.Bytes(m.symbols[i], uint64(max(g.Size, 1)))
		if err != nil {
			return err
		}
		clear(b)
		copy(b, g.Init)
		for _, r := range g.Relocs {
			m.relocate(b, r)
		}
	}
	return nil
}

// relocate adds an address to a field of a variable's initial bytes.
func (m *Module) relocate(b []byte, r ir.Reloc) {
	value := uint64(r.Addend)
	if r.Symbol.Global >= 0 {
		value += m.symbols[r.Symbol.Global]
	}
	if r.Shift >= 0 {
		value = value >> r.Shift & 0xff
	}
	var field [8]byte
	copy(field[:], b[r.Offset:r.Offset+r.Bytes])
	binary.LittleEndian.PutUint64(field[:], binary.LittleEndian.Uint64(field[:])+value)
	copy(b[r.Offset:r.Offset+r.Bytes], field[:])
}

// Unload gives the module's variables back.
func (m *Module) Unload() error {
	var errs []error
	for _, addr := range m.symbols {
		errs = append(errs, m.device.memory.Free(addr))
	}
	m.symbols = nil
	return errors.Join(errs...)
}

// Kernels names the module's entries in source order.
func (m *Module) Kernels() []string { return m.program.Entries }

// Global returns the address and the size in bytes of a variable.
func (m *Module) Global(name string) (addr, size uint64, err error) {
	for i, g := range m.program.Globals {
		if g.Name == name {
			return m.symbols[i], uint64(g.Size), nil
		}
	}
	return 0, 0, fail(NotFound, "%s: there is no variable %s", m.program.Source.File, name)
}

// Function is a kernel of a module.
type Function struct {
	Module *Module
	Kernel *ir.Kernel

	mu            sync.Mutex
	dynamicShared int // the limit set by SetMaxDynamicShared, 0 for the default
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
		return nil, &Error{Code: NotFound, err: err, Msg: fail(NotFound, "%s: there is no kernel %q; it has %s",
			m.program.Source.File, name, strings.Join(m.program.Entries, ", ")).Msg}
	}
	if err != nil {
		return nil, &Error{Code: InvalidPTX, Msg: err.Error(), err: err}
	}
	if u := k.Unsupported; len(u) > 0 {
		return nil, fail(NotSupported, "%s:%d:%d: %s", m.program.Source.File, u[0].Pos.Line, u[0].Pos.Col, u[0].Msg)
	}
	f := &Function{Module: m, Kernel: k}
	m.functions[name] = f
	return f, nil
}

// SetMaxDynamicShared allows launches with up to n bytes of dynamic shared memory
// (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES).
func (f *Function) SetMaxDynamicShared(n int) error {
	if limit := f.Module.device.GPU.Limits.SharedPerBlockOptin - f.Kernel.StaticShared; n < 0 || n > limit {
		return fail(InvalidValue, "%s: %d bytes of dynamic shared memory, at most %d are possible", f.Kernel.Name, n, limit)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dynamicShared = n
	return nil
}

// sharedLimit is the shared memory that a block of the function may use.
func (f *Function) sharedLimit() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(f.Module.device.GPU.Limits.SharedPerBlock, f.Kernel.StaticShared+f.dynamicShared)
}

var _ exec.Heap = (*heap)(nil)
