package ir

import (
	"fmt"
	"strconv"

	"silica/ptx"
)

// String returns "1:25:9 in f at 1:30:2": file, line and column, and where it was inlined.
func (l *Loc) String() string {
	s := fmt.Sprintf("%d:%d:%d", l.File, l.Line, l.Col)
	if l.Function != "" {
		s += " in " + l.Function
	}
	if l.Inlined != nil {
		s += " at " + l.Inlined.String()
	}
	return s
}

// setLoc takes a .loc directive over: it holds for the instructions after it. Line 0 stands for
// instructions that belong to no line.
func (c *collector) setLoc(l *ptx.Loc) {
	if l.Line == 0 && l.InlinedAt == nil {
		c.loc = nil
		return
	}
	c.loc = c.position(l)
	c.locs[[3]int{l.File, l.Line, l.Col}] = c.loc
}

// position returns the position of a directive. The call site of an inlined function may itself be in
// an inlined function: then an earlier directive has named it.
func (c *collector) position(l *ptx.Loc) *Loc {
	p := &Loc{File: l.File, Line: l.Line, Col: l.Col, Function: c.module.text(l.Function, l.FunctionOffset)}
	if site := l.InlinedAt; site != nil {
		p.Inlined = c.locs[[3]int{site.File, site.Line, site.Col}]
		if p.Inlined == nil {
			p.Inlined = c.position(site)
		}
	}
	return p
}

// text returns the string at an offset from a label in .debug_str, or the label itself.
func (m *Module) text(label string, offset int) string {
	s, ok := m.strings[label]
	if !ok || offset < 0 || offset > len(s) {
		return label
	}
	return s[offset:]
}

// addStrings reads the labelled zero-terminated strings of .debug_str.
func (m *Module) addStrings(s *ptx.Section) {
	label, text, open := "", []byte(nil), false
	for _, l := range s.Lines {
		if l.Label != "" {
			label, text, open = l.Label, nil, true
		}
		for _, v := range l.Values {
			b, err := strconv.ParseUint(v, 0, 8)
			switch {
			case err != nil || !open:
			case b == 0:
				m.strings[label], open = string(text), false
			default:
				text = append(text, byte(b))
			}
		}
	}
}
