package isa_test

import (
	"os"
	"path/filepath"
	"testing"

	"silica/ptx"
)

// TestFormsParse checks that the forms no recording has go through the parser and the checker too.
func TestFormsParse(t *testing.T) {
	files, err := filepath.Glob("testdata/forms/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("testdata/forms is missing")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(file, text)
		if err == nil {
			err = ptx.Check(m)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
