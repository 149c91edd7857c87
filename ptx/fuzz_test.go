package ptx

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzParse checks that no text makes the parser, the checker or the printer panic or hang, and that
// what parses is printed so that it parses to the same tree.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/format/*.txtar", "testdata/errors/*.txtar"} {
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			f.Fatalf("no files match %s", pattern)
		}
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(archive.Files[0].Data)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		first, err := Parse("in.ptx", src)
		if err != nil {
			if len(err.(Errors)) > maxErrors {
				t.Errorf("%d errors", len(err.(Errors)))
			}
			return
		}
		text := Format(first)
		second, err := Parse("printed.ptx", text)
		if err != nil {
			t.Fatalf("what was printed does not parse: %v\n%s", err, text)
		}
		if again := Format(second); string(again) != string(text) {
			t.Errorf("printing again changed the text:\n%s\n%s", text, again)
		}
		checkErr := Check(second)
		sameErrors := Check(second)
		if (checkErr == nil) != (sameErrors == nil) {
			t.Errorf("checking again gave another result: %v, then %v", checkErr, sameErrors)
		}
		fresh, _ := Parse("printed.ptx", text)
		sameTree(t, first, fresh)
	})
}

// benchmarkSource is about one megabyte of PTX: one kernel of the recorded programs, many times.
func benchmarkSource(b *testing.B) []byte {
	const size = 1 << 20
	src, err := os.ReadFile(filepath.Join(shared, "truth/h200/ptx/matmul_reg.compute_90.ptx"))
	if err != nil {
		b.Fatal(err)
	}
	m, err := Parse("in.ptx", src)
	if err != nil {
		b.Fatal(err)
	}
	big := *m
	big.Decls = nil
	written := 0
	for i := 0; written < size; i++ {
		for _, d := range m.Decls {
			if fn, ok := d.(*Function); ok {
				clone := *fn
				clone.Name = fn.Name + "_" + string(rune('a'+i%26)) + string(rune('a'+i/26))
				big.Decls = append(big.Decls, &clone)
			}
		}
		written += len(src)
	}
	return Format(&big)
}

func BenchmarkParse(b *testing.B) {
	src := benchmarkSource(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("in.ptx", src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	src := benchmarkSource(b)
	m, err := Parse("in.ptx", src)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	src := benchmarkSource(b)
	m, err := Parse("in.ptx", src)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Format(m)
	}
}
