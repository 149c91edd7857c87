package main

import (
	"bytes"
	"fmt"
)

// unit is a vector instruction set, or what does not depend on it.
type unit struct {
	name      string
	avx512    bool
	common    bool
	constants *constants
}

func units() []*unit {
	return []*unit{
		{name: "avx512", avx512: true, constants: &constants{at: map[string]int{}}},
		{name: "avx2", constants: &constants{at: map[string]int{}}},
		{name: "common", common: true, constants: &constants{at: map[string]int{}}},
	}
}

// kernels returns all kernels of the unit.
func (u *unit) kernels() []kernel {
	if u.common {
		return commonKernels()
	}
	var out []kernel
	for _, group := range [][]op{
		moves(), integers32(), integers64(), widening(), integers16(), bits32(),
		floats32(), floats64(), compares(), conversions(), halves(), approximations(),
		integerDivisions(), resizes(), narrowFloats(), shortIntegers(), longIntegers(), dotProducts(), longConversions(),
		halfOrders(), properties(), approximations64(), halfFunctions(),
	} {
		for _, o := range group {
			if k, ok := u.elementwise(o); ok {
				out = append(out, k)
			}
		}
	}
	out = append(out, u.memoryKernels()...)
	return append(out, u.warpKernels()...)
}

// constants are the read-only data that kernels refer to as label<>+offset(SB).
type constants struct {
	bytes []byte
	at    map[string]int
}

// add returns the operand that reads data, which is added once.
func (c *constants) add(data []byte) string {
	key := string(data)
	at, ok := c.at[key]
	if !ok {
		for len(c.bytes)%min(len(data), 64) != 0 {
			c.bytes = append(c.bytes, 0)
		}
		at = len(c.bytes)
		c.at[key] = at
		c.bytes = append(c.bytes, data...)
	}
	return fmt.Sprintf("constants<>+%d(SB)", at)
}

func (c *constants) print(w *bytes.Buffer) {
	if len(c.bytes) == 0 {
		return
	}
	for len(c.bytes)%8 != 0 {
		c.bytes = append(c.bytes, 0)
	}
	w.WriteString("\n")
	for i := 0; i < len(c.bytes); i += 8 {
		var v uint64
		for j := range 8 {
			v |= uint64(c.bytes[i+j]) << (8 * j)
		}
		fmt.Fprintf(w, "DATA constants<>+%d(SB)/8, $%#016x\n", i, v)
	}
	fmt.Fprintf(w, "GLOBL constants<>(SB), RODATA|NOPTR, $%d\n", len(c.bytes))
}

// code is the text of a kernel being written.
type code struct{ bytes.Buffer }

// line prints one instruction.
func (c *code) line(format string, args ...any) { fmt.Fprintf(c, "\t"+format+"\n", args...) }

// lines prints instructions as they are.
func (c *code) lines(list ...string) {
	for _, l := range list {
		c.line("%s", l)
	}
}

func (c *code) label(name string) { fmt.Fprintf(c, "%s:\n", name) }
