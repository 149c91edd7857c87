// Command gen writes docs/isa.md.
package main

import (
	"log"
	"os"

	"silica/internal/isadoc"
)

func main() {
	text, err := isadoc.Markdown("../../../shared/conformance")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("../../docs/isa.md", text, 0o644); err != nil {
		log.Fatal(err)
	}
}
