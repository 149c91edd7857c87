package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What nvcc made of one program is the same text, however it is compressed.
func TestProgramsOfNVCC(t *testing.T) {
	var want [2]string
	for _, name := range []string{"none.fatbin", "speed.fatbin", "size.fatbin"} {
		b := read(t, name)
		entries, err := Parse(b)
		if err != nil || len(entries) != 2 {
			t.Fatalf("%s: %d entries, %v", name, len(entries), err)
		}
		if n, err := Size(b[:HeaderBytes]); n != len(b) || err != nil {
			t.Errorf("%s: size %d of %d, %v", name, n, len(b), err)
		}
		for i, target := range []string{"sm_80", "sm_90a"} {
			e := entries[i]
			text, err := e.Data()
			if err != nil || e.Kind != PTX || e.SM != []int{80, 90}[i] || !bytes.Contains(text, []byte(".target "+target+"\n")) {
				t.Errorf("%s, entry %d: kind %d for sm_%d, %v\n%.200s", name, i, e.Kind, e.SM, err, text)
			}
			if !strings.HasSuffix(string(text), "}\n\n") {
				t.Errorf("%s, entry %d ends with %q", name, i, text[max(0, len(text)-20):])
			}
			if want[i] == "" {
				want[i] = string(text)
			} else if want[i] != string(text) {
				t.Errorf("%s, entry %d differs from the plain one", name, i)
			}
		}
	}
}

func TestContainersInARow(t *testing.T) {
	b := append(read(t, "size.fatbin"), read(t, "none.fatbin")...)
	if entries, err := Parse(b); err != nil || len(entries) != 4 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

// container returns a fat binary with one entry of 8 bytes, changed by edit.
func container(edit func(h *header, e *entryHeader)) []byte {
	e := entryHeader{Kind: PTX, HeaderSize: uint32(entryBytes), Size: 8, SM: 90}
	h := header{Magic: Magic, Version: 1, HeaderSize: uint16(headerBytes), Size: uint64(entryBytes) + 8}
	edit(&h, &e)
	var b bytes.Buffer
	for _, part := range []any{h, e} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return append(b.Bytes(), "text\x00\x00\x00\x00"...)
}

func TestTextEndsAtAZeroByte(t *testing.T) {
	entries, err := Parse(container(func(*header, *entryHeader) {}))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := entries[0].Data(); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestMalformed(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes []byte
	}{
		{"nothing", nil},
		{"another magic", container(func(h *header, _ *entryHeader) { h.Magic++ })},
		{"another version", container(func(h *header, _ *entryHeader) { h.Version = 2 })},
		{"a short head", container(func(h *header, _ *entryHeader) { h.HeaderSize = 8 })},
		{"cut off", container(func(h *header, _ *entryHeader) { h.Size++ })},
		{"a head past the end", container(func(h *header, _ *entryHeader) { h.HeaderSize = 1000; h.Size = 0 })},
		{"an entry's short head", container(func(_ *header, e *entryHeader) { e.HeaderSize-- })},
		{"an entry's head past the end", container(func(_ *header, e *entryHeader) { e.HeaderSize = 1 << 31 })},
		{"a program past the end", container(func(_ *header, e *entryHeader) { e.Size++ })},
		{"a huge program", container(func(_ *header, e *entryHeader) { e.Size = 1<<64 - 1 })},
		{"half an entry", container(func(_ *header, e *entryHeader) { e.Size-- })},
		{"more compressed than there is", container(func(_ *header, e *entryHeader) { e.Compressed = 9 })},
	} {
		if entries, err := Parse(c.bytes); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, %v", c.name, entries, err)
		}
	}
	for _, c := range []struct {
		name string
		edit func(h *header, e *entryHeader)
	}{
		{"no LZ4", func(_ *header, e *entryHeader) { e.Flags, e.Compressed, e.Plain = compressedLZ4, 8, 20 }},
		{"no zstd", func(_ *header, e *entryHeader) { e.Flags, e.Compressed, e.Plain = compressedZstd, 8, 20 }},
		{"a huge text", func(_ *header, e *entryHeader) { e.Flags, e.Compressed, e.Plain = compressedZstd, 8, 1<<31 }},
	} {
		entries, err := Parse(container(c.edit))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entries[0].Data(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"none.fatbin", "speed.fatbin", "size.fatbin"} {
		f.Add(read(f, name))
	}
	f.Add(container(func(*header, *entryHeader) {}))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := Parse(b)
		if err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("an error of no kind: %v", err)
		}
		for _, e := range entries {
			if _, err := e.Data(); err != nil && !errors.Is(err, ErrMalformed) {
				t.Errorf("an error of no kind: %v", err)
			}
		}
	})
}

// What Pack writes, Parse reads: texts of any length, each for its architecture.
func TestPack(t *testing.T) {
	texts := []Text{{80, []byte(".version 8.0\n")}, {90, nil}, {90, []byte("1234567")}, {100, []byte("12345678")}}
	b := Pack(texts...)
	if n, err := Size(b[:HeaderBytes]); n != len(b) || err != nil {
		t.Errorf("size %d of %d, %v", n, len(b), err)
	}
	entries, err := Parse(b)
	if err != nil || len(entries) != len(texts) {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, e := range entries {
		text, err := e.Data()
		if e.Kind != PTX || e.SM != texts[i].SM || !bytes.Equal(text, texts[i].PTX) || err != nil {
			t.Errorf("entry %d: kind %d for sm_%d, %q, %v", i, e.Kind, e.SM, text, err)
		}
	}
}
