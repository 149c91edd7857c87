package simd

import (
	"testing"

	"silica/internal/exec/exectest"
)

func TestEngineContract(t *testing.T) { exectest.Run(t, New()) }
