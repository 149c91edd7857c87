package ir

import (
	"math/bits"

	"silica/internal/isa"
	"silica/ptx"
)

// variableLayout is the size of a variable in memory.
type variableLayout struct {
	size, align int // bytes
	element     int // bytes of one scalar
	// dims are the array dimensions and the vector length, outermost first; a missing one is known.
	dims []int
}

// layoutOf returns the layout of a variable. A dimension left open takes its length from the initialiser.
func layoutOf(v *ptx.Variable) variableLayout {
	l := variableLayout{element: v.Type.Bytes()}
	l.dims = append(l.dims, v.Dims...)
	unit := l.element
	if v.Vector > 0 {
		l.dims = append(l.dims, v.Vector)
		unit *= v.Vector
	}
	if len(l.dims) > 0 && l.dims[0] < 0 {
		l.dims[0] = openLength(v.Init, product(l.dims[1:]))
	}
	l.size = l.element * product(l.dims)
	l.align = max(v.Align, 1)
	if v.Align == 0 {
		l.align = max(unit, 1)
	}
	return l
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= max(d, 0)
	}
	return n
}

// openLength returns the length of an open dimension whose elements hold inner scalars each.
func openLength(init *ptx.Init, inner int) int {
	if init == nil || inner == 0 {
		return 0
	}
	return (scalars(init) + inner - 1) / inner
}

// scalars returns the number of values in an initialiser.
func scalars(init *ptx.Init) int {
	if init.List == nil {
		return 1
	}
	n := 0
	for _, item := range init.List {
		n += scalars(item)
	}
	return n
}

// fill computes the initial bytes of a global.
func (m *Module) fill(g *Global, v *ptx.Variable, l variableLayout) error {
	w := initWriter{module: m, global: g, variable: v, layout: l}
	if v.Init.List == nil {
		return w.scalar(v.Init, 0)
	}
	_, err := w.list(v.Init, 0)
	return err
}

// initWriter writes one initialiser.
type initWriter struct {
	module   *Module
	global   *Global
	variable *ptx.Variable
	layout   variableLayout
}

// list writes {...} from scalar number at on and returns the number after its last. As in ptxas, braces
// only group: the values fill the variable one after the other, whatever its dimensions.
func (w *initWriter) list(init *ptx.Init, at int) (int, error) {
	for _, item := range init.List {
		var err error
		if item.List != nil {
			at, err = w.list(item, at)
		} else {
			err = w.scalar(item, at)
			at++
		}
		if err != nil {
			return at, err
		}
	}
	return at, nil
}

// scalar writes one value as scalar number at.
func (w *initWriter) scalar(init *ptx.Init, at int) error {
	width := w.layout.element
	offset := at * width
	if offset+width > w.layout.size {
		return w.module.errorf(init.Pos, "too many initialisers for %s, which has room for %d", w.variable.Name, w.layout.size/width)
	}
	w.global.Init = append(w.global.Init, make([]byte, offset+width-len(w.global.Init))...)
	switch v := init.Value.(type) {
	case *ptx.Immediate:
		value, err := immediate(v, w.variable.Type)
		if err != nil {
			return w.module.errorf(v.Pos, "%v", err)
		}
		for i := range width {
			w.global.Init[offset+i] = byte(value >> (8 * min(i, 8)))
		}
		return nil
	case *ptx.AddressOf:
		return w.address(v, offset, width)
	}
	return w.module.errorf(init.Pos, "the initialiser of %s is neither a constant nor an address", w.variable.Name)
}

// address writes the address of a variable or function: a relocation.
func (w *initWriter) address(a *ptx.AddressOf, offset, width int) error {
	r := Reloc{Offset: offset, Bytes: width, Addend: a.Offset, Shift: -1}
	if a.Mask != 0 {
		r.Shift = bits.TrailingZeros64(a.Mask)
	}
	if v := w.module.variables[a.Name]; v != nil {
		i, ok := w.module.globalIndex(v)
		if !ok {
			return w.module.errorf(a.Pos, "%s is in .%s memory and has no address before the kernel runs", a.Name, v.Space)
		}
		r.Symbol.Global = i
	} else if f := w.module.function(a.Name); f != nil {
		r.Symbol = SymbolRef{Global: -1, Func: f.Name}
	} else {
		return w.module.errorf(a.Pos, "%s is not declared", a.Name)
	}
	w.global.Relocs = append(w.global.Relocs, r)
	return nil
}

// addressBits is the width of an address in the module.
func (m *Module) addressBits() int {
	if m.Source.AddressSize == 64 {
		return 64
	}
	return 32
}

// addressType is the type of an address in the module.
func (m *Module) addressType() isa.Type {
	if m.addressBits() == 64 {
		return isa.B64
	}
	return isa.B32
}
