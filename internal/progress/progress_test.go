package progress

import (
	"bytes"
	"io"
	"testing"
	"time"

	"silica/driver"
	"silica/internal/exec"
	"silica/internal/ir"
)

// inner counts what is passed on.
type inner struct{ began, ended int }

func (i *inner) Launch(*driver.Function, *exec.Launch) func(*exec.Stats, error) {
	i.began++
	return func(*exec.Stats, error) { i.ended++ }
}

// TestLongLaunchHasABar runs launches of two lengths; only the long one draws, and both are passed on.
func TestLongLaunchHasABar(t *testing.T) {
	for name, long := range map[string]bool{"short": false, "long": true} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			var passed inner
			tracer := &Tracer{Inner: &passed, W: &out}
			l := &exec.Launch{Kernel: &ir.Kernel{Name: "kernel"}, Grid: exec.Dim3{X: 10, Y: 1, Z: 1}}
			ended := tracer.Launch(nil, l)
			if long {
				l.BlocksDone.Add(4)
				time.Sleep(patience + 400*time.Millisecond)
			}
			ended(nil, nil)
			if passed != (inner{1, 1}) {
				t.Errorf("passed on %+v", passed)
			}
			if drew := out.Len() > 0; drew != long {
				t.Errorf("drew %q", out.String())
			}
		})
	}
}

// TestPipeHasNoBar checks that what is no terminal gets the inner tracer alone.
func TestPipeHasNoBar(t *testing.T) {
	var passed inner
	if got := On(io.Discard, &passed); got != &passed {
		t.Errorf("%T", got)
	}
}
