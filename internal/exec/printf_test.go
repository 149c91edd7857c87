package exec

import (
	"encoding/binary"
	"math"
	"testing"
)

// printfBuffer packs arguments as the device ABI does, and hands them to FormatPrintf. Strings live at
// addresses of their own.
type printfBuffer struct {
	bytes   []byte
	strings []string
}

func packPrintf(args []any) *printfBuffer {
	b := &printfBuffer{}
	word := func(v uint64, bytes int) {
		for len(b.bytes)%bytes != 0 {
			b.bytes = append(b.bytes, 0xEE)
		}
		b.bytes = append(b.bytes, binary.LittleEndian.AppendUint64(nil, v)[:bytes]...)
	}
	for _, a := range args {
		switch a := a.(type) {
		case int32:
			word(uint64(uint32(a)), 4)
		case int64:
			word(uint64(a), 8)
		case float64:
			word(math.Float64bits(a), 8)
		case string:
			b.strings = append(b.strings, a)
			word(uint64(len(b.strings)), 8)
		case nil:
			word(0, 8)
		}
	}
	return b
}

func (b *printfBuffer) args() PrintfArgs {
	return PrintfArgs{
		Value: func(offset, bytes int) (uint64, bool) {
			if offset+bytes > len(b.bytes) {
				return 0, false
			}
			var v [8]byte
			copy(v[:], b.bytes[offset:offset+bytes])
			return binary.LittleEndian.Uint64(v[:]), true
		},
		String: func(addr uint64) (string, bool) {
			if addr == 0 || addr > uint64(len(b.strings)) {
				return "", false
			}
			return b.strings[addr-1], true
		},
	}
}

// TestPrintfPrintsWhatCDoes compares with what glibc's printf gives for the same arguments.
func TestPrintfPrintsWhatCDoes(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"plain %% text", []any{}, "plain % text"},
		{"%d %i", []any{int32(-5), int32(7)}, "-5 7"},
		{"%5d|%-5d|%05d", []any{int32(42), int32(42), int32(42)}, "   42|42   |00042"},
		{"%+d % d %+d", []any{int32(3), int32(3), int32(-3)}, "+3  3 -3"},
		{"%.3d|%8.3d|%-8.3d|%08.3d", []any{int32(5), int32(5), int32(5), int32(5)}, "005|     005|005     |     005"},
		{"%.0d|%.0x", []any{int32(0), int32(0)}, "|"},
		{"%u", []any{int32(-1)}, "4294967295"},
		{"%x %X %#x %#X", []any{int32(48879), int32(48879), int32(48879), int32(48879)}, "beef BEEF 0xbeef 0XBEEF"},
		{"%o %#o %#o", []any{int32(8), int32(8), int32(0)}, "10 010 0"},
		{"%#x", []any{int32(0)}, "0"},
		{"%#010x|%-#10x|", []any{int32(255), int32(255)}, "0x000000ff|0xff      |"},
		{"%hd %hhd %hu %hhu", []any{int32(70000), int32(300), int32(70000), int32(-1)}, "4464 44 4464 255"},
		{"%ld %lld %lu %llx", []any{int64(-1234567890123), int64(-9223372036854775808), int64(-1), int64(81985529216486895)}, "-1234567890123 -9223372036854775808 18446744073709551615 123456789abcdef"},
		{"%zu %jd %td", []any{int64(5), int64(-6), int64(7)}, "5 -6 7"},
		{"%d %ld %d", []any{int32(1), int64(2), int32(3)}, "1 2 3"},
		{"%*d|%-*d|%*d", []any{int32(6), int32(1), int32(6), int32(2), int32(-6), int32(3)}, "     1|2     |3     "},
		{"%.*f|%*.*f|%.*d", []any{int32(2), float64(3.14159), int32(9), int32(3), float64(2.71828), int32(-1), int32(4)}, "3.14|    2.718|4"},
		{"%f %F", []any{float64(1.5), math.Copysign(0, -1)}, "1.500000 -0.000000"},
		{"%.0f %#.0f %.1f", []any{float64(2.5), float64(2.5), float64(0.25)}, "2 2. 0.2"},
		{"%10.3f|%-10.3f|%010.3f|%+.2f|% .2f", []any{float64(3.14159), float64(3.14159), float64(3.14159), float64(3.14159), float64(3.14159)}, "     3.142|3.142     |000003.142|+3.14| 3.14"},
		{"%e %E %.0e %#.0e %.3e", []any{float64(12345.678), float64(12345.678), float64(12345.678), float64(12345.678), float64(12345.678)}, "1.234568e+04 1.234568E+04 1e+04 1.e+04 1.235e+04"},
		{"%e", []any{float64(1e-300)}, "1.000000e-300"},
		{"%e", []any{float64(0.0)}, "0.000000e+00"},
		{"%g %g %g %g %g %g", []any{float64(100000.0), float64(1000000.0), float64(0.0001), float64(1e-05), float64(0.0), float64(1.0)}, "100000 1e+06 0.0001 1e-05 0 1"},
		{"%g %G %#g %.3g %.10g %.0g", []any{float64(123456789.0), float64(1e-10), float64(1.0), float64(3.14159), float64(3.14159), float64(15.0)}, "1.23457e+08 1E-10 1.00000 3.14 3.14159 2e+01"},
		{"%#.3g %#g", []any{float64(10000000000.0), float64(0.5)}, "1.00e+10 0.500000"},
		{"%g", []any{float64(999999.5)}, "1e+06"},
		{"%.3g", []any{float64(999.6)}, "1e+03"},
		{"%a %A %a %a", []any{float64(1.0), float64(-3.14), float64(0.0), float64(5e-324)}, "0x1p+0 -0X1.91EB851EB851FP+1 0x0p+0 0x0.0000000000001p-1022"},
		{"%.3a %.0a %.1a %20a|%-20a|%020a", []any{float64(3.14159), float64(1.5), float64(1.96875), float64(1.5), float64(1.5), float64(1.5)}, "0x1.922p+1 0x2p+0 0x2.0p+0             0x1.8p+0|0x1.8p+0            |0x0000000000001.8p+0"},
		{"%#a %.0a %.20a", []any{float64(1.0), float64(2.5), float64(1.1)}, "0x1.p+0 0x1p+1 0x1.199999999999a0000000p+0"},
		{"%f %F %e %010g %a", []any{math.Inf(1), math.Inf(-1), math.NaN(), math.Inf(1), math.NaN()}, "inf -INF nan        inf nan"},
		{"%5.1f|%-8f|%+f", []any{math.Inf(1), math.NaN(), math.Inf(1)}, "  inf|nan     |+inf"},
		{"%c%c|%5c|%-5c|", []any{int32(65), int32(98), int32(99), int32(100)}, "Ab|    c|d    |"},
		{"%s|%10s|%-10s|%.2s|%5.1s", []any{"abc", "abc", "abc", "abc", "abc"}, "abc|       abc|abc       |ab|    a"},
		{"%s", []any{nil}, "(null)"},
		{"%p %p", []any{int64(139637976731648), int64(0)}, "0x7f0000001000 (nil)"},
		{"%20p|%-20p|", []any{int64(4660), int64(4660)}, "              0x1234|0x1234              |"},
		{"%05s|%05c", []any{"ab", int32(65)}, "   ab|    A"},
	} {
		text, n, ok := FormatPrintf(c.format, packPrintf(c.args).args())
		if text != c.want || n != len(c.args) || !ok {
			t.Errorf("printf(%q, %v): %q with %d arguments, %v; want %q", c.format, c.args, text, n, ok, c.want)
		}
	}
}

func TestPrintfOfWhatIsNoConversion(t *testing.T) {
	for format, want := range map[string]string{
		"100%":     "100%",
		"%":        "%",
		"%y %5":    "%y %5",
		"%5.2":     "%5.2",
		"a%nb":     "ab", // CUDA ignores %n
		"no verbs": "no verbs",
	} {
		text, _, ok := FormatPrintf(format, packPrintf([]any{int64(1)}).args())
		if text != want || !ok {
			t.Errorf("printf(%q): %q, %v; want %q", format, text, ok, want)
		}
	}
}

func TestPrintfReportsArgumentsItCanNotRead(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
	}{{"%d %d", []any{int32(1)}}, {"%s", []any{int64(99)}}, {"%*d", nil}} {
		if text, _, ok := FormatPrintf(c.format, packPrintf(c.args).args()); ok {
			t.Errorf("printf(%q, %v): %q", c.format, c.args, text)
		}
	}
}

func FuzzPrintfEndsOnEveryFormat(f *testing.F) {
	for _, s := range []string{"%-+ #0*.*lld", "%99999999999d", "%.99999f", "%hhhhhhd", "%%%", "%ls"} {
		f.Add(s, uint64(0x7FF8000000000000))
	}
	f.Fuzz(func(t *testing.T, format string, value uint64) {
		if len(format) > 100 {
			format = format[:100]
		}
		FormatPrintf(format, PrintfArgs{
			Value:  func(int, int) (uint64, bool) { return value, true },
			String: func(uint64) (string, bool) { return "text", true },
		})
	})
}
