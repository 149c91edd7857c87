package main

// Without mask registers a vector's mask is made from its byte of the masks: a vector of that byte, of which each
// lane compares its own bit.

// laneBits returns the operand with the bit of each lane of vector v in the byte that holds its mask; half vectors are
// those of 64-bit lanes that are held in 32 bits.
func (e *elementwise) laneBits(v int, half bool) string {
	var data []byte
	first := v * e.lanes % 8
	bytes := 4
	if e.lanes == 4 && !half {
		bytes = 8
	}
	for lane := range e.lanes {
		for range bytes {
			data = append(data, 1<<(first+lane))
		}
	}
	return e.unit.constants.add(data)
}

// loadMask makes a register the mask of vector v from the bits at a pointer.
func (e *elementwise) loadMask(pointer string, v int, half bool, n int) {
	r := e.vector(n, half)
	e.line("VPBROADCASTB %s, %s", e.place(pointer, 1, v), r)
	e.line("VPAND %s, %s, %s", e.laneBits(v, half), r, r)
	e.line("VPCMPEQB %s, %s, %s", e.laneBits(v, half), r, r)
}

// loadAVX2 brings vector v of every source into registers 0 to 3.
func (e *elementwise) loadAVX2(v int) {
	for i, bits := range e.shape.src {
		switch bits {
		case 0:
		case 1:
			e.loadMask(pointers[i+1], v, false, i)
		default:
			e.line("VMOVDQU %s, %s", e.place(pointers[i+1], bits, v), e.vector(i, e.half(bits)))
		}
	}
}

// storeAVX2 writes vector v of the result from register 4. The sources' registers are free by then.
func (e *elementwise) storeAVX2(v int, masked bool) {
	if e.shape.dst == 1 {
		e.storeBits(v, masked)
		return
	}
	half := e.half(e.shape.dst)
	at, result := e.place("DI", e.shape.dst, v), e.vector(4, half)
	if masked {
		mask, old := e.vector(0, half), e.vector(1, half)
		e.loadMask("R8", v, half, 0)
		e.line("VMOVDQU %s, %s", at, old)
		e.line("VPBLENDVB %s, %s, %s, %s", mask, result, old, result)
	}
	e.line("VMOVDQU %s, %s", result, at)
}

// storeBits writes the predicates of vector v; with 64-bit lanes a byte is that of two vectors, the first
// of which is kept in R15.
func (e *elementwise) storeBits(v int, masked bool) {
	if e.lanes == 4 {
		if v%2 == 0 {
			e.line("VMOVMSKPD Y4, R15")
			return
		}
		e.lines("VMOVMSKPD Y4, AX", "SHLL $4, AX", "ORL R15, AX")
		v-- // whose byte it is
	} else {
		e.line("VMOVMSKPS Y4, AX")
	}
	at := e.place("DI", 1, v)
	if masked {
		e.line("MOVBLZX %s, R15", e.place("R8", 1, v))
		e.lines("ANDL R15, AX", "NOTL R15")
		e.line("ANDB %s, R15", at)
		e.line("ORL R15, AX")
	}
	e.line("MOVB AX, %s", at)
}
