package main

import "fmt"

// The kernels of atomic operations work lane by lane, in the order of lanes. In a block's own memory they are plain
// reads and writes, since one goroutine runs the block; in global memory they are the processor's atomic instructions
// or loops that compare and swap. At a lane whose access needs a closer look they return to Go, with the warp in
// machine.warp and the lanes left to do in machine.rest.

// atomic is an operation: from the old value in R8 and the operand in R9, combine computes the new one in R14.
type atomic struct {
	name    string // as the engine asks for it: opcode and type
	bits    int
	combine []string
	// fetch is the instruction that does all of it in memory at AX: R9 becomes the old value.
	fetch string
	cas   bool // the operand b is compared with and c stored
}

// op prints instructions with the suffix of the operands' width for each %.
func (a atomic) sized(list []string) []string {
	suffix := "L"
	if a.bits == 64 {
		suffix = "Q"
	}
	var out []string
	for _, l := range list {
		for i := range l {
			if l[i] == '%' {
				l = l[:i] + suffix + l[i+1:]
			}
		}
		out = append(out, l)
	}
	return out
}

// atomics returns the operations that have kernels.
func atomics() []atomic {
	var out []atomic
	add := func(op string, fetch string, combine []string, types ...string) {
		for _, t := range types {
			bits := 32
			if t[1:] == "64" {
				bits = 64
			}
			out = append(out, atomic{name: op + "." + t, bits: bits, combine: combine, fetch: fetch})
		}
	}
	with := func(op string) []string { return lines("MOV% R8, R14", op+" R9, R14") }
	choose := func(condition string) []string {
		return lines("MOV% R9, R14", "CMP% R8, R9", "CMOV%"+condition+" R8, R14")
	}
	add("add", "LOCK; XADD% R9, (AX)", with("ADD%"), "u32", "s32", "u64")
	add("and", "", with("AND%"), "b32", "b64")
	add("or", "", with("OR%"), "b32", "b64")
	add("xor", "", with("XOR%"), "b32", "b64")
	add("exch", "XCHG% R9, (AX)", lines("MOV% R9, R14"), "b32", "b64")
	add("min", "", choose("CS"), "u32", "u64")
	add("max", "", choose("HI"), "u32", "u64")
	add("min", "", choose("LT"), "s32", "s64")
	add("max", "", choose("GT"), "s32", "s64")
	add("inc", "", lines("LEAL 1(R8), R14", "XORL CX, CX", "CMPL R8, R9", "CMOVLCC CX, R14"), "u32")
	add("dec", "", lines("LEAL -1(R8), R14", "CMPL R14, R9", "CMOVLCC R9, R14"), "u32")
	// The canonical NaN.
	add("add", "", lines("VMOVD R8, X0", "VMOVD R9, X1", "VADDSS X1, X0, X0", "VMOVD X0, R14", "MOVL $0x7fffffff, CX",
		"VUCOMISS X0, X0", "CMOVLPS CX, R14"), "f32")
	// NaNs are left to Go.
	add("add", "", lines("VMOVQ R8, X0", "VMOVQ R9, X1", "VADDSD X1, X0, X0", "VUCOMISD X0, X0", "JPS slow", "VMOVQ X0, R14"), "f64")
	for _, bits := range []int{32, 64} {
		out = append(out, atomic{name: fmt.Sprintf("cas.b%d", bits), bits: bits, cas: true})
	}
	return out
}

// commonKernels are those that do not depend on the vector unit.
func commonKernels() []kernel {
	var out []kernel
	for _, a := range atomics() {
		for _, place := range []struct {
			name           string
			narrow, global bool
		}{{"own at 32", true, false}, {"own at 64", false, false}, {"global at 64", false, true}} {
			k := kernel{names: lines("atomic " + a.name + " " + place.name), code: a.kernel(place.narrow, place.global)}
			if a.name == "add.f64" {
				k.control = controlDefault
			}
			if a.name == "add.f32" {
				k.control = controlDefault
				if place.global {
					k.control |= controlFlush
				}
			}
			out = append(out, k)
		}
	}
	return out
}

// kernel writes one kernel: d gets the old values, a has the addresses, b and c the operands. In the loop over lanes DI,
// SI and DX point to the warp's rows of d, a and b, BX is the distance from an address to the host's, R15 from an address
// to an offset in the region, R11 the last offset, R10 the lanes left; the loop over warps is in machine.saved.
func (a atomic) kernel(narrow, global bool) []byte {
	c := &code{}
	c.lines("WARPS", "MOVL $-1, R10")
	c.label("warp")
	c.lines("TESTQ R8, R8", "JEQ all", "MOVL (R8)(R14*1), R10", "TESTL R10, R10", "JEQ next")
	c.label("all")
	c.lines("MOVQ R9, machine_saved(R13)", "MOVQ R14, (machine_saved+8)(R13)", "MOVQ machine_frame(R13), R11")
	point := func(operand, register string, bits int) {
		c.lines("MOVL step_"+operand+"(R12), "+register, "ADDQ R11, "+register, fmt.Sprintf("LEAQ (%s)(R9*%d), %s", register, bits/32, register))
	}
	address := 64
	if narrow {
		address = 32
	}
	point("d", "DI", a.bits)
	point("a", "SI", address)
	point("b", "DX", a.bits)
	c.lines("MOVL step_y(R12), CX", "ADDQ machine_regions(R13), CX",
		"MOVQ region_size(CX), R11", fmt.Sprintf("SUBQ $%d, R11", a.bits/8), "JCS slow",
		"MOVQ region_host(CX), BX", "MOVQ region_start(CX), R15", "SUBQ R15, BX")
	if global { // where addresses are the host's
		c.lines("TESTQ BX, BX", "JNE slow")
		// An atomic instruction waits for its line and lets none behind it be asked for: they are all asked for before.
		c.lines("MOVL R10, R9", "MOVQ step_imm(R12), R8")
		c.label("ask")
		c.lines("TZCNTL R9, CX", "MOVQ (SI)(CX*8), AX", "PREFETCHT0 (AX)(R8*1)", "BLSRL R9, R9", "JNE ask")
	}
	c.label("lane")
	c.line("TZCNTL R10, CX")
	if narrow {
		c.lines("MOVL (SI)(CX*4), AX", "ADDL step_imm(R12), AX")
	} else {
		c.lines("MOVQ (SI)(CX*8), AX", "ADDQ step_imm(R12), AX")
	}
	c.lines(fmt.Sprintf("TESTB $%d, AL", a.bits/8-1), "JNE slow", "MOVQ AX, R14", "SUBQ R15, R14", "CMPQ R14, R11", "JHI slow", "ADDQ BX, AX")
	c.lines(a.sized(lines(fmt.Sprintf("MOV%% (DX)(CX*%d), R9", a.bits/8)))...)
	c.lines(a.sized(a.change(global))...)
	c.lines("TZCNTL R10, CX")
	c.lines(a.sized(lines(fmt.Sprintf("MOV%% R8, (DI)(CX*%d)", a.bits/8)))...)
	c.lines("BLSRL R10, R10", "JNE lane", "MOVL $-1, R10",
		"MOVQ machine_saved(R13), R9", "MOVQ (machine_saved+8)(R13), R14", "MOVL step_lanes(R12), R8", "MOVQ (R13)(R8*1), R8")
	c.label("next")
	c.lines("NEXT_WARP", "JNE warp", "MOVQ machine_frame(R13), R11", "NEXT")
	c.label("slow")
	c.lines("MOVQ (machine_saved+8)(R13), R14", "SHRQ $2, R14", "MOVQ R14, machine_warp(R13)", "MOVL R10, machine_rest(R13)", "EXIT")
	return c.Bytes()
}

// change is the operation at AX; R8 becomes the old value.
func (a atomic) change(global bool) []string {
	third := lines("MOVL step_c(R12), R14", "ADDQ machine_frame(R13), R14", fmt.Sprintf("LEAQ (R14)(CX*%d), R14", a.bits/8),
		"MOVQ machine_saved(R13), R8", fmt.Sprintf("MOV%% (R14)(R8*%d), R14", a.bits/32))
	switch {
	case a.cas && global:
		return join(third, lines("MOVQ AX, CX", "MOV% R9, AX", "LOCK; CMPXCHG% R14, (CX)", "MOV% AX, R8"))
	case a.cas:
		return join(third, lines("MOV% (AX), R8", "CMP% R8, R9", "CMOV%NE R8, R14", "MOV% R14, (AX)"))
	case global && a.fetch != "":
		return lines(a.fetch, "MOV% R9, R8")
	case global:
		// R8 is the old value as read last.
		return join(lines("MOV% (AX), R8"), a.retry())
	}
	return join(lines("MOV% (AX), R8"), a.combine, lines("MOV% R14, (AX)"))
}

// retry combines and swaps until nobody has come between. AX is the old value for CMPXCHG, whose place is then in
// machine.place.
func (a atomic) retry() []string {
	out := lines("MOVQ AX, machine_place(R13)", "again:")
	return join(out, a.combine, lines("MOVQ machine_place(R13), CX", "MOV% R8, AX", "LOCK; CMPXCHG% R14, (CX)", "MOV% AX, R8", "JNE again"))
}
