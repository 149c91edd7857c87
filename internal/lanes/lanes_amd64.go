package lanes

import "golang.org/x/sys/cpu"

// vector tells whether the CPU has what the machine code needs.
var vector = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512CD && cpu.X86.HasAVX512VBMI2 &&
	cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

//go:noescape
func sort(o *Order, addr *[Count]uint64, lanes uint32, k *Key, groups *[Count]uint64) (sorted uint32)

//go:noescape
func evenly(addr *[Count]uint64, lanes uint32, base, shift uint64) bool

//go:noescape
func alike(addr *[Count]uint64, lanes uint32, base uint64, apart *[Count]uint64) bool

//go:noescape
func different(d *Different, addr *[Count]uint64, lanes uint32, k *Key) bool

//go:noescape
func mark(m *Map, first uint64, addr *[Count]uint64, lanes uint32) (others uint32)
