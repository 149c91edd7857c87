package exec

import (
	"unsafe"

	"silica/internal/isa"
	"silica/internal/mem"
)

// Atomic performs one element of an atom or red at p and returns the old value. c is the second operand
// of a compare-and-swap.
type Atomic func(p unsafe.Pointer, b, c uint64) (old uint64)

// AtomicOf binds an atom or red form of an element of 16, 32 or 64 bits to what it does in space, Global
// or Shared; a form that names .shared::cluster does what it does there. In Global memory it is atomic with respect to all goroutines; a block's shared memory is
// touched by one goroutine at a time.
func AtomicOf(f *isa.Form, space isa.Space) Atomic {
	access := isa.AccessOf(f)
	if access.Space == isa.SharedCluster {
		space = isa.SharedCluster
	}
	t := access.Type
	bytes, combine := t.Bytes(), isa.CombineIn(f, space)
	if space != isa.Global {
		return func(p unsafe.Pointer, b, c uint64) uint64 {
			old := mem.Load(p, bytes)
			mem.Store(p, bytes, combine(old, b, c))
			return old
		}
	}
	if fast := fastAtomic(f, t); fast != nil {
		return fast
	}
	return func(p unsafe.Pointer, b, c uint64) uint64 { return mem.Update(p, bytes, combine, b, c) }
}

// fastAtomic returns the form's operation when the processor has an instruction for it, else nil.
func fastAtomic(f *isa.Form, t isa.Type) Atomic {
	for _, op := range []struct {
		mod    string
		word32 func(p unsafe.Pointer, b, c uint32) uint32
		word64 func(p unsafe.Pointer, b, c uint64) uint64
	}{
		{".add",
			func(p unsafe.Pointer, b, _ uint32) uint32 { return mem.Add32(p, b) },
			func(p unsafe.Pointer, b, _ uint64) uint64 { return mem.Add64(p, b) }},
		{".and",
			func(p unsafe.Pointer, b, _ uint32) uint32 { return mem.And32(p, b) },
			func(p unsafe.Pointer, b, _ uint64) uint64 { return mem.And64(p, b) }},
		{".or",
			func(p unsafe.Pointer, b, _ uint32) uint32 { return mem.Or32(p, b) },
			func(p unsafe.Pointer, b, _ uint64) uint64 { return mem.Or64(p, b) }},
		{".exch",
			func(p unsafe.Pointer, b, _ uint32) uint32 { return mem.Exchange32(p, b) },
			func(p unsafe.Pointer, b, _ uint64) uint64 { return mem.Exchange64(p, b) }},
		{".cas", mem.CompareAndSwap32, mem.CompareAndSwap64},
	} {
		if !f.Has(op.mod) || t.Kind() == isa.Float {
			continue
		}
		switch t.Bits() {
		case 32:
			return func(p unsafe.Pointer, b, c uint64) uint64 { return uint64(op.word32(p, uint32(b), uint32(c))) }
		case 64:
			return op.word64
		}
	}
	return nil
}
