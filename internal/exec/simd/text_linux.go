package simd

import (
	"golang.org/x/sys/unix"
)

// mapText returns a mapping of code, which can be run and not be written.
func mapText(code []byte) ([]byte, error) {
	m, err := unix.Mmap(-1, 0, len(code), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, err
	}
	copy(m, code)
	if err := unix.Mprotect(m, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		unmapText(m)
		return nil, err
	}
	return m, nil
}

// unmapText gives a mapping back. That it can not costs memory and nothing else.
func unmapText(m []byte) { _ = unix.Munmap(m) }
