package timing

import (
	"silica/gpu"
	"silica/internal/exec"
)

// Listening is a launch that tells what the model needs.
type Listening struct {
	Recorder  *Recorder
	Footprint *Footprint
}

// Listen makes a launch tell what the model needs, beside those that it tells already.
func Listen(l *exec.Launch, g *gpu.GPU) *Listening {
	t := &Listening{NewRecorder(g.Chip.SMs), NewFootprint(g.Chip.SMs)}
	l.Trace = t.Recorder.Trace
	l.Count = true
	// Blocks that wait for each other do as much as the engine happens to make them wait: they are taken to do alike.
	if l.Workspace == 0 {
		l.Work = t.Footprint.Work
	}
	l.AcrossBlocks = false
	others := l.Observe
	l.Observe = func(worker int) exec.Observer {
		o := t.Footprint.Observer()
		if others == nil {
			return o
		}
		return both{others(worker), o}
	}
	return t
}

// both tells two observers.
type both [2]exec.Observer

func (b both) BlockStart(block int)  { b[0].BlockStart(block); b[1].BlockStart(block) }
func (b both) BlockEnd(block int)    { b[0].BlockEnd(block); b[1].BlockEnd(block) }
func (b both) Access(a *exec.Access) { b[0].Access(a); b[1].Access(a) }
