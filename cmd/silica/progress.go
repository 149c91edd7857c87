package main

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// bar is a progress bar on standard error; it exists only when that is a terminal.
type bar struct {
	container *mpb.Progress
	bar       *mpb.Bar
}

// newBar starts a bar for total steps, a spinning counter when total is 0.
func newBar(io streams, what string, total int) *bar {
	if !isTerminal(io.err) {
		return &bar{}
	}
	p := &bar{container: mpb.New(mpb.WithOutput(io.err), mpb.WithWidth(40))}
	counter := decor.CountersNoUnit("%d / %d")
	if total == 0 {
		counter = decor.CurrentNoUnit("%d")
	}
	p.bar = p.container.AddBar(int64(total), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(what+" ")),
		mpb.AppendDecorators(counter, decor.Name(" "), decor.Elapsed(decor.ET_STYLE_MMSS)))
	return p
}

func (p *bar) add(n int) {
	if p.bar != nil {
		p.bar.IncrBy(n)
	}
}

// done removes the bar.
func (p *bar) done() {
	if p.bar != nil {
		p.bar.SetTotal(-1, true)
		p.container.Wait()
	}
}

func isTerminal(w io.Writer) bool {
	f := asFile(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// colours tells whether to write colours to w: to a terminal, unless NO_COLOR is set (https://no-color.org).
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }
