//go:build !linux

package mem

import "unsafe"

// File is memory that can be at several addresses, and in several processes, which this system has not.
type File struct{}

func NewFile(uint64) (*File, error)        { return nil, ErrNoFiles }
func OpenFile(int, int) (*File, error)     { return nil, ErrNoFiles }
func (*File) Descriptor() int              { return -1 }
func (*File) Duplicate() (int, error)      { return -1, ErrNoFiles }
func (*File) Identity() (uint64, error)    { return 0, ErrNoFiles }
func (*File) Size() (uint64, error)        { return 0, ErrNoFiles }
func (*File) Grow(uint64) error            { return ErrNoFiles }
func (*File) Close() error                 { return nil }
func (*File) Discard(uint64, uint64)       {}
func (*File) Bytes(uint64) ([]byte, error) { return nil, ErrNoFiles }

func (*File) replace(unsafe.Pointer, uint64, uint64) error { return ErrNoFiles }
func mapFile(unsafe.Pointer, uint64, *File, uint64) error  { return ErrNoFiles }
func mapNothing(unsafe.Pointer, uint64)                    {}
func touched(unsafe.Pointer, uint64) []bool                { return nil }
func inProcess(uint64) bool                                { return false }
