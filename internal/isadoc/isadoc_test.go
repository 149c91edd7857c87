package isadoc

import (
	"bytes"
	"os"
	"testing"
)

// TestDocumentIsFresh needs the recorded instructions in ../shared.
func TestDocumentIsFresh(t *testing.T) {
	want, err := Markdown("../../../shared/conformance")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/isa.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/isa.md is not what go generate ./internal/isadoc writes")
	}
}
