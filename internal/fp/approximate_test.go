package fp

import (
	"bufio"
	"encoding/binary"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"testing"
)

// mix returns 32 well-mixed bits of i; each series is different.
func mix(i, series uint64) uint64 {
	z := i*0x9E3779B97F4A7C15 + series*0xD1B54A32D192ED03
	z ^= z >> 29
	z *= 0xBF58476D1CE4E5B9
	z ^= z >> 32
	return z & (1<<32 - 1)
}

// operandSets makes the operands that testdata/approximate.txt names, two of them where a form takes two.
var operandSets = map[string]func(f form) (a, b []uint64){
	"any": func(f form) (a, b []uint64) {
		for i := range uint64(1 << 16) {
			if f.source() == "f64" {
				a = append(a, mix(i, 6)<<32|mix(i, 7))
			} else {
				a, b = append(a, mix(i, 1)), append(b, mix(i, 2))
			}
		}
		return a, b
	},
	// Those of one operand have exponents from -28 to 9, of two from -17 to 12.
	"ordinary": func(f form) (a, b []uint64) {
		for i := range uint64(1 << 16) {
			if f.operation == "div" {
				a = append(a, mix(i, 1)&0x807FFFFF|(110+mix(i, 4)%30)<<23)
				b = append(b, mix(i, 2)&0x807FFFFF|(110+mix(i, 5)%30)<<23)
			} else {
				a = append(a, mix(i, 1)&0x80FFFFFF|(100+mix(i, 3)%37)<<23)
			}
		}
		return a, b
	},
	"all": func(f form) (a, b []uint64) {
		for x := range uint64(1 << 16) {
			a = append(a, x)
		}
		return a, nil
	},
	"high words from 1 to 4": func(f form) (a, b []uint64) {
		for x := uint64(0x3FF00000); x < 0x40100000; x += 32 {
			a = append(a, x<<32)
		}
		return a, nil
	},
}

// TestApproximateFunctions compares hashes of many results with those of the chip.
func TestApproximateFunctions(t *testing.T) {
	file, err := os.Open("testdata/approximate.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), "; ")
		want, err := strconv.ParseUint(fields[2], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		f := parseForm(fields[0])
		a, b := operandSets[fields[1]](f)
		hash := fnv.New64a()
		for i := range a {
			args := []uint64{a[i]}
			if f.operation == "div" {
				args = append(args, b[i])
			}
			results, err := f.evaluate(args)
			if err != nil {
				t.Fatal(err)
			}
			bytes := binary.LittleEndian.AppendUint64(nil, results[0])
			hash.Write(bytes[:elementBytes[f.source()]])
		}
		if got := hash.Sum64(); got != want {
			t.Errorf("%s of operands %q: the results hash to %016x, the chip's to %016x", fields[0], fields[1], got, want)
		}
		rows++
	}
	if rows != 43 {
		t.Errorf("%d rows ran, want 43", rows)
	}
}
