package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The first four bytes of what a device program can be in.
const (
	Magic        = 0xba55ed50 // a fat binary
	WrapperMagic = 0x466243b1 // the structure through which host code points to one
	ELFMagic     = 0x464c457f // machine code alone, a cubin
)

// Kind is what an entry holds.
type Kind uint16

// The kinds that nvcc 13.5 writes.
const (
	PTX Kind = 1
	ELF Kind = 2 // machine code
	IR  Kind = 8 // an intermediate form for optimisation at link time (-dlto)
)

// An Entry is one program for one architecture.
type Entry struct {
	Kind Kind
	SM   int // architecture: 90 for sm_90, and for sm_90a

	flags   flags
	size    uint64 // of the program when it is compressed
	payload []byte
}

// flags say how a program is stored.
type flags uint64

const (
	compressedLZ4  flags = 1 << 13
	compressedZstd flags = 1 << 15
)

// header is the head of a fat binary.
type header struct {
	Magic      uint32
	Version    uint16
	HeaderSize uint16
	Size       uint64 // of what follows the header
}

// entryHeader is the head of an entry.
type entryHeader struct {
	Kind       Kind
	_          uint16
	HeaderSize uint32
	Size       uint64 // of the payload, with padding
	Compressed uint32 // size of the payload without padding, 0 when it is not compressed
	_          uint32
	_          uint32
	SM         uint32
	_          [2]uint32 // where a source file's name is
	Flags      flags
	_          uint64
	Plain      uint64 // size of the program, 0 when it is not compressed
}

var (
	headerBytes = binary.Size(header{})
	entryBytes  = binary.Size(entryHeader{})
)

// ErrMalformed is wrapped by all errors of this package.
var ErrMalformed = errors.New("not a fat binary of a known form")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// HeaderBytes is what Size looks at.
const HeaderBytes = 16

// Size returns the size in bytes of the fat binary whose head is given.
func Size(head []byte) (int, error) {
	h, err := readHeader(head)
	return int(h.HeaderSize) + int(h.Size), err
}

// largest is the size in bytes above which a container or a program is not believed. CUDA's largest libraries have less.
const largest = 1 << 32

func readHeader(b []byte) (header, error) {
	var h header
	if _, err := binary.Decode(b, binary.LittleEndian, &h); err != nil {
		return h, malformed("%d bytes", len(b))
	}
	switch {
	case h.Magic != Magic:
		return h, malformed("it begins with %#x", h.Magic)
	case h.Version != 1 || int(h.HeaderSize) < headerBytes || h.Size > largest:
		return h, malformed("version %d with a head of %d bytes, %d in all", h.Version, h.HeaderSize, h.Size)
	}
	return h, nil
}

// Parse returns the entries of a fat binary. Several containers may follow each other. The entries refer to b.
func Parse(b []byte) ([]Entry, error) {
	var all []Entry
	for first := true; first || len(b) >= headerBytes && binary.LittleEndian.Uint32(b) == Magic; first = false {
		h, err := readHeader(b)
		if err != nil {
			return nil, err
		}
		if uint64(len(b)-int(h.HeaderSize)) < h.Size || len(b) < int(h.HeaderSize) {
			return nil, malformed("it ends after %d of %d bytes", len(b), uint64(h.HeaderSize)+h.Size)
		}
		entries := b[h.HeaderSize:][:h.Size]
		b = b[int(h.HeaderSize)+int(h.Size):]
		for len(entries) > 0 {
			e, rest, err := readEntry(entries)
			if err != nil {
				return nil, err
			}
			all, entries = append(all, e), rest
		}
	}
	return all, nil
}

func readEntry(b []byte) (e Entry, rest []byte, err error) {
	var h entryHeader
	if _, err := binary.Decode(b, binary.LittleEndian, &h); err != nil {
		return e, nil, malformed("an entry of %d bytes", len(b))
	}
	if int64(h.HeaderSize) < int64(entryBytes) || uint64(h.HeaderSize) > uint64(len(b)) || h.Size > uint64(len(b))-uint64(h.HeaderSize) {
		return e, nil, malformed("an entry with a head of %d and a program of %d bytes in %d", h.HeaderSize, h.Size, len(b))
	}
	payload := b[h.HeaderSize:][:h.Size]
	rest = b[uint64(h.HeaderSize)+h.Size:]
	if h.Compressed != 0 {
		if uint64(h.Compressed) > h.Size {
			return e, nil, malformed("%d compressed bytes in %d", h.Compressed, h.Size)
		}
		payload = payload[:h.Compressed]
	}
	return Entry{Kind: h.Kind, SM: int(h.SM), flags: h.Flags, size: h.Plain, payload: payload}, rest, nil
}

// Data returns the program: text for PTX, without the zero bytes after its end.
func (e Entry) Data() ([]byte, error) {
	data, err := e.unpacked()
	if err == nil && e.Kind == PTX {
		data, _, _ = bytes.Cut(data, []byte{0})
	}
	return data, err
}

func (e Entry) unpacked() ([]byte, error) {
	if e.flags&(compressedLZ4|compressedZstd) == 0 {
		return e.payload, nil
	}
	if e.size > largest || e.size > 1000*uint64(len(e.payload))+1<<20 {
		return nil, malformed("%d bytes unpack to %d", len(e.payload), e.size)
	}
	if e.flags&compressedLZ4 != 0 {
		out := make([]byte, e.size)
		n, err := lz4.UncompressBlock(e.payload, out)
		if err != nil || uint64(n) != e.size {
			return nil, malformed("LZ4: %d of %d bytes, %v", n, e.size, err)
		}
		return out, nil
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(e.size+1<<20))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	out, err := d.DecodeAll(e.payload, make([]byte, 0, e.size))
	if err != nil || uint64(len(out)) != e.size {
		return nil, malformed("zstd: %d of %d bytes, %v", len(out), e.size, err)
	}
	return out, nil
}

// A Text is PTX for an architecture.
type Text struct {
	SM  int // 90 for sm_90, and for sm_90a
	PTX []byte
}

// Pack returns a fat binary of texts, plain, as nvcc -no-compress makes it.
func Pack(texts ...Text) []byte {
	const alignment = 8
	var entries []byte
	for _, t := range texts {
		size := (len(t.PTX) + alignment) / alignment * alignment // with a zero byte at the end
		h := entryHeader{Kind: PTX, HeaderSize: uint32(entryBytes), Size: uint64(size), SM: uint32(t.SM)}
		entries = encode(entries, h)
		entries = append(append(entries, t.PTX...), make([]byte, size-len(t.PTX))...)
	}
	return append(encode(nil, header{Magic: Magic, Version: 1, HeaderSize: uint16(headerBytes), Size: uint64(len(entries))}), entries...)
}

// encode appends a head, which has a fixed size, to b.
func encode(b []byte, head any) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, head)
	return b
}
