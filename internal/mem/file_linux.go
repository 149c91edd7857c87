package mem

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// File is memory that can be at several addresses, and in several processes.
type File struct{ fd int }

// fileName is the name of the files, by which another process knows what it opens.
const fileName = "silica-memory"

// NewFile returns a file of size bytes, of which those that were not written are zero and take no memory.
func NewFile(size uint64) (*File, error) {
	fd, err := unix.MemfdCreate(fileName, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("a file of %d bytes in memory: %w", size, err)
	}
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("a file of %d bytes in memory: %w", size, err)
	}
	return &File{fd}, nil
}

// OpenFile returns the file that is a descriptor of a process. The error wraps fs.ErrNotExist when there is no such descriptor.
func OpenFile(pid, fd int) (*File, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	name, err := os.Readlink(path)
	switch {
	case err != nil:
		return nil, err
	case name != "/memfd:"+fileName+" (deleted)":
		return nil, fmt.Errorf("%s is no memory of a device", path)
	}
	own, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{own}, nil
}

// Descriptor returns the file's descriptor in this process.
func (f *File) Descriptor() int { return f.fd }

// Duplicate returns another descriptor of the file, which is the caller's.
func (f *File) Duplicate() (int, error) { return unix.FcntlInt(uintptr(f.fd), unix.F_DUPFD_CLOEXEC, 3) }

// Identity returns what tells files of the system apart.
func (f *File) Identity() (uint64, error) {
	var s unix.Stat_t
	err := unix.Fstat(f.fd, &s)
	return s.Ino, err
}

// Size returns the file's size.
func (f *File) Size() (uint64, error) {
	var s unix.Stat_t
	err := unix.Fstat(f.fd, &s)
	return uint64(s.Size), err
}

// Grow makes the file at least size bytes large.
func (f *File) Grow(size uint64) error {
	if old, err := f.Size(); err != nil || old >= size {
		return err
	}
	return unix.Ftruncate(f.fd, int64(size))
}

// Close ends the use of the file here. What is mapped of it stays.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	return unix.Close(f.fd)
}

// Discard makes bytes of the file zero, without memory. A failure costs memory and nothing else.
func (f *File) Discard(offset, size uint64) {
	_ = unix.Fallocate(f.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(offset), int64(size))
}

// replace puts the contents of size bytes of whole pages at p into the file, and the file in their place.
func (f *File) replace(p unsafe.Pointer, size, offset uint64) error {
	page := pageSize()
	for at := uint64(0); at < size; {
		n := min(size-at, 1<<30)
		used := touched(unsafe.Add(p, at), n)
		for i := range n / page {
			if used != nil && !used[i] {
				continue
			}
			if _, err := unix.Pwrite(f.fd, unsafe.Slice((*byte)(unsafe.Add(p, at+i*page)), page), int64(offset+at+i*page)); err != nil {
				return err
			}
		}
		at += n
	}
	return mapFile(p, size, f, offset)
}

// Bytes maps the first size bytes of the file anywhere.
func (f *File) Bytes(size uint64) ([]byte, error) {
	return unix.Mmap(f.fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// mapFile puts a part of a file at p, in place of what was there.
func mapFile(p unsafe.Pointer, size uint64, f *File, offset uint64) error {
	return mapAt(p, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED|unix.MAP_NORESERVE, f.fd, offset)
}

// mapNothing puts new memory at p, in place of what was there.
func mapNothing(p unsafe.Pointer, size uint64) {
	// It was mapped a moment ago; without it the old contents stay, which nothing reaches.
	_ = mapAt(p, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED|unix.MAP_NORESERVE, -1, 0)
}

func mapAt(p unsafe.Pointer, size uint64, protection, flags, fd int, offset uint64) error {
	_, err := unix.MmapPtr(fd, int64(offset), p, uintptr(size), protection, flags)
	return err
}

// touched tells for each page of size bytes at p whether the process has touched it since it came, or was let go; nil when
// the system does not tell.
func touched(p unsafe.Pointer, size uint64) []bool {
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	defer f.Close()
	page := pageSize()
	words := make([]byte, size/page*8)
	if n, err := f.ReadAt(words, int64(uint64(uintptr(p))/page*8)); err != nil || n < len(words) {
		return nil
	}
	const present, swapped = 1 << 63, 1 << 62
	used := make([]bool, size/page)
	for i := range used {
		used[i] = binary.LittleEndian.Uint64(words[i*8:])&(present|swapped) != 0
	}
	return used
}

// inProcess tells whether the process has memory at addr.
func inProcess(addr uint64) bool {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return false
	}
	for line := range bytes.Lines(text) {
		var from, to uint64
		if n, _ := fmt.Sscanf(string(line), "%x-%x", &from, &to); n == 2 && from <= addr && addr < to {
			return true
		}
	}
	return false
}
