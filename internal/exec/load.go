package exec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
)

// Variables are the global and constant variables of a module in a device's memory.
type Variables struct {
	// Symbols and ConstRegions are what Launch wants of them.
	Symbols      []uint64
	ConstRegions []mem.Range
	memory       *mem.Memory
	allocated    []uint64
}

// Fixed is a variable that has memory already.
type Fixed struct {
	Address uint64
	// Kept is set when its contents stay: those that another device loaded.
	Kept bool
}

// PlaceVariables gives every variable of a module memory and its initial contents. Variables that fixed
// names have memory already.
func PlaceVariables(m *ir.Module, memory *mem.Memory, fixed map[string]Fixed) (*Variables, error) {
	v := &Variables{memory: memory}
	for _, g := range m.Globals {
		size := uint64(max(g.Size, 1))
		f, ok := fixed[g.Name]
		addr := f.Address
		if !ok {
			var err error
			if addr, err = memory.Alloc(size, uint64(max(g.Align, 1))); err != nil {
				return nil, errors.Join(fmt.Errorf("variable %s: %w", g.Name, err), v.Free())
			}
			v.allocated = append(v.allocated, addr)
		}
		v.Symbols = append(v.Symbols, addr)
		if g.Space == isa.Const {
			v.ConstRegions = append(v.ConstRegions, mem.Range{Base: addr, Size: size})
		}
	}
	for i, g := range m.Globals {
		if fixed[g.Name].Kept {
			continue
		}
		if err := v.initialise(m, i); err != nil {
			return nil, errors.Join(err, v.Free())
		}
	}
	return v, nil
}

// initialise writes the initial contents of variable i.
func (v *Variables) initialise(m *ir.Module, i int) error {
	g := m.Globals[i]
	size := uint64(max(g.Size, 1))
	if err := v.memory.Clear(v.Symbols[i], size); err != nil {
		return err
	}
	b, err := v.memory.Bytes(v.Symbols[i], size)
	if err != nil {
		return err
	}
	copy(b, g.Init)
	for _, r := range g.Relocs {
		var value uint64
		if r.Symbol.Global >= 0 {
			value = v.Symbols[r.Symbol.Global]
		} else {
			var ok bool
			if value, ok = m.AddressOf(r.Symbol.Func); !ok {
				return fmt.Errorf("variable %s holds the address of %s, which is not defined", g.Name, r.Symbol.Func)
			}
		}
		value += uint64(r.Addend)
		if r.Shift >= 0 {
			value = value >> r.Shift & 0xFF
		}
		field := b[r.Offset : r.Offset+r.Bytes]
		var word [8]byte
		copy(word[:], field)
		binary.LittleEndian.PutUint64(word[:], binary.LittleEndian.Uint64(word[:])+value)
		copy(field, word[:])
	}
	return nil
}

// Free gives the memory of the variables back.
func (v *Variables) Free() error {
	var errs []error
	for _, addr := range v.allocated {
		errs = append(errs, v.memory.Free(addr))
	}
	v.Symbols, v.ConstRegions, v.allocated = nil, nil, nil
	return errors.Join(errs...)
}
