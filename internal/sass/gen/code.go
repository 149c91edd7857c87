package main

import (
	"regexp"
	"strings"
)

var (
	kernelPattern = regexp.MustCompile(`^\.text\.(k\d+_\d):`)
	labelPattern  = regexp.MustCompile(`^(\.\S+):`)
	instPattern   = regexp.MustCompile(`/\*[0-9a-f]{4,5}\*/\s+(.*?)\s*;`)
	guardPattern  = regexp.MustCompile(`^@!?U?P\w+ +`)
	branchPattern = regexp.MustCompile(`BRA[.\w]* .*?(\.L_\w+)`)
)

// disassembled splits the text of nvdisasm into the lines of kernels: instructions, and labels with their colon.
func disassembled(text string) map[string][]string {
	kernels := map[string][]string{}
	name := ""
	for _, line := range strings.Split(text, "\n") {
		if m := kernelPattern.FindStringSubmatch(line); m != nil {
			name = m[1]
			continue
		}
		if name == "" {
			continue
		}
		if m := labelPattern.FindStringSubmatch(line); m != nil {
			kernels[name] = append(kernels[name], m[1]+":")
		}
		if m := instPattern.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], "NOP") {
			kernels[name] = append(kernels[name], m[1])
		}
	}
	return kernels
}

// rare is how long code that a branch skips has to be to be taken for what happens seldom.
const rare = 30

// path returns the opcodes that a warp executes from the beginning to the exit, where nothing special happens.
func path(code []string) []string {
	at := map[string]int{}
	for i, c := range code {
		if label, ok := strings.CutSuffix(c, ":"); ok {
			at[label] = i
		}
	}
	var out []string
	for i := 0; i < len(code); i++ {
		c := code[i]
		if strings.HasSuffix(c, ":") {
			continue
		}
		guarded := strings.HasPrefix(c, "@")
		name, _, _ := strings.Cut(guardPattern.ReplaceAllString(c, ""), " ")
		out = append(out, name)
		if strings.HasPrefix(name, "EXIT") && !guarded {
			break
		}
		m := branchPattern.FindStringSubmatch(c)
		if m == nil {
			continue
		}
		target, ok := at[m[1]]
		switch {
		case !ok:
		case target <= i && !guarded:
			return out
		case target > i && (!guarded || seldom(code[i+1:target])):
			i = target
		}
	}
	return out
}

// seldom tells whether code that a branch skips is for special cases.
func seldom(code []string) bool {
	if len(code) > rare {
		return true
	}
	for _, c := range code {
		if strings.Contains(c, "CALL") {
			return true
		}
	}
	return false
}

// sequence is what code with the instruction has and code without it has not, in order.
func (f form) sequence(with, plain []string) []string {
	left := map[string]int{}
	for _, name := range with {
		left[name]++
	}
	for _, name := range plain {
		left[name]--
	}
	predicates := 0
	for _, r := range f.write {
		if typeOf(r) == "pred" {
			predicates++
		}
	}
	var out []string
	for _, name := range with {
		if left[name] <= 0 {
			continue
		}
		left[name]--
		if (name == "SEL" || name == "FSEL") && predicates > 0 {
			predicates--
			continue
		}
		if !around(name) {
			out = append(out, name)
		}
	}
	if f.narrow() {
		for len(out) > 1 && strings.HasPrefix(out[0], "PRMT") {
			out = out[1:]
		}
	}
	if strings.HasPrefix(f.name, "bar.warp.sync") {
		out = append(out, "NOP")
	}
	return out
}

// around tells whether an instruction belongs to what is around the form: parameters, sources and results, and calls, whose
// callees are not on the path.
func around(name string) bool {
	opcode, mods, _ := strings.Cut(name, ".")
	switch opcode {
	case "LDG", "STG":
		return strings.Contains(mods, "EF")
	case "ULDC", "CALL", "RET", "UP2UR", "UR2UP":
		return true
	}
	return name == "LDC.64"
}

// narrow tells whether sources have fewer than 32 bits, which PRMT takes from their registers.
func (f form) narrow() bool {
	for _, m := range strings.Split(f.name, ".") {
		switch m {
		case "u16", "s16", "b16", "u8", "s8", "b8", "f16", "bf16", "e4m3x2", "e5m2x2":
			return true
		}
	}
	return false
}
