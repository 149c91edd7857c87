package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"silica/internal/conform/forms"
	"silica/internal/isa"
)

// form is an instruction with the registers that it reads and writes.
type form struct {
	name        string // opcode with modifiers
	text        string
	read, write []string
	addresses   map[string]bool // of what is read
}

// each is how many lists of modifiers of a row are recorded, spread over all of them.
const each = 30

// every stands for all lists of modifiers of a row.
const every = 1 << 20

// spellings returns the forms of a row that are recorded: conversions all, of atomic operations also all that are not qualified.
func spellings(row *isa.Row) []isa.Spelling {
	switch {
	case strings.HasPrefix(row.Syntax, "cvt"):
		return row.Spellings(every)
	case row.Op == isa.OpAtom || row.Op == isa.OpRed:
		return append(row.Spellings(each), slices.DeleteFunc(row.Spellings(every), qualified)...)
	}
	return row.Spellings(each)
}

// qualified tells whether an atomic operation says how it is ordered and for whom, which programs seldom do.
func qualified(s isa.Spelling) bool {
	for _, m := range s.Mods {
		switch m {
		case ".relaxed", ".acquire", ".release", ".acq_rel", ".cta", ".cluster", ".gpu", ".sys", ".level::cache_hint", ".shared::cluster":
			return true
		}
	}
	return false
}

// all returns the forms to record. Rows of textures, of wgmma and of calls are left out, as in package forms.
func all() []form {
	var list []form
	seen := map[string]bool{}
	for _, row := range isa.Rows() {
		if row.Since.SM > 90 || row.Unit == isa.TEX || row.Op == isa.OpCall || strings.HasPrefix(row.Syntax, "wgmma") {
			continue
		}
		spelled := spellings(row)
		for i := range spelled {
			if f := newForm(&spelled[i]); !seen[f.text] {
				seen[f.text] = true
				list = append(list, f)
			}
		}
	}
	return list
}

var registerPattern = regexp.MustCompile(`%[a-z0-9]+_\d+`)

// newForm writes a spelling.
func newForm(s *isa.Spelling) form {
	in := forms.Write(s)
	f := form{name: in.Opcode + strings.Join(in.Mods, ""), text: in.String(), addresses: map[string]bool{}}
	for i := range s.Operands {
		o := &s.Operands[i]
		if o.Kind == isa.ArgAddress {
			for _, r := range registerPattern.FindAllString(in.Operands[i], -1) {
				f.read = append(f.read, r)
				f.addresses[r] = true
			}
			continue
		}
		parts := strings.Split(in.Operands[i], "|")
		for j, arg := range []*isa.SpelledOperand{o, o.Pair} {
			if arg == nil || j >= len(parts) {
				continue
			}
			names := registerPattern.FindAllString(parts[j], -1)
			if arg.Read || !arg.Write {
				f.read = append(f.read, names...)
			}
			if arg.Write {
				f.write = append(f.write, names...)
			}
		}
	}
	return f
}

// natives are the opcodes that lowering selects itself, for plain types.
var natives = map[string]bool{
	"add": true, "sub": true, "mul": true, "mad": true, "and": true, "or": true, "xor": true, "not": true, "shl": true, "shr": true, "neg": true,
	"abs": true, "setp": true, "selp": true, "fma": true, "min": true, "max": true, "mov": true, "ld": true, "st": true, "cvta": true,
}

// native tells whether lowering needs no recording of a form.
func native(name string) bool {
	parts := strings.Split(name, ".")
	if !natives[parts[0]] {
		return false
	}
	switch parts[len(parts)-1] {
	case "s32", "u32", "b32":
	case "s16", "u16", "b16", "s64", "u64", "b64", "pred", "f32", "f64":
		if parts[0] == "abs" || parts[0] == "min" || parts[0] == "max" {
			return false
		}
	default:
		return false
	}
	for _, m := range parts[1:] {
		switch m {
		case "cc", "sat", "hi", "rz", "rm", "rp":
			return false
		}
	}
	return !strings.Contains(name, "24")
}

// declared are the types of the registers that forms use.
var declared = strings.Fields("pred b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 b8 f32 f64 f16 f16x2")

// module writes a module with two kernels for each form, k0_0, k0_1, k1_0, ...: the second has the instruction. Loads and stores around it are
// .cs, which tells them from those of the instruction. It returns the lines at which each form's kernels begin.
func module(list []form) (text string, lines []int) {
	var b strings.Builder
	b.WriteString(".version 8.7\n.target sm_90a\n.address_size 64\n.global .align 16 .b8 gv[256];\n.const .align 16 .b8 cv[256];\n")
	for i, f := range list {
		lines = append(lines, strings.Count(b.String(), "\n")+1)
		for with := range 2 {
			fmt.Fprintf(&b, ".visible .entry k%d_%d(.param .u64 pi, .param .u64 po)\n{\n.shared .align 16 .b8 sv[256];\n.reg .b64 %%rdi, %%rdo;\n.reg .b32 %%tt;\n", i, with)
			for _, t := range declared {
				fmt.Fprintf(&b, ".reg .%s %%%s_<80>;\n", t, t)
			}
			b.WriteString("ld.param.u64 %rdi, [pi];\nld.param.u64 %rdo, [po];\ncvta.to.global.u64 %rdi, %rdi;\ncvta.to.global.u64 %rdo, %rdo;\n")
			place := 0
			for _, r := range f.read {
				place += 16
				b.WriteString(load(r, place))
			}
			if with == 1 {
				b.WriteString(f.text + "\n")
				for _, r := range f.write {
					place += 16
					b.WriteString(store(r, place))
				}
			}
			for i, r := range f.read {
				if !f.addresses[r] { // kept, an address would have to be copied
					b.WriteString(store(r, 16*(i+1)))
				}
			}
			b.WriteString("ret;\n}\n")
		}
	}
	return b.String(), lines
}

// typeOf is the type that a register is declared with.
func typeOf(register string) string {
	t, _, _ := strings.Cut(strings.TrimPrefix(register, "%"), "_")
	return t
}

// moved is the type that a register of a type is loaded and stored as.
func moved(t string) string {
	switch t {
	case "f16":
		return "b16"
	case "f16x2":
		return "b32"
	}
	return t
}

func load(r string, place int) string {
	t := typeOf(r)
	if t == "pred" {
		return fmt.Sprintf("ld.global.cs.u32 %%tt, [%%rdi+%d];\nsetp.ne.u32 %s, %%tt, 0;\n", place, r)
	}
	return fmt.Sprintf("ld.global.cs.%s %s, [%%rdi+%d];\n", moved(t), r, place)
}

func store(r string, place int) string {
	t := typeOf(r)
	if t == "pred" {
		return fmt.Sprintf("selp.u32 %%tt, 1, 0, %s;\nst.global.cs.u32 [%%rdo+%d], %%tt;\n", r, place)
	}
	return fmt.Sprintf("st.global.cs.%s [%%rdo+%d], %s;\n", moved(t), place, r)
}

var linePattern = regexp.MustCompile(`line (\d+)`)

// without leaves out the forms that messages of ptxas name by their lines.
func without(list []form, lines []int, messages string) []form {
	bad := map[int]bool{}
	for _, m := range linePattern.FindAllStringSubmatch(messages, -1) {
		line, _ := strconv.Atoi(m[1])
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i] <= line {
				bad[i] = true
				break
			}
		}
	}
	var left []form
	for i, f := range list {
		if !bad[i] {
			left = append(left, f)
		}
	}
	return left
}
