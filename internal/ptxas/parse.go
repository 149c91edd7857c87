package ptxas

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	entryPattern = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	stackPattern = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	usedPattern  = regexp.MustCompile(`Used (\d+) registers`)
	barPattern   = regexp.MustCompile(`used (\d+) barriers`)
	smemPattern  = regexp.MustCompile(`(\d+) bytes smem`)
	propPattern  = regexp.MustCompile(`Function properties for (\S+)`)

	functionPattern = regexp.MustCompile(`^(?:\.text\.(\S+):|\s*Function : (\S+))\s*$`)
	labelPattern    = regexp.MustCompile(`^(\.L\S*):\s*$`)
	filePattern     = regexp.MustCompile(`//## File "([^"]*)", line (\d+)`)
	instPattern     = regexp.MustCompile(`^\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;`)
)

// parseInfo reads what ptxas -v says.
func parseInfo(text string) []Kernel {
	var out []Kernel
	current, about := -1, ""
	for line := range strings.Lines(text) {
		if m := entryPattern.FindStringSubmatch(line); m != nil {
			out = append(out, Kernel{Name: m[1]})
			current, about = len(out)-1, m[1]
		}
		if m := propPattern.FindStringSubmatch(line); m != nil {
			about = m[1]
		}
		if current < 0 {
			continue
		}
		k := &out[current]
		if m := stackPattern.FindStringSubmatch(line); m != nil && about == k.Name {
			k.Stack, k.SpillStores, k.SpillLoads = number(m[1]), number(m[2]), number(m[3])
		}
		if m := usedPattern.FindStringSubmatch(line); m != nil {
			k.Registers = number(m[1])
			for _, f := range []struct {
				pattern *regexp.Regexp
				into    *int
			}{{barPattern, &k.Barriers}, {smemPattern, &k.Shared}} {
				if m := f.pattern.FindStringSubmatch(line); m != nil {
					*f.into = number(m[1])
				}
			}
		}
	}
	return out
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the patterns take digits only
	return n
}

// parseListing reads what nvdisasm or cuobjdump writes: the code of each function.
func parseListing(text string) map[string][]Line {
	out := map[string][]Line{}
	name, file, at := "", "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := functionPattern.FindStringSubmatch(line); m != nil {
			name, file, at = m[1]+m[2], "", 0
			continue
		}
		if strings.HasPrefix(line, "//-----") {
			name = ""
		}
		if name == "" {
			continue
		}
		if m := filePattern.FindStringSubmatch(line); m != nil {
			file, at = m[1], number(m[2])
		}
		if m := labelPattern.FindStringSubmatch(line); m != nil {
			out[name] = append(out[name], Line{Text: m[1] + ":", Label: true})
		}
		if m := instPattern.FindStringSubmatch(line); m != nil {
			out[name] = append(out[name], Line{Text: m[1], File: file, Line: at})
		}
	}
	for name, code := range out {
		out[name] = withoutFiller(code)
	}
	return out
}

// withoutFiller cuts what fills code up behind its end: instructions that do nothing, after a branch to itself.
func withoutFiller(code []Line) []Line {
	end := len(code)
	for end > 0 && (code[end-1].Label || code[end-1].Text == "NOP") {
		end--
	}
	if end > 1 && code[end-2].Label && strings.HasPrefix(code[end-1].Text, "BRA") && strings.Contains(code[end-1].Text, strings.TrimSuffix(code[end-2].Text, ":")) {
		end -= 2
	} else if end > 0 && strings.HasPrefix(code[end-1].Text, "BRA 0x") && end < len(code) {
		end-- // cuobjdump has addresses for labels
	}
	for end > 0 && code[end-1].Label {
		end--
	}
	return code[:end]
}
