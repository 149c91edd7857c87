package isa

// simdVideoRows holds the video instructions on two halves or four bytes at once.
func simdVideoRows() []Row {
	var rows []Row
	for _, op := range []struct {
		name string
		fn   videoFunc
	}{
		{"vadd", func(a, b int64) int64 { return a + b }},
		{"vsub", func(a, b int64) int64 { return a - b }},
		{"vavrg", average},
		{"vabsdiff", func(a, b int64) int64 { return max(a-b, b-a) }},
		{"vmin", func(a, b int64) int64 { return min(a, b) }},
		{"vmax", func(a, b int64) int64 { return max(a, b) }},
	} {
		rows = append(rows, simdForms(op.name, ".dtype.atype.btype", "{.sat}", func(*Form) videoFunc { return op.fn })...)
	}
	return append(rows, simdForms("vset", ".atype.btype.cmp", "", func(f *Form) videoFunc {
		compare := compareInt[int64](f.Get("cmp"))
		return func(a, b int64) int64 { return int64(truth(compare(uint64(a), uint64(b)))) }
	})...)
}

// average rounds half away from zero for sums that are not negative, as the manual has it.
func average(a, b int64) int64 {
	sum := a + b
	if sum >= 0 {
		sum++
	}
	return sum >> 1
}

// simdForms returns the forms of an operation on halves and on bytes: those that merge the results into c,
// and those that add them to c.
func simdForms(name, types, sat string, bind func(*Form) videoFunc) []Row {
	var rows []Row
	for _, width := range []struct{ suffix, elements, mask string }{{"2", "half", "halfmask"}, {"4", "byte", "bytemask"}} {
		for _, tail := range []string{sat, ".add"} {
			r := videoRow(name+width.suffix+types+tail+" d, a, b, c", func(f *Form) LaneFunc { return simdLane(f, bind(f)) })
			r.Types = "d:u32:select=" + width.mask + " a:u32:reg:select=" + width.elements + " b:u32:reg:select=" + width.elements + " c:u32:reg"
			r.Since = Since{PTX: 30, SM: 30}
			rows = append(rows, r)
		}
	}
	return rows
}

// simdLane applies op to each pair of elements. Selectors pick elements out of b:a, highest first; the
// elements of d that its mask leaves out come from c.
func simdLane(f *Form, op videoFunc) LaneFunc {
	n := 2
	if f.Opcode[len(f.Opcode)-1] == '4' {
		n = 4
	}
	bits := 32 / n
	a := elementPickers(f.Args[1].Select, n, 0, f.Get("atype") == ".s32")
	b := elementPickers(f.Args[2].Select, n, n, f.Get("btype") == ".s32")
	masked := maskedElements(f.Args[0].Select, n)
	signed, saturate, accumulate := f.Get("dtype") == ".s32", f.Has(".sat"), f.Has(".add")
	return func(l *Lane) {
		both := l.Src[1]<<32 | l.Src[0]
		d := l.Src[2]
		for i := range n {
			if !masked[i] {
				continue
			}
			v := op(a[i](both), b[i](both))
			switch {
			case accumulate:
				d += uint64(v)
				continue
			case saturate:
				v = clamp(v, bits, signed)
			}
			d = part{bits * i, bits}.merge(uint64(v), d)
		}
		l.Dst[0] = d & ones(32)
	}
}

// elementPickers returns for each of n elements the function that takes it out of b:a; without a selector they
// are those from first on.
func elementPickers(selector string, n, first int, signed bool) []func(uint64) int64 {
	pickers := make([]func(uint64) int64, n)
	for i := range pickers {
		at := first + i
		if selector != "" {
			at = int(selector[len(selector)-1-i] - '0')
		}
		pickers[i] = part{32 / n * at, 32 / n}.extract(signed)
	}
	return pickers
}

// maskedElements tells which elements a mask such as ".h1" or ".b310" writes; without one, all.
func maskedElements(mask string, n int) [4]bool {
	var masked [4]bool
	for i := range n {
		masked[i] = mask == ""
	}
	for i := 2; i < len(mask); i++ {
		masked[mask[i]-'0'] = true
	}
	return masked
}
