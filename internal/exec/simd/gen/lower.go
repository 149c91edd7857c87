package main

import (
	"regexp"
	"strings"
)

// The bodies of ops are written once, in AVX-512. lower rewrites a body in AVX2: a mask register becomes a
// vector of all-ones and all-zeros lanes (k5 to k7 for K5 to K7), a masked instruction a computation and a
// blend, and some instructions become several, for which s0 and s1 are scratch. An op with an instruction that
// is not listed here, or that needs more registers than there are, has no AVX2 kernel.

// lowering is the state of rewriting one body.
type lowering struct {
	op       op
	out      []string
	masks    map[string]bool // whether a mask is one of half vectors
	rounding string          // how the instructions round that say it
	inherits bool            // an instruction rounds as MXCSR says
	failed   bool
}

// lower returns the op in AVX2; ok is false when it has no such form.
func lower(o op) (lowered op, ok bool) {
	l := &lowering{op: o, masks: map[string]bool{}}
	for _, line := range o.body {
		l.line(line)
	}
	o.prologue = l.prologue(o.prologue)
	for _, r := range roundings {
		if r.evex == l.rounding {
			o.control |= r.control
			o.float = o.float || r.control != 0
		}
	}
	o.body = l.out
	return o, !l.failed && !(l.rounding != "" && l.inherits)
}

// prologue rewrites lines before the loop, most of which have no vectors.
func (l *lowering) prologue(list []string) []string {
	var out []string
	for _, line := range list {
		if register, ok := strings.CutPrefix(line, "VPBROADCASTD AX, "); ok {
			out = append(out, "VMOVD AX, "+register+".half", "VPBROADCASTD "+register+".half, "+register)
			continue
		}
		out = append(out, line)
	}
	return out
}

// renamed are the instructions of both sets, by what AVX2 calls them.
var renamed = map[string]string{
	"VMOVDQA32": "VMOVDQA", "VMOVDQA64": "VMOVDQA",
	"VPANDD": "VPAND", "VPANDQ": "VPAND", "VPORD": "VPOR", "VPORQ": "VPOR", "VPXORD": "VPXOR", "VPXORQ": "VPXOR",
	"VPANDND": "VPANDN", "VPANDNQ": "VPANDN", "VEXTRACTI64X4": "VEXTRACTI128", "VINSERTI64X4": "VINSERTI128",
	"VRNDSCALEPS": "VROUNDPS", "VRNDSCALEPD": "VROUNDPD",
	"KORW": "VPOR", "KANDW": "VPAND", "VPMOVB2M": "VMOVDQA", "VPMOVM2B": "VMOVDQA", // of bytes only the top bit counts
}

// exact are those that do not round, and rounding those that do, under the same name.
var (
	exact = set(`VPADDB VPADDW VPADDD VPADDQ VPSUBB VPSUBD VPSUBQ VPMULLD VPMULUDQ VPMULDQ VPMADDWD VPMINUD VPMAXUD VPMINSD VPMAXSD
		VPABSD VPSLLVD VPSRLVD VPSRAVD VPSLLVQ VPSRLVQ VPSLLD VPSRLD VPSRAD VPSLLQ VPSRLQ VPSHUFB VPMOVZXDQ VPMOVSXDQ
		VPMINUW VPMAXUW VPMINSW VPMAXSW VPMOVZXWD VMINPS VMAXPS VCVTDQ2PD VCVTPS2PD VCVTPH2PS VCVTPS2PH`)
	inexact = set(`VADDPS VSUBPS VMULPS VDIVPS VSQRTPS VADDPD VSUBPD VMULPD VDIVPD VSQRTPD VCVTDQ2PS
		VFMADD132PS VFMADD213PS VFMADD231PS VFMADD132PD VFMADD213PD VFMADD231PD`)
)

func set(names string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(names) {
		out[n] = true
	}
	return out
}

// emit adds an AVX2 instruction.
func (l *lowering) emit(mnemonic string, operands ...string) {
	l.out = append(l.out, mnemonic+" "+strings.Join(operands, ", "))
}

// line rewrites an instruction.
func (l *lowering) line(line string) {
	mnemonic, rest, _ := strings.Cut(line, " ")
	operands := strings.Split(rest, ", ")
	mnemonic, suffix, _ := strings.Cut(mnemonic, ".")
	if strings.HasSuffix(suffix, "_SAE") {
		suffix = "." + suffix
	}
	for i, o := range operands {
		operands[i] = l.mask(o)
		if registers.MatchString(o) && operands[i] == o {
			l.failed = true
		}
	}
	n := len(operands)
	dst := operands[n-1]
	if n > 2 && l.isMask(operands[n-2]) && !strings.HasPrefix(mnemonic, "VPBLENDM") && mnemonic[0] != 'K' {
		l.masked(mnemonic, suffix, operands[:n-2], operands[n-2], dst)
		return
	}
	l.instruction(mnemonic, suffix, operands[:n-1], dst)
}

// registers matches the registers of AVX-512 that have no place in AVX2; from Z16 on they are names like others.
var registers = regexp.MustCompile(`^([ZYX][0-9]|Z1[0-5]|K[0-7])$`)

// mask returns the vector that stands for a mask register; the source that is a predicate for K3.
func (l *lowering) mask(o string) string {
	switch o {
	case "K3":
		for i, bits := range l.op.shape.src {
			if bits == 1 {
				return "abce"[i : i+1]
			}
		}
	case "K5", "K6", "K7":
		return "k" + o[1:]
	}
	return o
}

// isMask tells whether an operand stands for a mask register.
func (l *lowering) isMask(o string) bool {
	if o[0] == 'k' || o == "d" && l.op.shape.dst == 1 {
		return true
	}
	i := strings.Index("abce", o)
	return len(o) == 1 && i >= 0 && l.op.shape.src[i] == 1
}

// half tells whether an operand is half a vector.
func (l *lowering) half(o string) bool {
	name, size, _ := strings.Cut(o, ".")
	switch {
	case size != "":
		return size == "half"
	case name[0] == 'k':
		return l.masks[name]
	case name == "d":
		return l.op.half(l.op.shape.dst)
	case len(name) == 1 && strings.Contains("abce", name):
		return l.op.half(l.op.shape.src[strings.Index("abce", name)])
	}
	return false
}

// sized returns an operand in the size of another.
func (l *lowering) sized(o, as string) string {
	name, _, _ := strings.Cut(o, ".")
	if l.half(as) {
		return name + ".half"
	}
	return name + ".full"
}

// masked computes an instruction for the lanes of a mask.
func (l *lowering) masked(mnemonic, suffix string, sources []string, mask, dst string) {
	l.fit(mask, append(sources, dst))
	if l.isMask(dst) { // a comparison; it has to hold too
		t := l.sized("s1", sources[len(sources)-1])
		l.compare(mnemonic, sources, t)
		l.define(dst, sources[len(sources)-1])
		l.emit("VPAND", l.sized(mask, t), t, l.sized(dst, t))
		l.require(mask, t)
		return
	}
	l.require(mask, dst)
	mask = l.sized(mask, dst)
	value := sources[0]
	if mnemonic != "VMOVDQA32" && mnemonic != "VMOVDQA64" {
		value = l.sized("s1", dst)
		rounding, zero := suffix, ""
		if suffix == "Z" {
			rounding, zero = "", "Z"
		}
		l.instruction(mnemonic, rounding, sources, value)
		suffix = zero
	}
	switch suffix {
	case "":
		l.emit("VPBLENDVB", mask, value, dst, dst)
	case "Z":
		l.emit("VPAND", value, mask, dst)
	default:
		l.failed = true
	}
}

// fit makes a mask of whole vectors one of half vectors when an operand is half a vector.
func (l *lowering) fit(mask string, operands []string) {
	for _, o := range operands {
		if mask[0] == 'k' && !l.half(mask) && !l.isMask(o) && o[0] != '$' && l.half(o) {
			l.narrow(mask+".full", mask+".half")
			l.masks[mask] = true
		}
	}
}

// narrow emits the lower halves of 64-bit lanes.
func (l *lowering) narrow(source, dst string) {
	l.emit("VEXTRACTI128", "$1", source, "s0.half")
	l.emit("VSHUFPS", "$0x88", "s0.half", strings.TrimSuffix(source, ".full")+".half", dst)
}

// require fails when a mask is not of the size of what it masks.
func (l *lowering) require(mask, of string) {
	if l.half(mask) != l.half(of) {
		l.failed = true
	}
}

// define notes that a mask is of the size of what was compared. A predicate result has a vector's lanes.
func (l *lowering) define(mask, compared string) {
	if mask[0] == 'k' {
		l.masks[mask] = l.half(compared)
	} else if l.half(compared) {
		l.failed = true
	}
}

// instruction rewrites an instruction without a mask.
func (l *lowering) instruction(mnemonic, suffix string, sources []string, dst string) {
	last := sources[len(sources)-1]
	imm := sources[0]
	switch {
	case mnemonic == "VFIXUPIMMPS": // only with the table of canonical
		l.emit("VCMPPS", "$3", last, last, "s0")
		l.emit("VPBLENDVB", "s0", dst, last, dst)
		return
	case mnemonic == "VCVTPD2DQ" && roundingModes[suffix] != "":
		l.emit("VROUNDPD", roundingModes[suffix], last, "s0")
		l.emit("VCVTTPD2DQY", "s0", dst)
		return
	case strings.HasPrefix(mnemonic, "VCVTPS2") && strings.HasSuffix(mnemonic, "DQ"):
		l.toInteger(mnemonic, suffix, last, dst)
		return
	case strings.HasPrefix(suffix, "."):
		if l.rounding != "" && l.rounding != suffix {
			l.failed = true
		}
		l.rounding = suffix
	case suffix != "":
		l.failed = true
	case inexact[mnemonic], mnemonic == "VCVTUDQ2PS", mnemonic == "VCVTPD2PS":
		l.inherits = true
	}
	s0, s1 := l.sized("s0", dst), l.sized("s1", dst)
	switch mnemonic {
	case "VPTERNLOGD", "VPTERNLOGQ":
		l.ternary(imm, sources[1], sources[2], dst)
	case "VPBLENDMD", "VPBLENDMQ", "VPBLENDMB":
		l.require(last, dst)
		l.emit("VPBLENDVB", l.sized(last, dst), sources[0], sources[1], dst)
	case "VRANGEPS", "VRANGEPD":
		l.extreme(strings.TrimPrefix(mnemonic, "VRANGE"), imm, sources[1], sources[2], dst)
	case "VPMOVD2M":
		l.define(dst, last)
		l.emit("VPSRAD", "$31", last, l.sized(dst, last))
	case "VPCMPGTB":
		l.emit(mnemonic, sources[0], sources[1], dst)
	case "VPMOVQD":
		l.narrow(last, dst)
	case "VCVTTPD2DQ":
		l.emit("VCVTTPD2DQY", last, dst)
	case "VCVTTPD2UDQ": // of numbers in range: of the integer less 2^31
		l.emit("VROUNDPD", "$3", last, "s0")
		l.emit("VADDPD", "{q 0xc1e0000000000000}", "s0", "s0")
		l.emit("VCVTTPD2DQY", "s0", dst)
		l.emit("VPXOR", "{d 0x80000000}.half", dst, dst)
	case "VPMOVDW":
		l.emit("VPAND", "{d 0xffff}", last, "s0")
		l.emit("VPACKUSDW", "s0", "s0", "s0")
		l.emit("VPERMQ", "$0xd8", "s0", "s0")
		l.emit("VMOVDQA", "s0.half", dst)
	case "VCVTPD2PS":
		l.emit("VCVTPD2PSY", last, dst)
	case "VPSHLDVD", "VPSHRDVD":
		l.funnel(mnemonic == "VPSHLDVD", sources[0], sources[1], dst)
	case "VPSRAVQ": // a negative number is shifted inverted
		l.emit("VPXOR", s1, s1, s1)
		l.emit("VPCMPGTQ", sources[1], s1, s1)
		l.emit("VPXOR", s1, sources[1], s0)
		l.emit("VPSRLVQ", sources[0], s0, s0)
		l.emit("VPXOR", s1, s0, dst)
	case "VPSRAQ":
		if imm != "$63" {
			l.failed = true
		}
		l.emit("VPXOR", s0, s0, s0)
		l.emit("VPCMPGTQ", last, s0, dst)
	case "VPMULLQ":
		l.emit("VPSHUFD", "$0xb1", sources[0], s0)
		l.emit("VPMULLD", s0, sources[1], s0) // the crosswise products
		l.emit("VPSRLQ", "$32", s0, s1)
		l.emit("VPADDD", s1, s0, s0)
		l.emit("VPSLLQ", "$32", s0, s0)
		l.emit("VPMULUDQ", sources[0], sources[1], s1)
		l.emit("VPADDQ", s1, s0, dst)
	case "VPABSQ":
		l.emit("VPXOR", s1, s1, s1)
		l.emit("VPCMPGTQ", last, s1, s1)
		l.emit("VPXOR", s1, last, s0)
		l.emit("VPSUBQ", s1, s0, dst)
	case "VPMINSQ", "VPMAXSQ", "VPMINUQ", "VPMAXUQ":
		l.greater(mnemonic[5] == 'U', "Q", sources[1], sources[0], s0)
		if mnemonic[2:5] == "MIN" {
			l.emit("VPBLENDVB", s0, sources[0], sources[1], dst)
		} else {
			l.emit("VPBLENDVB", s0, sources[1], sources[0], dst)
		}
	case "VPOPCNTD", "VPOPCNTQ":
		l.population(mnemonic, last, dst)
	case "VPLZCNTD":
		// The exponent of the number as f32, without the bit that may make it round up to the next power.
		l.emit("VPSRLD", "$1", last, s0)
		l.emit("VPANDN", last, s0, s0)
		l.emit("VCVTDQ2PS", s0, s0)
		l.emit("VPSRLD", "$23", s0, s0)
		l.emit("VPXOR", s1, s1, s1)
		l.emit("VPMAXSD", s1, l.difference("{d 158}", s0), s0)
		l.emit("VPMINSD", "{d 32}", s0, dst)
	case "VCVTUDQ2PS": // half of a large number, its lowest bit kept, and double that
		l.emit("VPSLLD", "$31", last, s0)
		l.emit("VPSRLD", "$31", s0, s0)
		l.emit("VPSRLD", "$1", last, s1)
		l.emit("VPOR", s1, s0, s0)
		l.emit("VCVTDQ2PS", s0, s0)
		l.emit("VADDPS", s0, s0, s0)
		l.emit("VCVTDQ2PS", last, s1)
		l.emit("VBLENDVPS", last, s0, s1, dst)
	case "VCVTUDQ2PD": // twice the half and the lowest bit
		l.emit("VPSRLD", "$1", last, "s0.half")
		l.emit("VCVTDQ2PD", "s0.half", "s0")
		l.emit("VADDPD", "s0", "s0", "s0")
		l.emit("VPSLLD", "$31", last, "s1.half")
		l.emit("VPSRLD", "$31", "s1.half", "s1.half")
		l.emit("VCVTDQ2PD", "s1.half", "s1")
		l.emit("VADDPD", "s1", "s0", dst)
	default:
		name, ok := renamed[mnemonic]
		switch {
		case ok && mnemonic[0] == 'K':
			l.require(sources[0], sources[1])
			l.define(dst, sources[0])
			l.emit(name, l.sized(sources[0], sources[0]), l.sized(sources[1], sources[0]), l.sized(dst, sources[0]))
		case ok:
			l.emit(name, append(sources, dst)...)
		case l.isMask(dst) && len(sources) > 1:
			l.compare(mnemonic, sources, l.sized(dst, last))
			l.define(dst, last)
		case exact[mnemonic], inexact[mnemonic]:
			l.emit(mnemonic, append(sources, dst)...)
		default:
			l.failed = true
		}
	}
}

// difference emits x less y in y.
func (l *lowering) difference(x, y string) string {
	l.emit("VPSUBD", y, x, y)
	return y
}

// compare emits a comparison of the last two sources.
func (l *lowering) compare(mnemonic string, sources []string, dst string) {
	n := len(sources)
	b, a := sources[n-2], sources[n-1]
	width := mnemonic[len(mnemonic)-1:]
	invert := false
	switch strings.TrimSuffix(mnemonic, width) {
	case "VCMPP":
		l.emit(mnemonic, append(sources, dst)...)
	case "VPCMPEQ":
		l.emit(mnemonic, b, a, dst)
	case "VPTESTM", "VPTESTNM":
		zero := l.sized("s0", dst)
		l.emit("VPAND", b, a, dst)
		l.emit("VPXOR", zero, zero, zero)
		l.emit("VPCMPEQ"+width, zero, dst, dst)
		invert = strings.HasPrefix(mnemonic, "VPTESTM")
	case "VPCMP", "VPCMPU":
		unsigned := strings.HasPrefix(mnemonic, "VPCMPU")
		switch sources[0] {
		case "$0", "$4":
			l.emit("VPCMPEQ"+width, b, a, dst)
			invert = sources[0] == "$4"
		case "$1", "$5":
			l.greater(unsigned, width, b, a, dst)
			invert = sources[0] == "$5"
		case "$6", "$2":
			l.greater(unsigned, width, a, b, dst)
			invert = sources[0] == "$2"
		default:
			l.failed = true
		}
	default:
		l.failed = true
	}
	if invert {
		ones := l.sized("s0", dst)
		l.emit("VPCMPEQD", ones, ones, ones)
		l.emit("VPXOR", ones, dst, dst)
	}
}

// greater emits a > b. Unsigned numbers are compared with their sign bits inverted.
func (l *lowering) greater(unsigned bool, width, a, b, dst string) {
	if unsigned {
		sign := map[string]string{"D": "{d 0x80000000}", "Q": "{q 0x8000000000000000}"}[width]
		if l.half(dst) {
			sign += ".half"
		}
		s0, s1 := l.sized("s0", dst), l.sized("s1", dst)
		l.emit("VPXOR", sign, a, s0)
		l.emit("VPXOR", sign, b, s1)
		a, b = s0, s1
	}
	l.emit("VPCMPGT"+width, b, a, dst)
}

// ternary emits the bit functions of three operands that are in use.
func (l *lowering) ternary(table, c, b, dst string) {
	s0 := l.sized("s0", dst)
	switch table {
	case "$0xff":
		l.emit("VPCMPEQD", dst, dst, dst)
	case "$0xca": // b where dst is set, else c
		l.emit("VPXOR", c, b, s0)
		l.emit("VPAND", dst, s0, s0)
		l.emit("VPXOR", c, s0, dst)
	case "$0xe4": // dst where c is set, else b
		l.emit("VPXOR", b, dst, s0)
		l.emit("VPAND", c, s0, s0)
		l.emit("VPXOR", b, s0, dst)
	default:
		l.failed = true
	}
}

// extreme emits the minimum (4) or maximum (5), of zeros too: in both orders, since of two zeros the
// instruction returns the second. Of NaNs the result is one.
func (l *lowering) extreme(suffix, imm, b, a, dst string) {
	s0, s1 := l.sized("s0", dst), l.sized("s1", dst)
	mnemonic, merge := "VMIN"+suffix, "VPOR"
	if imm == "$5" {
		mnemonic, merge = "VMAX"+suffix, "VPAND"
	}
	l.emit("VCMP"+suffix, "$3", b, a, s1)
	l.emit(mnemonic, b, a, s0)
	l.emit(mnemonic, a, b, dst)
	l.emit(merge, s0, dst, dst)
	if suffix == "PS" {
		l.emit("VPOR", s1, dst, dst)
	} else { // a NaN keeps its bits
		l.emit("VPBLENDVB", s1, s0, dst, dst)
	}
}

// funnel emits the shift of dst and b together by c, left or right.
func (l *lowering) funnel(left bool, c, b, dst string) {
	shift, opposite, one := "VPSRLVD", "VPSLLVD", "VPSLLD"
	if left {
		shift, opposite, one = "VPSLLVD", "VPSRLVD", "VPSRLD"
	}
	l.emit("VPAND", "{d 31}", c, "s0")
	l.emit(shift, "s0", dst, dst)
	l.emit("VPXOR", "{d 31}", "s0", "s0")
	l.emit(one, "$1", b, "s1")
	l.emit(opposite, "s0", "s1", "s1")
	l.emit("VPOR", "s1", dst, dst)
}

// population emits the number of bits, by nibbles.
func (l *lowering) population(mnemonic, source, dst string) {
	const counts = "{x 00010102010202030102020302030304}"
	l.emit("VPAND", "{d 0x0f0f0f0f}", source, "s0")
	l.emit("VPSHUFB", "s0", counts, "s0")
	l.emit("VPSRLD", "$4", source, "s1")
	l.emit("VPAND", "{d 0x0f0f0f0f}", "s1", "s1")
	l.emit("VPSHUFB", "s1", counts, "s1")
	l.emit("VPADDB", "s1", "s0", "s0")
	if mnemonic == "VPOPCNTQ" {
		l.emit("VPXOR", "s1", "s1", "s1")
		l.emit("VPSADBW", "s1", "s0", dst)
		return
	}
	l.emit("VPMADDUBSW", "{d 0x01010101}", "s0", "s0")
	l.emit("VPMADDWD", "{d 0x00010001}", "s0", dst)
}

// roundingModes are the operands of VROUNDPS and VROUNDPD.
var roundingModes = map[string]string{".RN_SAE": "$0", ".RD_SAE": "$1", ".RU_SAE": "$2", ".RZ_SAE": "$3"}

// toInteger emits the conversion of f32 to a signed or unsigned integer with a rounding of its own.
func (l *lowering) toInteger(mnemonic, suffix, a, dst string) {
	mode := roundingModes[suffix]
	if mode == "" {
		l.failed = true
	}
	l.emit("VROUNDPS", mode, a, dst)
	if mnemonic == "VCVTPS2DQ" {
		l.emit("VCVTTPS2DQ", dst, dst)
		return
	}
	// s1 is the number less 2^31, which counts where the number itself is too large; where it is too, all ones.
	l.emit("VADDPS", "{d 0xcf000000}", dst, "s1")
	l.emit("VCVTTPS2DQ", "s1", "s1")
	l.emit("VCVTTPS2DQ", dst, dst)
	l.emit("VPSRAD", "$31", dst, "s0")
	l.emit("VPAND", "s0", "s1", "s1")
	l.emit("VPOR", "s1", dst, dst)
	l.emit("VPSRAD", "$31", "s1", "s1")
	l.emit("VPOR", "s1", dst, dst)
}
