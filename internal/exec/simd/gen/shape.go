package main

import (
	"bytes"
	"fmt"
	"strings"
)

// shape tells the width of a kernel's operands: 1 for a predicate, 16 (zero-extended in a 32-bit row),
// 32, 64, or 0 for none. Sources are a, b, c, e in this order.
type shape struct {
	dst int
	src [4]int
}

func (s shape) sources() string {
	var parts []string
	for _, n := range s.src {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ", ")
}

// frame is the stack a kernel needs: the two words of a changed and a saved MXCSR.
func (s shape) frame() int { return 8 }

var sourceRegs = [4]string{"SI", "DX", "CX", "BX"}

// lanes is how many lanes one vector of the kernel holds: 8 when any operand is 64 bits wide, else 16.
func (s shape) lanes() int {
	if s.dst == 64 {
		return 8
	}
	for _, n := range s.src {
		if n == 64 {
			return 8
		}
	}
	return 16
}

// rows gives the widths of the rows that hold the operands.
func (s shape) rows() shape {
	widen := func(bits int) int {
		if bits == 16 {
			return 32
		}
		return bits
	}
	s.dst = widen(s.dst)
	for i := range s.src {
		s.src[i] = widen(s.src[i])
	}
	return s
}

// loop prints the loop over warps. Each turn computes 32 lanes in 2 or 4 vectors; lanes outside the
// mask keep their old values and warps with an empty mask are skipped.
func (s shape) loop(w *bytes.Buffer, id int, o op) {
	s = s.rows()
	label := func(name string) string { return fmt.Sprintf("%s%d", name, id) }
	p := func(format string, args ...any) { fmt.Fprintf(w, "\t"+format+"\n", args...) }
	vectors := 32 / s.lanes()

	p("TESTQ R8, R8")
	p("JNE %s", label("masked"))
	fmt.Fprintf(w, "%s:\n", label("full"))
	for v := range vectors {
		s.load(p, v)
		o.emit(p)
		s.store(p, v, false)
	}
	s.finishPredicate(p, false)
	s.advance(p)
	p("DECQ R9")
	p("JNE %s", label("full"))
	p("JMP %s", label("done"))

	fmt.Fprintf(w, "%s:\n", label("masked"))
	p("CMPL (R8), $0")
	p("JEQ %s", label("skip"))
	for v := range vectors {
		s.load(p, v)
		o.emit(p)
		s.store(p, v, true)
	}
	s.finishPredicate(p, true)
	fmt.Fprintf(w, "%s:\n", label("skip"))
	s.advance(p)
	p("ADDQ $4, R8")
	p("DECQ R9")
	p("JNE %s", label("masked"))
	fmt.Fprintf(w, "%s:\n", label("done"))
}

type printer func(format string, args ...any)

// load brings vector v of every source into Z0..Z3, or its predicate bits into K3.
func (s shape) load(p printer, v int) {
	for i, bits := range s.src {
		reg := sourceRegs[i]
		switch {
		case bits == 1:
			if s.lanes() == 16 {
				p("KMOVW %d(%s), K3", v*2, reg)
			} else {
				p("KMOVB %d(%s), K3", v, reg)
			}
		case bits == 32 && s.lanes() == 8:
			p("VMOVDQU %d(%s), Y%d", v*32, reg, i)
		case bits != 0:
			p("VMOVDQU64 %d(%s), Z%d", v*64, reg, i)
		}
	}
}

// store writes vector v of the result from Z4 (Y4 for 32-bit results of 64-bit operands) or gathers
// the predicate bits from K4 in R10.
func (s shape) store(p printer, v int, masked bool) {
	if masked && s.dst != 1 {
		if s.lanes() == 16 {
			p("KMOVW %d(R8), K1", v*2)
		} else {
			p("KMOVB %d(R8), K1", v)
		}
	}
	mask := ""
	if masked {
		mask = "K1, "
	}
	switch {
	case s.dst == 1:
		if v == 0 {
			p("XORL R10, R10")
		}
		p("KMOVW K4, R11")
		if s.lanes() == 8 {
			p("MOVBLZX R11, R11")
		} else {
			p("MOVWLZX R11, R11")
		}
		if v > 0 {
			p("SHLL $%d, R11", v*s.lanes())
		}
		p("ORL R11, R10")
	case s.dst == 32 && s.lanes() == 8:
		p("VMOVDQU32 Y4, %s%d(DI)", mask, v*32)
	case s.dst == 32:
		p("VMOVDQU32 Z4, %s%d(DI)", mask, v*64)
	default:
		p("VMOVDQU64 Z4, %s%d(DI)", mask, v*64)
	}
}

// finishPredicate writes a warp's predicate word.
func (s shape) finishPredicate(p printer, masked bool) {
	if s.dst != 1 {
		return
	}
	if masked {
		p("MOVL (R8), R12")
		p("ANDL R12, R10")
		p("NOTL R12")
		p("ANDL (DI), R12")
		p("ORL R12, R10")
	}
	p("MOVL R10, (DI)")
}

func (s shape) advance(p printer) {
	step := func(bits int) int { return bits * 4 }
	widths := append([]int{s.dst}, s.src[:]...)
	for i, reg := range []string{"DI", "SI", "DX", "CX", "BX"} {
		switch widths[i] {
		case 0:
		case 1:
			p("ADDQ $4, %s", reg)
		default:
			p("ADDQ $%d, %s", step(widths[i]), reg)
		}
	}
}
