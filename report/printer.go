package report

import (
	"fmt"
	"io"
	"strings"
)

// printer writes lines of text. Errors stay in the bufio.Writer below until it is flushed.
type printer struct {
	w io.Writer
	o Options
}

// The codes of a terminal's looks.
const (
	bold   = "1"
	dimmed = "2"
	yellow = "33"
)

func (p *printer) line(format string, args ...any) {
	fmt.Fprintln(p.w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (p *printer) blank() { fmt.Fprintln(p.w) }

func (p *printer) heading(text string) { p.line("  %s", p.paint(bold, text)) }

func (p *printer) paint(look, text string) string {
	if !p.o.Color || text == "" {
		return text
	}
	return "\x1b[" + look + "m" + text + "\x1b[0m"
}

// clip cuts text that is longer than a line with so many columns before it.
func (p *printer) clip(text string, before int) string {
	most := max(p.o.width()-before, 8)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}

// wrap writes text in lines, the first behind first, the others behind rest.
func (p *printer) wrap(first, rest, text string) {
	line := first
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > p.o.width() {
			p.line("%s", line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	if !empty {
		p.line("%s", line)
	}
}

// joined puts a separator between the texts that are not empty.
func joined(separator string, texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, separator)
}
