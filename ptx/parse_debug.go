package ptx

import "strings"

// file parses .file index "name" [, timestamp, size].
func (p *parser) file() *FileDirective {
	f := &FileDirective{Pos: p.tok.pos}
	p.next()
	f.Index = int(p.number("a file number", 0))
	f.Name = p.text("a file name")
	if p.accept(",") {
		f.Time = p.number("a time stamp", 0)
		p.expect(",", "between the time stamp and the size of a file")
		f.Size = p.number("a file size", 0)
	}
	return f
}

// loc parses .loc file line column [, function_name label [+ n], inlined_at file line column].
func (p *parser) loc() *Loc {
	l := &Loc{Pos: p.tok.pos}
	p.next()
	p.place(l)
	for p.accept(",") {
		pos := p.tok.pos
		switch {
		case p.accept("function_name"):
			if p.tok.kind == tokenDot { // a section: .debug_str
				l.Function = p.tok.text
				p.next()
			} else {
				l.Function = p.name("a label of .debug_str")
			}
			if p.accept("+") {
				l.FunctionOffset = int(p.number("an offset", 0))
			}
		case p.accept("inlined_at"):
			l.InlinedAt = &Loc{Pos: pos}
			p.place(l.InlinedAt)
		default:
			p.fail("expected function_name or inlined_at, found %s", p.tok.describe())
		}
	}
	return l
}

func (p *parser) place(l *Loc) {
	l.File = int(p.tightNumber("a file number", 0))
	l.Line = int(p.tightNumber("a line", 0))
	l.Col = int(p.tightNumber("a column", 0))
}

// pragma parses .pragma "text", ...;
func (p *parser) pragma() *Pragma {
	g := &Pragma{Pos: p.tok.pos, Text: p.pragmaText()}
	p.expect(";", "after .pragma")
	return g
}

func (p *parser) pragmaText() (text []string) {
	p.next()
	for {
		text = append(text, p.text("a pragma"))
		if !p.accept(",") {
			return text
		}
	}
}

// section parses .section name { lines }.
func (p *parser) section() *Section {
	s := &Section{Pos: p.tok.pos}
	p.next()
	if p.tok.kind != tokenDot && p.tok.kind != tokenName {
		p.fail("expected a section name, found %s", p.tok.describe())
		return s
	}
	s.Name = p.tok.text
	p.next()
	p.expect("{", "before the lines of a section")
	p.braces++
	for !p.failed() && !p.at("}") {
		s.Lines = append(s.Lines, p.sectionLine())
	}
	p.expect("}", "after the lines of a section")
	p.braces--
	return s
}

// sectionLine parses "label:" or ".b8 value, value".
func (p *parser) sectionLine() SectionLine {
	switch p.tok.kind {
	case tokenName:
		label := p.tok.text
		p.next()
		p.expect(":", "after a label")
		return SectionLine{Label: label}
	case tokenDot:
		switch p.tok.text {
		case ".b8", ".b16", ".b32", ".b64":
			line := SectionLine{Type: p.tok.text}
			p.next()
			for {
				line.Values = append(line.Values, p.sectionValue())
				if !p.accept(",") {
					return line
				}
			}
		}
	}
	p.fail("expected a label, .b8, .b16, .b32 or .b64, found %s", p.tok.describe())
	return SectionLine{}
}

// sectionValue parses a number, a label, a section or a sum or difference of them, and returns it
// as written without blanks.
func (p *parser) sectionValue() string {
	first := p.tok
	single := true
	for sign := true; sign; {
		for p.accept("-") || p.accept("+") || p.accept("(") || p.accept(")") {
			single = false
		}
		switch kind := p.tok.kind; {
		case kind == tokenInt, kind == tokenF32, kind == tokenF64, kind == tokenName, kind == tokenDot && !digitAt(p.tok.text, 1):
			p.next()
		default:
			p.fail("expected a number or a label, found %s", p.tok.describe())
			return ""
		}
		for p.accept(")") {
			single = false
		}
		sign = p.at("-") || p.at("+")
		single = single && !sign
	}
	text := p.src[first.start:p.prev.end]
	if !single {
		text = canonicalExpression(text)
	}
	return text
}

// digitAt tells whether the byte at i is a digit: ".0" names no section.
func digitAt(s string, i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }

// dwarfSection is the name under which the @@DWARF lines of PTX 1.x are kept, a line each.
const dwarfSection = "@@DWARF"

// dwarf parses a run of @@DWARF lines.
func (p *parser) dwarf() *Section {
	s := &Section{Pos: p.tok.pos, Name: dwarfSection}
	for p.accept("@@") {
		if !p.at("DWARF") && !p.at("dwarf") {
			p.fail("expected @@DWARF, found %s", p.tok.describe())
			return s
		}
		p.lex.skipLine()
		text := strings.Join(strings.Fields(p.src[p.tok.end:p.lex.at]), " ")
		s.Lines = append(s.Lines, SectionLine{Type: dwarfSection, Values: []string{text}})
		p.next()
	}
	return s
}
