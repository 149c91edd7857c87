// Command gen writes the files that are made from math.table. It runs in the folder of package compile.
package main

import (
	"log"
	"os"
	"path/filepath"

	"silica/internal/compile/mathtable"
)

func main() {
	functions, err := mathtable.Functions()
	if err != nil {
		log.Fatal(err)
	}
	for path, text := range mathtable.Files(functions) {
		if err := os.WriteFile(filepath.FromSlash(path), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
