package simd

import (
	"testing"

	"silica/internal/exec/exectest"
)

func TestEngineContract(t *testing.T) {
	for _, e := range Units() {
		t.Run(e.VectorUnit(), func(t *testing.T) { exectest.Run(t, e) })
	}
}
