package simd

import "unsafe"

//go:noescape
func patterns64(addr unsafe.Pointer, mask *uint32, stride uint64, warps int, out *pattern)

//go:noescape
func widen32(dst, src unsafe.Pointer, warps int)

//go:noescape
func copy32(dst, src unsafe.Pointer, mask uint32)

//go:noescape
func copy64(dst, src unsafe.Pointer, mask uint32)

//go:noescape
func fill32(dst unsafe.Pointer, value uint32, mask uint32)

//go:noescape
func fill64(dst unsafe.Pointer, value uint64, mask uint32)

//go:noescape
func gather32(row, addr unsafe.Pointer, delta uint64, mask uint32)

//go:noescape
func gather64(row, addr unsafe.Pointer, delta uint64, mask uint32)

//go:noescape
func scatter32(row, addr unsafe.Pointer, delta uint64, mask uint32)

//go:noescape
func scatter64(row, addr unsafe.Pointer, delta uint64, mask uint32)

//go:noescape
func load32(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)

//go:noescape
func load64(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)

//go:noescape
func store32(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)

//go:noescape
func store64(row unsafe.Pointer, patterns *pattern, masks *uint32, offset, wrap, base, size uint64, start unsafe.Pointer, warps int) (done int)
