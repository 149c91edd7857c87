package simd

import (
	"fmt"

	"silica/internal/isa"
)

// lowerConversion emits a conversion from or to an integer in a register that is wider than its type, as PTX has it, and conversions that change
// no bit: by way of registers of the types' sizes.
func (b *builder) lowerConversion(dst, src operand) bool {
	form := b.inst.Form
	last := len(form.Mods) - 1
	to, from := isa.ParseType(form.Mods[last-1]), isa.ParseType(form.Mods[last])
	row := b.narrow(0)
	var steps []conversion
	add := func(name string, d operand) {
		steps = append(steps, conversion{name, d, src})
		src = d
	}
	if from.Kind() != isa.Float && from.Bits() < 64 && src.bits == 64 {
		add("cvt.u32.u64", row)
	}
	if from.Kind() != isa.Float && src.bits == 32 {
		switch from.Bits() {
		case 16:
			add("cvt.u16.u32", operand{offset: row.offset, bits: 16})
		case 8:
			src.bits = 16 // the upper bits are not looked at
		}
	}
	result := dst
	if bits := max(to.Bits(), 16); to.Kind() != isa.Float && bits < dst.bits {
		result = operand{offset: row.offset, bits: bits}
	}
	switch {
	case to.Bits() != from.Bits() || to.Kind() == isa.Float || from.Kind() == isa.Float || form.Has(".sat"):
		add(form.Name(), result)
	case to.Bits() == 8:
		add("cvt."+to.String()+".u16", result)
	case result.bits == dst.bits:
		add("mov", result)
	}
	if src.bits < dst.bits {
		kind := "u"
		if to.Kind() == isa.Signed {
			kind = "s"
		}
		add(fmt.Sprintf("cvt.%s%d.%s", kind, dst.bits, to), dst)
	}
	for _, m := range steps {
		if _, ok := b.unit.kernel(m.name, m.dst, m.src); !ok {
			return false
		}
	}
	for _, m := range steps {
		b.try(m.name, m.dst, m.src)
	}
	return true
}

// conversion is a kernel that makes one register of another.
type conversion struct {
	name     string
	dst, src operand
}
