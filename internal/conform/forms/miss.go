package forms

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"silica/internal/isa"
)

// categories are modifiers that are mistaken for one another.
var categories = [...][]string{
	strings.Fields(".b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .f16x2 .bf16 .bf16x2 .f32 .f64 .pred .u16x2 .s16x2 .tf32 .e4m3x2 .e5m2x2"),
	strings.Fields(".rn .rz .rm .rp .rni .rzi .rmi .rpi .rna"),
	strings.Fields(".ftz .sat .satfinite .relu .NaN .xorsign .abs .approx .full .noftz .oob .cc"),
	strings.Fields(".lo .hi .wide"),
	strings.Fields(".cta .cluster .gpu .sys .gl"),
	strings.Fields(".relaxed .acquire .release .acq_rel .sc .volatile .weak .mmio"),
	strings.Fields(".global .shared .shared::cta .shared::cluster .local .const .param .param::entry .param::func"),
	strings.Fields(".v2 .v4 .v8 .v3"),
	strings.Fields(".eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan"),
	strings.Fields(".and .or .xor .add .inc .dec .min .max .exch .cas .popc"),
	strings.Fields(".ca .cg .cs .lu .cv .wb .wt .nc"),
	strings.Fields(".L1::evict_normal .L1::evict_last .L1::no_allocate .L2::evict_last .L2::cache_hint .L2::64B .L2::128B .L2::256B"),
	strings.Fields(".clamp .wrap .shiftamt"),
	strings.Fields(".sync .aligned .uni"),
}

// misses writes the near misses of one instruction.
type misses struct {
	in     Instruction
	s      *isa.Spelling
	random *rand.Rand
	out    []Instruction
}

// Misses returns instructions that differ from a spelling in one place: a modifier exchanged, left out or added, an
// operand of another type or kind, missing or one too many. Some of them may be legal. The choice is random, and
// the same for equal spellings.
func Misses(s *isa.Spelling) []Instruction {
	in := Write(s)
	h := fnv.New64a()
	h.Write([]byte(in.String()))
	m := misses{in: in, s: s, random: rand.New(rand.NewPCG(h.Sum64(), 1))}
	m.modifiers()
	m.operands()
	return m.out
}

func (m *misses) withMods(mods []string) {
	in := m.in
	in.Mods = mods
	m.out = append(m.out, in)
}

func (m *misses) modifiers() {
	known := isa.KnownMods(m.s.Opcode)
	for i, mod := range m.in.Mods {
		m.withMods(slices.Delete(slices.Clone(m.in.Mods), i, i+1))
		pool := slices.Clone(known)
		for _, c := range categories {
			if slices.Contains(c, mod) {
				pool = append(append(pool, c...), c...)
			}
		}
		for range 3 {
			swapped := slices.Clone(m.in.Mods)
			swapped[i] = pool[m.random.IntN(len(pool))]
			m.withMods(swapped)
		}
	}
	pool := known
	for _, c := range categories[1:] {
		pool = append(pool, c[m.random.IntN(len(c))])
	}
	for range 3 {
		m.withMods(slices.Insert(slices.Clone(m.in.Mods), m.random.IntN(len(m.in.Mods)+1), pool[m.random.IntN(len(pool))]))
	}
}

func (m *misses) withOperand(i int, text string) {
	in := m.in
	in.Operands = slices.Clone(in.Operands)
	in.Operands[i] = text
	m.out = append(m.out, in)
}

func (m *misses) operands() {
	for i := range m.in.Operands {
		in := m.in
		in.Operands = slices.Delete(slices.Clone(in.Operands), i, i+1)
		m.out = append(m.out, in)
		for range 4 {
			m.withOperand(i, m.other(&m.s.Operands[i], m.in.Operands[i]))
		}
	}
	if len(m.in.Operands) > 0 {
		in := m.in
		in.Operands = append(slices.Clone(in.Operands), register(registerTypes[m.random.IntN(len(registerTypes))], 7))
		m.out = append(m.out, in)
	}
}

// other returns something else for an operand.
func (m *misses) other(o *isa.SpelledOperand, text string) string {
	constants := []string{"0", "1", "-1", "3", "16", "31", "32", "33", "255", "256", "65536", "4294967296", "0f3f800000", "0d3ff0000000000000", "1.5"}
	anyRegister := func(i int) string { return register(registerTypes[m.random.IntN(len(registerTypes))], i) }
	switch {
	case o.Kind == isa.ArgAddress:
		others := []string{"[%u32_3]", "[%b16_3]", "[%f32_3]", "[gv]", "[sv]", "[lv]", "[cv]", "[par]", "[%b64_3+8]", "%u64_3", "gv", "[0]", "[%pred_3]", "[%f64_3]", "[gv+4]", "{%u64_1,%u64_2}"}
		return others[m.random.IntN(len(others))]
	case o.Kind != isa.ArgValue:
		return anyRegister(3)
	case o.Constant:
		if m.random.IntN(3) == 0 {
			return anyRegister(3)
		}
		return constants[m.random.IntN(len(constants))]
	case o.Vector > 0:
		switch m.random.IntN(3) {
		case 0:
			return anyRegister(3)
		case 1:
			return "{" + anyRegister(3) + "," + anyRegister(4) + "}"
		}
		return strings.Replace(text, "}", ","+anyRegister(5)+"}", 1)
	}
	switch m.random.IntN(8) {
	case 0:
		return constants[m.random.IntN(len(constants))]
	case 1:
		others := []string{"%tid.x", "%clock64", "gv", "sv", "par", "[%u64_3]", "{%b32_1,%b32_2}", "{%b16_1,%b16_2}", "L1", "%laneid", "!%pred_3", "-%u32_3", "%u32_3|%pred_2", text + "|%pred_2"}
		return others[m.random.IntN(len(others))]
	}
	return anyRegister(3)
}
