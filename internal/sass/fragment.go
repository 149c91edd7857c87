package sass

import (
	"strings"

	"silica/internal/isa"
)

// isFragment tells whether an instruction loads or stores a matrix of wmma.
func isFragment(v *value) bool {
	return v.inst != nil && v.inst.Form.Opcode == "wmma" && v.inst.Op == isa.OpMatrix
}

// fragment is the load or store of a matrix of wmma while it is selected.
type fragment struct {
	*selector
	place    []Operand // where it lies: the address and the stride, or what was computed of them
	elements []Operand // registers that are still to be loaded or stored
	loaded   []Operand // what was loaded and has to be rearranged, the next first
}

// fragment selects the load or store of a matrix: first the place of a lane, then accesses that depend on nothing else, then what
// rearranges the elements that were loaded.
func (s *selector) fragment(v *value, names []string, src []Operand) {
	f := fragment{selector: s}
	f.operands(v, src)
	var last *Inst
	final := lastAccess(names)
	for i, n := range names {
		opcode, mods, _ := strings.Cut(n, ".")
		if mods != "" {
			mods = "." + mods
		}
		switch {
		case i < final && !movesElements(n):
			d := s.temp(32)
			last = s.emit(opcode, mods, d, f.place...)
			f.place = []Operand{f.place[0], d}
		case movesElements(n) && v.bits == 0:
			last = s.emit(opcode, mods, Operand{}, append(f.place[:len(f.place):len(f.place)], f.take(wordsOf(n))...)...)
		case movesElements(n) && final == len(names)-1:
			last = s.emit(opcode, mods, Operand{}, f.place...)
			last.Dst = f.take(wordsOf(n))
		case movesElements(n):
			d := s.temp(32)
			last = s.emit(opcode, mods, d, f.place...)
			f.loaded = append(f.loaded, d)
		default:
			last = s.emit(opcode, mods, Operand{})
			last.Dst = f.take(1)
			if len(f.loaded) > 0 {
				last.Src = f.loaded[:1:1]
				f.loaded = append(f.loaded[1:], f.loaded[0])
			}
		}
	}
	if v.bits > 0 && last != nil {
		last.Dst = append(last.Dst, f.elements...)
	}
}

// operands tells the place from the elements. A store has an even number of elements, and a stride behind them or none.
func (f *fragment) operands(v *value, src []Operand) {
	f.place = src
	if v.bits == 0 {
		count := (len(src) - 1) &^ 1
		f.place, f.elements = append(src[:1:1], src[1+count:]...), src[1:1+count]
		return
	}
	for _, r := range append([]*value{v}, v.results...) {
		if r == v && f.want[v] || r != v && r.needed {
			f.elements = append(f.elements, f.dst(r))
		}
	}
}

// take returns the next registers, of so many words.
func (f *fragment) take(words int) []Operand {
	n := 0
	for ; n < len(f.elements) && words > 0; n++ {
		words -= f.elements[n].Words
	}
	out := f.elements[:n:n]
	f.elements = f.elements[n:]
	return out
}

// isProduct tells whether an instruction becomes several products of matrices and nothing else.
func isProduct(v *value, names []string) bool {
	for _, n := range names {
		if opcode, _, _ := strings.Cut(n, "."); Lookup(opcode) == nil || Lookup(opcode).Pipe != isa.Tensor {
			return false
		}
	}
	return len(names) > 1 && len(names)%2 == 0 && v.bits > 0
}

// product selects the products that an instruction becomes: two halves of the result, which do not wait for each other.
func (s *selector) product(v *value, names []string, src []Operand) {
	f := fragment{selector: s}
	f.operands(v, src)
	half := (len(f.elements) + 1) / 2
	var before [2][]Operand
	for i, n := range names {
		opcode, mods, _ := strings.Cut(n, ".")
		in := s.emit(opcode, "."+mods, Operand{}, append(src[:len(src):len(src)], before[i%2]...)...)
		if i < len(names)-2 {
			in.Dst = []Operand{s.temp(32)}
			before[i%2] = in.Dst
			continue
		}
		in.Dst = append(in.Dst, f.elements[:min(half, len(f.elements))]...)
		f.elements = f.elements[min(half, len(f.elements)):]
	}
}

// lastAccess finds the last access of a sequence; before its beginning when there is none.
func lastAccess(names []string) int {
	last := len(names) - 1
	for last >= 0 && !movesElements(names[last]) {
		last--
	}
	return last
}

// movesElements tells whether an instruction of a sequence accesses memory.
func movesElements(name string) bool {
	switch opcode, _, _ := strings.Cut(name, "."); opcode {
	case "LD", "ST", "LDS", "STS", "LDG", "STG", "LDSM":
		return true
	}
	return false
}

// wordsOf is how many registers of a lane an access moves.
func wordsOf(name string) int {
	switch mods := name[strings.LastIndex(name, ".")+1:]; mods {
	case "64", "2":
		return 2
	case "128", "4":
		return 4
	}
	return 1
}
