// Package progress shows on a terminal how far a long kernel launch has come.
package progress

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"silica/driver"
	"silica/internal/cppname"
	"silica/internal/exec"
)

// patience is how long a launch runs before it gets a bar.
const patience = time.Second

// Tracer draws a bar of finished blocks for each launch that takes long, and passes launches on to Inner.
type Tracer struct {
	Inner driver.Tracer // nil when nobody else listens
	W     io.Writer     // a terminal
}

// On returns a tracer that draws on w and passes on to inner; inner itself when w is no terminal.
func On(w any, inner driver.Tracer) driver.Tracer {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return inner
	}
	return &Tracer{inner, f}
}

// Launch is for driver.Options.Tracer.
func (t *Tracer) Launch(f *driver.Function, l *exec.Launch) (ended func(*exec.Stats, error)) {
	var inner func(*exec.Stats, error)
	if t.Inner != nil {
		inner = t.Inner.Launch(f, l)
	}
	blocks := new(atomic.Int64)
	l.BlocksDone = blocks
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-stop:
		case <-time.After(patience):
			t.draw(cppname.Short(l.Kernel.Name), int64(l.Grid.Count()), blocks, stop)
		}
	}()
	return func(stats *exec.Stats, err error) {
		close(stop)
		<-stopped
		if inner != nil {
			inner(stats, err)
		}
	}
}

// draw shows a bar until stop is closed, and removes it.
func (t *Tracer) draw(name string, total int64, done *atomic.Int64, stop <-chan struct{}) {
	const longest = 24
	if len(name) > longest {
		name = name[:longest]
	}
	container := mpb.New(mpb.WithOutput(t.W), mpb.WithWidth(32), mpb.WithAutoRefresh())
	bar := container.AddBar(total, mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name+" ")),
		mpb.AppendDecorators(decor.CountersNoUnit("%d / %d blocks"), decor.Name(" "), decor.Elapsed(decor.ET_STYLE_MMSS)))
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			bar.SetCurrent(min(done.Load(), total-1))
			continue
		case <-stop:
		}
		bar.Abort(true)
		container.Wait()
		return
	}
}
