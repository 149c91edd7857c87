package ptx

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the results of golden tests to their files")

// withoutPositions clears all positions of a tree, so that trees compare by what they say, not by
// where it stands. Comparing with cmpopts.IgnoreTypes takes 50 times as long.
func withoutPositions(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			withoutPositions(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			withoutPositions(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Pos]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			withoutPositions(v.Field(i))
		}
	}
}

// sameTree reports how two trees differ, positions and file names aside. It clears their positions.
func sameTree(t *testing.T, first, second *Module) {
	t.Helper()
	withoutPositions(reflect.ValueOf(first))
	withoutPositions(reflect.ValueOf(second))
	second.File = first.File
	if !reflect.DeepEqual(first, second) {
		t.Errorf("printing and parsing again changed the tree (-first +second):\n%s", cmp.Diff(first, second))
	}
}

// roundTrip parses src, prints it, parses that, and compares the trees and the two printed
// texts. It returns the tree of src.
func roundTrip(t *testing.T, file string, src []byte) *Module {
	t.Helper()
	first, err := Parse(file, src)
	if err != nil {
		t.Fatalf("parse:\n%v", err)
	}
	text := Format(first)
	second, err := Parse(file+" (printed)", text)
	if err != nil {
		t.Fatalf("parse what was printed:\n%v", err)
	}
	if again := Format(second); string(again) != string(text) {
		t.Errorf("printing again changed the text:\n%s", cmp.Diff(string(text), string(again)))
	}
	sameTree(t, first, second)
	checked, err := Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	return checked
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no files match %s", pattern)
	}
	return files
}

func readFile(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// golden compares got with the second file of a txtar archive, whose first file is the input.
func golden(t *testing.T, file string, result func(input []byte) []byte) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 2 {
		t.Fatalf("%s holds %d files, want an input and a result", file, len(archive.Files))
	}
	got := result(archive.Files[0].Data)
	if *update {
		archive.Files[1].Data = got
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Files[1].Data), string(got)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// TestFormat has, in each archive, a source and its canonical text.
func TestFormat(t *testing.T) {
	for _, file := range glob(t, "testdata/format/*.txtar") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			golden(t, file, func(input []byte) []byte {
				m := roundTrip(t, "in.ptx", input)
				text := Format(m)
				if err := Check(m); err != nil {
					t.Errorf("check:\n%v", err)
				}
				return text
			})
		})
	}
}

// TestErrors has, in each archive, a source with mistakes and the messages they give.
func TestErrors(t *testing.T) {
	for _, file := range glob(t, "testdata/errors/*.txtar") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			golden(t, file, func(input []byte) []byte {
				_, err := Load("in.ptx", input)
				if err == nil {
					t.Fatal("no error")
				}
				return []byte(err.Error() + "\n")
			})
		})
	}
}

// TestClang loads what clang 19 writes, with and without debug information.
func TestClang(t *testing.T) {
	for _, file := range glob(t, "testdata/clang/*.ptx") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if err := Check(roundTrip(t, file, readFile(t, file))); err != nil {
				t.Errorf("check:\n%v", err)
			}
		})
	}
}
