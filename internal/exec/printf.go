package exec

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// PrintfArgs reads what a device's printf call refers to.
type PrintfArgs struct {
	// Value returns bytes (4 or 8) bytes at an offset of the argument buffer.
	Value func(offset, bytes int) (uint64, bool)
	// String returns the string that ends with a zero byte at a generic address.
	String func(addr uint64) (string, bool)
}

// FormatPrintf returns what the device's printf prints and how many arguments it used. The format is C's,
// with values of 4 bytes, or 8 with the lengths l, ll, j, z, t and for %p, %s and floating-point, each
// aligned to its size in the buffer. ok is false when an argument can not be read.
func FormatPrintf(format string, args PrintfArgs) (text string, n int, ok bool) {
	p := printer{args: args, ok: true}
	for p.ok && format != "" {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			break
		}
		p.out.WriteString(format[:i])
		format = p.conversion(format[i:])
	}
	p.out.WriteString(format)
	return p.out.String(), p.count, p.ok
}

// printer is one call of printf.
type printer struct {
	args   PrintfArgs
	out    strings.Builder
	offset int // in the argument buffer
	count  int // arguments used
	ok     bool
}

// spec is one conversion of a format.
type spec struct {
	minus, plus, space, sharp, zero bool
	width, precision                int // precision is -1 when not given
	long                            int // bytes of an integer: 1, 2, 4 or 8
	verb                            byte
}

// next reads an argument of 4 or 8 bytes.
func (p *printer) next(bytes int) uint64 {
	p.offset = (p.offset + bytes - 1) / bytes * bytes
	v, ok := p.args.Value(p.offset, bytes)
	p.ok = p.ok && ok
	p.offset += bytes
	p.count++
	return v
}

// conversion handles the conversion at the start of format and returns what follows it.
func (p *printer) conversion(format string) string {
	s, rest, ok := p.parse(format)
	if !ok {
		p.out.WriteByte('%') // not a conversion: printed as it stands
		return format[1:]
	}
	switch s.verb {
	case '%':
		p.out.WriteByte('%')
	case 'd', 'i':
		p.out.WriteString(s.signed(signExtend(p.integer(s), s.long)))
	case 'u', 'o', 'x', 'X':
		p.out.WriteString(s.unsigned(p.integer(s) & (1<<(8*s.long-1)<<1 - 1)))
	case 'c':
		p.out.WriteString(s.pad("", string([]byte{byte(p.next(4))})))
	case 's':
		p.out.WriteString(s.pad("", p.text(s)))
	case 'p':
		p.out.WriteString(s.pointer(p.next(8)))
	case 'n': // CUDA ignores it; its argument is a pointer
		p.next(8)
	default:
		p.out.WriteString(s.float(math.Float64frombits(p.next(8))))
	}
	return rest
}

// parse reads a conversion; a star takes its number from the arguments.
func (p *printer) parse(format string) (s spec, rest string, ok bool) {
	i := 1
	s = spec{precision: -1, long: 4}
flags:
	for ; i < len(format); i++ {
		switch format[i] {
		case '-':
			s.minus = true
		case '+':
			s.plus = true
		case ' ':
			s.space = true
		case '#':
			s.sharp = true
		case '0':
			s.zero = true
		default:
			break flags
		}
	}
	number := func() int {
		if i < len(format) && format[i] == '*' {
			i++
			return int(int32(p.next(4)))
		}
		n := 0
		for ; i < len(format) && format[i] >= '0' && format[i] <= '9'; i++ {
			n = min(n*10+int(format[i]-'0'), maxField)
		}
		return n
	}
	if s.width = number(); s.width < 0 {
		s.minus, s.width = true, -s.width
	}
	s.width = min(s.width, maxField)
	if i < len(format) && format[i] == '.' {
		i++
		if s.precision = min(number(), maxField); s.precision < 0 {
			s.precision = -1
		}
	}
	for ; i < len(format); i++ {
		switch format[i] {
		case 'h':
			s.long /= 2
			s.long = max(s.long, 1)
		case 'l', 'j', 'z', 't':
			s.long = 8
		case 'L':
		default:
			if !strings.ContainsRune("%diuoxXcspnfFeEgGaA", rune(format[i])) {
				return s, "", false
			}
			s.verb = format[i]
			return s, format[i+1:], true
		}
	}
	return s, "", false
}

// maxField bounds widths and precisions, so that a bad format can not use up memory.
const maxField = 1 << 16

// integer reads an integer argument of the length of s.
func (p *printer) integer(s spec) uint64 { return p.next(max(s.long, 4)) }

func signExtend(v uint64, bytes int) int64 {
	shift := 64 - 8*bytes
	return int64(v<<shift) >> shift
}

// text reads a string argument.
func (p *printer) text(s spec) string {
	addr := p.next(8)
	text := "(null)"
	if addr != 0 && p.ok {
		text, p.ok = p.args.String(addr)
	}
	if s.precision >= 0 && s.precision < len(text) {
		text = text[:s.precision]
	}
	return text
}

// pad fills sign+digits to the width: with zeros between the two, or with blanks on one side.
func (s spec) pad(sign, digits string) string {
	missing := s.width - len(sign) - len(digits)
	switch {
	case missing <= 0:
		return sign + digits
	case s.minus:
		return sign + digits + strings.Repeat(" ", missing)
	case s.zero && s.verb != 's' && s.verb != 'c':
		return sign + strings.Repeat("0", missing) + digits
	}
	return strings.Repeat(" ", missing) + sign + digits
}

// sign returns what stands before a number.
func (s spec) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.plus:
		return "+"
	case s.space:
		return " "
	}
	return ""
}

func (s spec) signed(v int64) string {
	magnitude := uint64(v)
	if v < 0 {
		magnitude = -magnitude
	}
	return s.integer(s.sign(v < 0), strconv.FormatUint(magnitude, 10))
}

func (s spec) unsigned(v uint64) string {
	prefix, digits := "", ""
	switch s.verb {
	case 'u':
		digits = strconv.FormatUint(v, 10)
	case 'o':
		digits = strconv.FormatUint(v, 8)
		if s.sharp && digits[0] != '0' {
			digits = "0" + digits
		}
	case 'x', 'X':
		digits = strconv.FormatUint(v, 16)
		if s.sharp && v != 0 {
			prefix = "0x"
		}
	}
	if s.verb == 'X' {
		prefix, digits = strings.ToUpper(prefix), strings.ToUpper(digits)
	}
	return s.integer(prefix, digits)
}

// integer applies the precision (a least number of digits) and the width. A precision turns off the 0 flag,
// and zero with precision 0 has no digits.
func (s spec) integer(sign, digits string) string {
	if s.precision >= 0 {
		s.zero = false
		if s.precision == 0 && digits == "0" && !(s.verb == 'o' && s.sharp) {
			digits = ""
		}
		if missing := s.precision - len(digits); missing > 0 {
			digits = strings.Repeat("0", missing) + digits
		}
	}
	return s.pad(sign, digits)
}

func (s spec) pointer(addr uint64) string {
	s.zero = false
	if addr == 0 {
		return s.pad("", "(nil)")
	}
	return s.pad("", "0x"+strconv.FormatUint(addr, 16))
}

func (s spec) float(v float64) string {
	sign := s.sign(math.Signbit(v))
	v = math.Abs(v)
	var digits string
	switch {
	case math.IsInf(v, 0):
		s.zero, digits = false, "inf"
	case math.IsNaN(v):
		s.zero, digits = false, "nan"
	default:
		switch s.verb | 0x20 {
		case 'f':
			digits = s.fixed(v, s.floatPrecision())
		case 'e':
			digits = s.exponent(v, s.floatPrecision())
		case 'g':
			digits = s.general(v)
		case 'a':
			sign += "0x"
			digits = s.hex(v)
		}
	}
	if s.verb < 'a' {
		sign, digits = strings.ToUpper(sign), strings.ToUpper(digits)
	}
	return s.pad(sign, digits)
}

func (s spec) floatPrecision() int {
	if s.precision < 0 {
		return 6
	}
	return s.precision
}

func (s spec) fixed(v float64, precision int) string {
	digits := strconv.FormatFloat(v, 'f', precision, 64)
	if s.sharp && precision == 0 {
		digits += "."
	}
	return digits
}

func (s spec) exponent(v float64, precision int) string {
	digits := strconv.FormatFloat(v, 'e', precision, 64)
	if s.sharp && precision == 0 {
		digits = digits[:1] + "." + digits[1:]
	}
	return digits
}

// general is %g: the shorter of the two styles by C's rule, without trailing zeros unless # is given.
func (s spec) general(v float64) string {
	precision := max(s.floatPrecision(), 1)
	scientific := strconv.FormatFloat(v, 'e', precision-1, 64)
	mantissa, suffix, _ := strings.Cut(scientific, "e")
	exponent, _ := strconv.Atoi(suffix)
	if exponent < -4 || exponent >= precision {
		suffix = "e" + suffix
		if s.sharp {
			return s.exponent(v, precision-1)
		}
	} else {
		mantissa, suffix = s.fixed(v, precision-1-exponent), ""
	}
	if !s.sharp && strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + suffix
}

// hex is %a without sign and prefix: one digit before the point, as many after it as needed or as the
// precision asks for, rounded to nearest even.
func (s spec) hex(v float64) string {
	const fractionBits = 52
	b := math.Float64bits(v)
	lead, fraction, exponent := b>>fractionBits, b&(1<<fractionBits-1), int(b>>fractionBits)-1023
	switch {
	case v == 0:
		exponent = 0
	case lead == 0: // a denormal keeps its 0 before the point
		exponent = -1022
	default:
		lead = 1
	}
	digits := (fractionBits - bits.TrailingZeros64(fraction) + 3) / 4
	if fraction == 0 {
		digits = 0
	}
	if s.precision >= 0 && s.precision < digits {
		digits = s.precision
		unit := uint64(1) << (fractionBits - 4*digits)
		whole := lead<<fractionBits | fraction
		rest := whole & (unit - 1)
		whole -= rest
		if rest > unit/2 || rest == unit/2 && whole&unit != 0 {
			whole += unit
		}
		lead, fraction = whole>>fractionBits, whole&(1<<fractionBits-1)
	}
	text := strconv.FormatUint(lead, 10)
	places := max(digits, s.precision)
	if places > 0 || s.sharp {
		text += "."
	}
	for i := range places {
		nibble := uint64(0)
		if i < fractionBits/4 {
			nibble = fraction >> (fractionBits - 4 - 4*i) & 15
		}
		text += strconv.FormatUint(nibble, 16)
	}
	if exponent >= 0 {
		return text + "p+" + strconv.Itoa(exponent)
	}
	return text + "p" + strconv.Itoa(exponent)
}
