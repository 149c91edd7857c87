// Command gen writes the headers that are made from math.table into ../include/silica.
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
	for name, text := range map[string]string{
		"math_declarations.h": mathtable.Declarations(functions),
		"math_definitions.h":  mathtable.Definitions(functions),
	} {
		if err := os.WriteFile(filepath.Join("include", "silica", name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
