package main

import (
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// progress is a bar on standard error; it exists only when that is a terminal.
type progress struct {
	container *mpb.Progress
	bar       *mpb.Bar
}

// newProgress starts a bar for total steps, a spinning counter when total is 0.
func newProgress(io streams, what string, total int) *progress {
	if !isTerminal(io.err) {
		return &progress{}
	}
	p := &progress{container: mpb.New(mpb.WithOutput(io.err), mpb.WithWidth(40))}
	counter := decor.CountersNoUnit("%d / %d")
	if total == 0 {
		counter = decor.CurrentNoUnit("%d")
	}
	p.bar = p.container.AddBar(int64(total), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(what+" ")),
		mpb.AppendDecorators(counter, decor.Name(" "), decor.Elapsed(decor.ET_STYLE_MMSS)))
	return p
}

func (p *progress) add(n int) {
	if p.bar != nil {
		p.bar.IncrBy(n)
	}
}

// done removes the bar.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.SetTotal(-1, true)
		p.container.Wait()
	}
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
