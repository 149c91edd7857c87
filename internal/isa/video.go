package isa

import "strings"

// videoRows holds the scalar video instructions: operations on selected bytes, halves or words with a
// second operation, or a merge of the result into a part of c.
func videoRows() []Row {
	var rows []Row
	for _, op := range []struct {
		name string
		fn   videoFunc
	}{
		{"vadd", func(a, b int64) int64 { return a + b }},
		{"vsub", func(a, b int64) int64 { return a - b }},
		{"vabsdiff", func(a, b int64) int64 { return max(a-b, b-a) }},
		{"vmin", func(a, b int64) int64 { return min(a, b) }},
		{"vmax", func(a, b int64) int64 { return max(a, b) }},
	} {
		rows = append(rows, videoForms(op.name+".dtype.atype.btype{.sat}", videoLane(op.fn))...)
	}
	rows = append(rows, videoForms("vshl.dtype.atype.u32{.sat}.mode", shiftLane(func(a, n int64) int64 { return a << n }))...)
	rows = append(rows, videoForms("vshr.dtype.atype.u32{.sat}.mode", shiftLane(func(a, n int64) int64 { return a >> n }))...)
	rows = append(rows, videoForms("vset.atype.btype.cmp", func(f *Form) LaneFunc {
		compare := compareInt[int64](f.Get("cmp"))
		return videoLane(func(a, b int64) int64 { return int64(truth(compare(uint64(a), uint64(b)))) })(f)
	})...)
	mad := videoRow("vmad.dtype.atype.btype{.sat}{.scale} d, a, b, c", vmadLane)
	mad.Types = "d:dtype a:atype:minus:select=scalar b:btype:minus:select=scalar c:dtype:minus"
	mad.Check = func(f *Form) string {
		if f.Args[3].Minus && f.Args[1].Minus != f.Args[2].Minus {
			return "the product and c can not both be negated"
		}
		return ""
	}
	return append(rows, mad, videoRow("vmad.dtype.atype.btype.po{.sat}{.scale} d, a, b, c", vmadLane))
}

// videoFunc is an operation on two selected values, each extended by the sign of its type.
type videoFunc func(a, b int64) int64

func videoRow(syntax string, lane func(*Form) LaneFunc) Row {
	const signs = ".u32 .s32"
	return Row{Syntax: syntax, Mods: Mods{"dtype": signs, "atype": signs, "btype": signs, "op2": ".add .min .max", "mode": ".clamp .wrap",
		"cmp": ".eq .ne .lt .le .gt .ge", "scale": ".shr7 .shr15"},
		Types: "d:dtype a:atype:select=scalar b:btype:select=scalar c:dtype", Since: Since{PTX: 20, SM: 20},
		Unit: ALU, Class: ClassInteger, Op: OpLane, Lane: lane}
}

// videoForms returns the plain form of an operation, the one with a second operation and the one that merges; without
// a selector on d the last has no use for c.
func videoForms(head string, lane func(*Form) LaneFunc) []Row {
	rows := []Row{videoRow(head+" d, a, b", lane), videoRow(head+".op2 d, a, b, c", lane), videoRow(head+" d, a, b, c", lane)}
	merge := &rows[2]
	merge.Types += " d:dtype:select=scalar"
	for i := range rows {
		if !strings.Contains(head, ".btype") {
			rows[i].Types = strings.ReplaceAll(rows[i].Types, "b:btype", "b:u32")
		}
		if !strings.Contains(head, ".dtype") {
			rows[i].Types = strings.ReplaceAll(rows[i].Types, ":dtype", ":b32")
		}
	}
	return rows
}

// part is a run of bits of a 32-bit operand that a selector names: ".b2", ".h1", or all of it.
type part struct{ shift, bits int }

func selectedPart(selector string) part {
	if selector == "" {
		return part{0, 32}
	}
	i := int(selector[2] - '0')
	if selector[1] == 'b' {
		return part{8 * i, 8}
	}
	return part{16 * i, 16}
}

// extract returns the function that cuts out the part and extends it by the sign of the type.
func (p part) extract(signed bool) func(uint64) int64 {
	up := 64 - p.bits
	if signed {
		return func(v uint64) int64 { return int64(v>>p.shift<<up) >> up }
	}
	return func(v uint64) int64 { return int64(v >> p.shift << up >> up) }
}

// merge puts the low bits of v into the part of c.
func (p part) merge(v, c uint64) uint64 {
	field := ones(uint64(p.bits)) << p.shift
	return c&^field | v<<p.shift&field
}

// clamp limits v to what n bits hold.
func clamp(v int64, n int, signed bool) int64 {
	if signed {
		return min(max(v, -1<<(n-1)), 1<<(n-1)-1)
	}
	return min(max(v, 0), 1<<n-1)
}

func (a *Arg) signed() bool { return a.Type == S32 }

// videoSources returns the functions that extract a and b.
func videoSources(f *Form) (a, b func(uint64) int64) {
	x, y := &f.Args[1], &f.Args[2]
	return selectedPart(x.Select).extract(x.signed()), selectedPart(y.Select).extract(y.signed())
}

func videoLane(op videoFunc) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		a, b := videoSources(f)
		finish := videoFinish(f)
		return func(l *Lane) { l.Dst[0] = finish(op(a(l.Src[0]), b(l.Src[1])), l.Src[2]) }
	}
}

func shiftLane(op videoFunc) func(*Form) LaneFunc {
	return func(f *Form) LaneFunc {
		wrap := f.Get("mode") == ".wrap"
		return videoLane(func(a, n int64) int64 {
			if wrap {
				return op(a, n&31)
			}
			return op(a, min(n, 32))
		})(f)
	}
}

// videoFinish returns the end of a scalar video instruction: saturation to the selected part of d, then the
// second operation with c or the merge into c. vset has no dtype; its second operation has the sign of a.
func videoFinish(f *Form) func(v int64, c uint64) uint64 {
	dest, result := selectedPart(f.Args[0].Select), &f.Args[0]
	if f.Get("dtype") == "" {
		result = &f.Args[1]
	}
	signed := result.signed()
	word := part{0, 32}.extract(signed)
	saturate := func(v int64) int64 { return v }
	if f.Has(".sat") {
		saturate = videoSaturation(f, dest.bits)
	}
	if mixedWidths(f) {
		saturate = inOneWord(f, saturate)
	}
	second := func(v, _ int64) int64 { return v }
	switch op := f.Get("op2"); {
	case op == ".add":
		second = func(v, c int64) int64 { return v + c }
	case op == ".min" && signed:
		second = func(v, c int64) int64 { return min(v, c) }
	case op == ".max" && signed:
		second = func(v, c int64) int64 { return max(v, c) }
	case op == ".min": // a negative v is larger than every unsigned c
		second = func(v, c int64) int64 { return int64(min(uint64(v), uint64(c))) }
	case op == ".max":
		second = func(v, c int64) int64 { return int64(max(uint64(v), uint64(c))) }
	case f.Args[0].Select == ".h1": // the manual moves the low half of v there; an H200 keeps the high one
		second = func(v, c int64) int64 { return v&^0xffff | c&0xffff }
	case dest.bits < 32:
		second = func(v, c int64) int64 { return int64(dest.merge(uint64(v), uint64(c))) }
	}
	return func(v int64, c uint64) uint64 { return uint64(word(uint64(second(saturate(v), word(c))))) }
}

// videoSaturation returns the clamp to n bits of the sign of d, as an H200 does it where its results differ from
// the manual: bytes and halves see a negative result as a large one, an unsigned word
// drops the carry when only one source is signed, and vshl looks at 34 bits and passes its word on as a signed one.
func videoSaturation(f *Form, n int) func(int64) int64 {
	d, a, b := f.Args[0].signed(), f.Args[1].signed(), f.Args[2].signed()
	switch {
	case f.Opcode == "vshl":
		return func(v int64) int64 { return int64(int32(clamp(v<<30>>30, 32, d))) }
	case f.Opcode == "vshr":
		return func(v int64) int64 { return clamp(v, 32, d) }
	case n < 32:
		return func(v int64) int64 { return int64(min(uint64(v), uint64(clamp(1<<62, n, d)))) }
	case n == 32 && !d && a != b:
		return func(v int64) int64 { return int64(uint32(max(v, 0))) }
	}
	return func(v int64) int64 { return clamp(v, n, d) }
}

// mixedWidths tells whether a sum or difference is that of a word and a part of one.
func mixedWidths(f *Form) bool {
	if f.Opcode != "vadd" && f.Opcode != "vsub" {
		return false
	}
	if (f.Args[1].Select == "") != (f.Args[2].Select == "") {
		return true
	}
	return f.Args[1].Select == "" && (!f.Has(".sat") || len(f.Args) > 3 && f.Args[0].Select == "")
}

// inOneWord makes the end of an operation on a word and a part of one of that on two words, as an H200 does it: the
// result has 32 bits, and what comes after takes it as signed.
func inOneWord(f *Form, saturate func(int64) int64) func(int64) int64 {
	switch {
	case !f.Has(".sat"):
		return func(v int64) int64 { return int64(int32(v)) }
	case f.Opcode == "vadd" && !f.Args[0].signed() && !f.Args[1].signed() && !f.Args[2].signed():
		return func(v int64) int64 { return int64(int32(saturate(int64(uint32(v))))) }
	}
	return func(v int64) int64 { return int64(int32(saturate(v))) }
}

// vmadLane multiplies and adds in 64 bits, then scales and saturates. Whole words, c among them, are extended by their sign even when
// nothing is signed, as an H200 does it; only the scaling then shifts in zeros.
func vmadLane(f *Form) LaneFunc {
	x, y := &f.Args[1], &f.Args[2]
	a, b := selectedPart(x.Select).extract(x.signed() || x.Select == ""), selectedPart(y.Select).extract(y.signed() || y.Select == "")
	negateProduct, negateC := x.Minus != y.Minus, f.Args[3].Minus
	signed := x.signed() || y.signed() || negateProduct || negateC
	shift := 0
	switch f.Get("scale") {
	case ".shr7":
		shift = 7
	case ".shr15":
		shift = 15
	}
	plusOne, saturate := int64(truth(f.Has(".po"))), f.Has(".sat")
	return func(l *Lane) {
		product, addend := a(l.Src[0])*b(l.Src[1]), int64(int32(l.Src[2]))
		if negateProduct {
			product = -product
		}
		if negateC {
			addend = -addend
		}
		v := product + addend + plusOne
		if signed {
			v >>= shift
		} else {
			v = int64(uint64(v) >> shift)
		}
		if saturate {
			v = clamp(v, 32, signed)
		}
		l.Dst[0] = uint64(v)
	}
}
