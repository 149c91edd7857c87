package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// kernel is a declaration of a kernel: indices of tokens.
type kernel struct {
	start    int // of the declaration, with template
	name     string
	scope    []string    // the namespaces that a definition outside of them names
	template []parameter // nil for no template
	params   []parameter
	end      int  // the } of the definition, or the ; of a mere declaration
	defined  bool // here
	block    bool // declared in a block of device code
}

// parameter is a parameter of a function or a template.
type parameter struct {
	text  string // all of it but the default
	value string // the default with its =, "" for none
	kind  string // all of it but the default and the name
	name  string // with which it is passed on; "" for a parameter without a name
	pack  bool
}

// withArguments are the words whose parenthesis is not the parameter list.
var withArguments = map[string]bool{
	"__launch_bounds__": true, "__cluster_dims__": true, "__maxnreg__": true, "__block_size__": true, "__attribute__": true,
	"alignas": true, "decltype": true, "noexcept": true, "requires": true, "__declspec": true, "__align__": true,
	"__builtin_align__": true, "throw": true,
}

// kernelAt takes the declaration apart that begins at a token and has __global__ at another. It declines what needs no
// companion: explicit instantiations and specialisations.
func (s *scanner) kernelAt(start, global int) (k kernel, ok bool) {
	k.start = start
	i := start
	if s.at(i).is("extern") && s.at(i+1).kind == literal {
		i += 2
	}
	if s.at(i).is("template") {
		end, closed := s.closeOf(i + 1)
		if !s.at(i+1).is("<") || !closed || end == i+2 || s.at(end+1).is("template") {
			return k, false
		}
		k.template = s.parameters(i+2, end, nameOfTemplateParameter)
		i = end + 1
	}
	name, open, end := 0, 0, 0
	for i = max(i, global); i < len(s.tokens); i++ {
		t := s.tokens[i]
		if t.is("{") || t.is(";") || t.is("=") || t.kind == directive {
			break
		}
		if t.is("(") || t.is("[[") {
			close, closed := s.closeOf(i)
			if !closed {
				return k, false
			}
			if before := s.at(i - 1); t.is("(") && before.kind == word && !withArguments[before.text] {
				name, open, end = i-1, i, close
			}
			i = close
		}
	}
	if open == 0 {
		return k, false
	}
	for i := name; s.at(i-1).is("::") && s.at(i-2).kind == word; i -= 2 {
		k.scope = append([]string{s.at(i - 2).text}, k.scope...)
	}
	k.name = s.tokens[name].text
	k.params = s.parameters(open+1, end, nameOfParameter)
	if s.at(i).is("{") {
		k.defined = true
		k.end, ok = s.closeOf(i)
		return k, ok
	}
	k.end = i
	return k, s.at(i).is(";")
}

// parameters splits tokens at commas.
func (s *scanner) parameters(from, to int, nameOf func([]token) (int, bool)) (list []parameter) {
	depth := 0
	begin := from
	value := -1
	add := func(end int) {
		if begin >= end {
			return
		}
		p := parameter{}
		declared := s.tokens[begin:end]
		if value >= 0 {
			declared, p.value = s.tokens[begin:value], join(s.tokens[value:end])
		}
		p.text, p.kind = join(declared), join(declared)
		if i, ok := nameOf(declared); ok {
			p.name = declared[i].text
			p.kind = join(slices.Concat(declared[:i], declared[i+1:]))
		}
		for _, t := range declared {
			p.pack = p.pack || t.is("...")
		}
		list = append(list, p)
	}
	for i := from; i < to; i++ {
		switch t := s.tokens[i]; {
		case t.is("(") || t.is("[") || t.is("{"):
			depth++
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		case angles(t) != 0 && value < 0: // in a default, < may compare
			depth += angles(t)
		case t.is("=") && depth == 0 && value < 0:
			value = i
		case t.is(",") && depth == 0:
			add(i)
			begin, value = i+1, -1
		}
	}
	add(to)
	if len(list) == 1 && list[0].text == "void" {
		return nil
	}
	return list
}

// join writes tokens in one line.
func join(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if t.is("__grid_constant__") { // only on kernels
			continue
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// nameOfTemplateParameter finds the name in "class T", "int N", "typename... T".
func nameOfTemplateParameter(tokens []token) (int, bool) {
	last := len(tokens) - 1
	return last, last > 0 && tokens[last].kind == word && !isTypeWord(tokens[last].text)
}

// nameOfParameter finds the name that a declaration gives its parameter, if it gives one.
func nameOfParameter(tokens []token) (int, bool) {
	for i, t := range tokens {
		if t.is("[") || t.is("[[") && i > 0 {
			tokens = tokens[:i] // an array
			break
		}
		// A pointer or reference to a function or array: (*name)(...), (&name)[...].
		if t.is("(") && i+2 < len(tokens) && (tokens[i+1].is("*") || tokens[i+1].is("&")) && tokens[i+2].kind == word {
			return i + 2, true
		}
	}
	types := 0 // words that may be a type or a name
	for i, t := range tokens {
		if t.kind == word && !isQualifier(t.text) && (i == 0 || !tokens[i-1].is("::")) {
			types++
		}
	}
	last := len(tokens) - 1
	if last < 1 || tokens[last].kind != word || types < 2 || tokens[last-1].is("::") {
		return 0, false
	}
	return last, !isTypeWord(tokens[last].text) && !isQualifier(tokens[last].text)
}

func isQualifier(s string) bool {
	switch s {
	case "const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "typename", "struct", "class", "enum", "union":
		return true
	}
	return false
}

func isTypeWord(s string) bool {
	switch s {
	case "int", "char", "short", "long", "float", "double", "bool", "unsigned", "signed", "void", "auto", "wchar_t", "char16_t", "char32_t", "class", "typename":
		return true
	}
	return false
}

// configuration is the name of a companion's first parameter.
const configuration = "silica$configuration"

// declaration returns the declaration of a kernel's companion, without its end. Defaults stand in one declaration
// alone: the one where the kernel has them.
func (k *kernel) declaration(defaults bool) string {
	var b strings.Builder
	if k.template != nil {
		fmt.Fprintf(&b, "template <%s> ", list(k.template, defaults, false))
	}
	fmt.Fprintf(&b, "static __host__ __device__ __forceinline__ __attribute__((nodebug)) void %s$(::silica::configuration %s", k.name, configuration)
	if len(k.params) > 0 {
		b.WriteString(", " + list(k.params, defaults, !defaults))
	}
	b.WriteString(")")
	return b.String()
}

// list writes parameters, with their defaults or without, and with names for those that have none, as a definition needs them,
// or without.
func list(params []parameter, defaults, names bool) string {
	var all []string
	for i, p := range params {
		text := p.text
		if names && p.name == "" {
			text += " " + unnamed(i)
		}
		if defaults && p.value != "" {
			text += " " + p.value
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// unnamed is the name of a parameter that has none.
func unnamed(i int) string { return fmt.Sprintf("silica$%d", i) }

// definition returns the definition of a kernel's companion, in the kernel's namespace: on the device a call of the device
// runtime, on the host a launch.
func (k *kernel) definition(device bool) string {
	text := k.function(device)
	for _, space := range slices.Backward(k.scope) {
		text = fmt.Sprintf(" namespace %s {%s }", space, text)
	}
	return text
}

func (k *kernel) function(device bool) string {
	return fmt.Sprintf(" %s { %s }", k.declaration(false), k.launch(device))
}

// variable returns the companion of a kernel that is declared in a block, where no function can be defined.
func (k *kernel) variable(device bool) string {
	params := "::silica::configuration " + configuration
	if len(k.params) > 0 {
		params += ", " + list(k.params, true, true)
	}
	return fmt.Sprintf(" auto %s$ = [](%s) __attribute__((always_inline, nodebug)) { %s };", k.name, params, k.launch(device))
}

// launch returns the body of a companion.
func (k *kernel) launch(device bool) string {
	name := k.reference()
	types, passed := []string{}, []string{}
	for i, p := range k.params {
		types, passed = append(types, p.kind), append(passed, p.passed(i))
	}
	if device {
		return fmt.Sprintf("::silica::launcher<void(%s)>::template launch<%s>(%s);", strings.Join(types, ", "), name,
			strings.Join(append([]string{configuration}, passed...), ", "))
	}
	return fmt.Sprintf("%s<<<%[2]s.grid, %[2]s.block, %[2]s.shared, %[2]s.stream>>>(%[3]s);", name, configuration, strings.Join(passed, ", "))
}

// signature tells overloads apart.
func (k *kernel) signature() string {
	var b strings.Builder
	b.WriteString(k.name)
	for _, p := range k.params {
		b.WriteString("," + p.kind)
	}
	return b.String()
}

// address returns the definition of a constant that device code may use for the kernel's address.
func (k *kernel) address() string {
	template := ""
	if k.template != nil {
		template = fmt.Sprintf(" template <%s>", list(k.template, false, false))
	}
	var types []string
	for _, p := range k.params {
		types = append(types, p.kind)
	}
	return fmt.Sprintf("%s static constexpr void (*%s$address)(%s) = %s;", template, k.name, strings.Join(types, ", "), k.reference())
}

// reference returns the kernel's name with its template's parameters.
func (k *kernel) reference() string {
	if k.template == nil {
		return k.name
	}
	var all []string
	for _, p := range k.template {
		all = append(all, p.passed(0))
	}
	return k.name + "<" + strings.Join(all, ", ") + ">"
}

func (p *parameter) passed(i int) string {
	name := p.name
	if name == "" {
		name = unnamed(i)
	}
	if p.pack {
		name += "..."
	}
	return name
}
