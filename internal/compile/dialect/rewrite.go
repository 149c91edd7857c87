package dialect

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Rewrite returns those of a program's sources that have to be others to be compiled, for the device or for the host. files
// holds the text of the program's own files by name; refused are the variables of which clang has complained.
func Rewrite(files map[string][]byte, refused []Variable, device bool) map[string][]byte {
	q := qualifiers{deviceCode: deviceCode, kernels: kernels}
	names := slices.Sorted(maps.Keys(files))
	tokens := map[string][]token{}
	macros := map[string][]macro{}
	var all []macro
	for _, name := range names {
		tokens[name] = lex(string(files[name]))
		for _, t := range tokens[name] {
			if m, ok := macroOf(t); ok {
				macros[name] = append(macros[name], m)
			}
		}
		all = append(all, macros[name]...)
	}
	q.add(all)
	scanned := map[string]*scanner{}
	named := map[string]bool{}   // as kernels are
	defined := map[string]bool{} // kernels of these files
	onDevice := map[string]bool{}
	for _, name := range names {
		s := &scanner{tokens: tokens[name], qualifiers: q, names: onDevice}
		s.scan()
		scanned[name] = s
		for _, k := range s.kernels {
			named[k.name] = true
			defined[k.name] = defined[k.name] || k.defined
		}
	}
	used(onDevice, all)
	inMacros := map[string][]edit{}
	launched := map[string]bool{}
	for _, s := range scanned {
		for _, l := range s.sites {
			launched[s.tokens[l.callee].text] = true
		}
	}
	for _, name := range names {
		for _, m := range macros[name] {
			if onDevice[m.name] {
				edits := m.edits()
				inMacros[name] = append(inMacros[name], edits...)
				if len(edits) > 0 { // whichever kernel the macro is given
					launched = onDevice
				}
			}
		}
	}
	addressed := map[string]bool{}
	for _, s := range scanned {
		s.addresses = slices.DeleteFunc(s.addresses, func(i int) bool { return !named[s.tokens[i].text] })
		for _, i := range s.addresses {
			addressed[s.tokens[i].text] = true
		}
	}
	out := map[string][]byte{}
	c := companions{named, defined, launched, addressed, map[string]bool{}}
	for _, name := range names {
		edits := slices.Concat(alignments(files[name], tokens[name]), redeclarations(files[name], tokens[name]), assembly(tokens[name]))
		for _, m := range macros[name] {
			edits = append(append(edits, alignments(files[name], m.body)...), assembly(m.body)...)
		}
		if device {
			edits = append(edits, casts(tokens[name])...)
			for _, m := range macros[name] {
				edits = append(edits, casts(m.body)...)
			}
		}
		for _, e := range uninitialized(name, string(files[name]), tokens[name], refused) {
			edits = slices.DeleteFunc(edits, func(inside edit) bool { return inside.start >= e.start && inside.end <= e.end })
			edits = append(edits, e)
		}
		edits = append(edits, scanned[name].edits(files[name], c, device)...)
		edits = append(edits, inMacros[name]...)
		if len(edits) > 0 {
			out[name] = apply(files[name], edits)
		}
	}
	return out
}

// edit replaces source[start:end].
type edit struct {
	start, end int
	text       string
}

// companions says of names which are kernels', defined in these files, launched from device code, and used as addresses there;
// written holds the signatures of the companions that are there.
type companions struct{ named, defined, launched, addressed, written map[string]bool }

// UndefinedKernel is the annotation of kernels that are declared, and defined in another translation unit.
const UndefinedKernel = "silica.undefined_kernel"

// edits makes launches calls, and writes companions of the kernels that device code launches or whose address it takes: behind a
// kernel's definition, or behind a first declaration when it is defined in another translation unit. What is launched and is no
// kernel's name may be a pointer in code for the host as well, where that is a launch like others.
func (s *scanner) edits(source []byte, c companions, device bool) (edits []edit) {
	for i := range s.kernels {
		k := &s.kernels[i]
		if !c.launched[k.name] && !c.addressed[k.name] {
			continue
		}
		end := s.tokens[k.end].end
		if !c.defined[k.name] && k.template == nil {
			edits = append(edits, edit{end - 1, end - 1, fmt.Sprintf(" __attribute__((annotate(%q)))", UndefinedKernel)})
		}
		address := ""
		if c.addressed[k.name] {
			address = k.address()
		}
		if k.block {
			edits = append(edits, edit{end, end, address + k.variable(device)})
			continue
		}
		if len(k.scope) == 0 {
			edits = append(edits, s.declare(source, k))
		}
		if k.defined || k.template == nil && !c.defined[k.name] && !c.written[k.signature()] {
			edits = append(edits, edit{end, end, address + k.definition(device)})
			c.written[k.signature()] = true
		}
	}
	for _, l := range s.sites {
		if device || c.named[s.tokens[l.callee].text] {
			edits = append(edits, s.call(l)...)
		}
	}
	for _, i := range s.addresses {
		end := s.tokens[i].end
		edits = append(edits, edit{end, end, "$address"})
	}
	return edits
}

// declare writes the companion's declaration where it moves nothing: after the token before the kernel, or in a line of its
// own, which does not count, after a preprocessor line.
func (s *scanner) declare(source []byte, k *kernel) edit {
	text := k.declaration(true) + ";"
	if before := s.at(k.start - 1); before.kind != directive {
		return edit{before.end, before.end, " " + text}
	}
	at := bytes.LastIndexByte(source[:s.tokens[k.start].start], '\n') + 1
	return edit{at, at, fmt.Sprintf("%s\n#line %d\n", text, bytes.Count(source[:at], []byte("\n"))+1)}
}

// call makes a launch the call of the companion: kernel<<<g, b>>>(a) becomes kernel$({g, b},  a), of the same length.
func (s *scanner) call(l site) []edit {
	open, configured := "$({", "}, "
	var edits []edit
	if l.param {
		end := s.tokens[l.callee].end
		edits = append(edits, edit{end, end, "##$"})
		open = "({"
	} else if name := s.tokens[l.callee]; name.end != s.tokens[l.open].start {
		edits = append(edits, edit{name.end, name.end, "$"})
		open = "({"
	}
	if l.noArgument {
		configured = "}  "
	}
	for _, e := range []struct {
		token int
		text  string
	}{{l.open, open}, {l.close, configured}, {l.arguments, " "}} {
		t := s.tokens[e.token]
		edits = append(edits, edit{t.start, t.end, e.text})
	}
	return edits
}

// edits makes the launches in a macro's body calls. The macro is one that device code uses; host code may use it too, for
// kernels that it names.
func (m *macro) edits() (edits []edit) {
	s := &scanner{tokens: m.body}
	for i, t := range m.body {
		if !t.is("<<<") {
			continue
		}
		if l, ok := s.siteAt(i); ok {
			l.param = slices.Contains(m.params, m.body[l.callee].text)
			edits = append(edits, s.call(l)...)
		}
	}
	return edits
}

// apply makes the edits, of which none overlap.
func apply(source []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(source[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(source[at:])
	return out.Bytes()
}

// diagnostic matches a compiler's message: its place, its text, and the line of the source with the marks below it.
var diagnostic = regexp.MustCompile(`(?m)^(.+?):(\d+):(\d+)(: (?:fatal error|error|warning|note|remark): .*\n)( *\d+ \| )(.*\n)( *\| .*\n)?`)

// What a compiler says of the names of companions, and of launches that were not found.
var (
	notKernel = regexp.MustCompile(`use of undeclared identifier '(\w+)\$'`)
	companion = regexp.MustCompile(`\b(\w+)\$([^\w$])`)
	hidden    = regexp.MustCompile(`reference to __global__ function '\w+' in __(?:global|device)__ function`)
	counts    = regexp.MustCompile(`\b\d+\b`)
	ordinals  = strings.NewReplacer("2nd argument", "1st argument", "3rd argument", "2nd argument", "4th argument", "3rd argument",
		"5th argument", "4th argument", "6th argument", "5th argument", "7th argument", "6th argument", "8th argument", "7th argument")
	malformed = "cannot convert initializer list argument to '::silica::configuration'"
)

// Restore puts the user's text back into a compiler's messages about rewritten files. files is what Rewrite was given, by
// the names that resolve makes of those in messages.
func Restore(messages string, files map[string][]byte, resolve func(name string) string) string {
	messages = diagnostic.ReplaceAllStringFunc(messages, func(m string) string {
		parts := diagnostic.FindStringSubmatch(m)
		file, marks := parts[1], parts[7]
		lines := bytes.Split(files[resolve(file)], []byte("\n"))
		line, _ := strconv.Atoi(parts[2])
		column, _ := strconv.Atoi(parts[3])
		if line < 1 || line > len(lines) || files[resolve(file)] == nil {
			return m
		}
		original := string(lines[line-1])
		column, marks = withoutCasts(parts[6], column, marks)
		if column > len(original) { // in a companion, which stands for the kernel of the line
			column, marks = 1, ""
			parts[4] = counts.ReplaceAllStringFunc(parts[4], func(n string) string {
				number, _ := strconv.Atoi(n)
				return strconv.Itoa(number - 1) // the configuration is the first
			})
			parts[4] = ordinals.Replace(parts[4])
		}
		return fmt.Sprintf("%s:%d:%d%s%s%s\n%s", file, line, column, parts[4], parts[5], original, marks)
	})
	messages = notKernel.ReplaceAllString(messages, "'$1' is no kernel that is declared here; device code launches kernels by their names")
	messages = hidden.ReplaceAllString(messages, "$0; device code launches a kernel by <<<...>>>")
	messages = strings.ReplaceAll(messages, malformed, "the configuration is not <<<grid, block, bytes of shared memory, stream>>>")
	messages = strings.ReplaceAll(messages, realigned, "reinterpret_cast")
	return companion.ReplaceAllString(messages, "$1$2")
}

// withoutCasts is where a column of a rewritten line, and the marks below it, are without what casts inserted.
func withoutCasts(line string, column int, marks string) (int, string) {
	frame := strings.IndexByte(marks, '|') + len("| ")
	for at := strings.LastIndex(line, throughVoid); at >= 0; at = strings.LastIndex(line[:at], throughVoid) {
		end := at + len(throughVoid)
		switch {
		case column > end:
			column -= len(throughVoid)
		case column > at: // in what was inserted
			column = at
		}
		if cut := marks[min(frame+at, len(marks)):min(frame+end, len(marks))]; !strings.ContainsAny(cut, "^\n") {
			marks = marks[:min(frame+at, len(marks))] + marks[min(frame+end, len(marks)):]
		}
	}
	return column, marks
}
