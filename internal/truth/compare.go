package truth

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"silica/internal/fp"
)

// sampleIndex is the position of sample k in a buffer of count elements.
func sampleIndex(k, count int) int {
	hi := z(0x5A17, uint64(k)) >> 32
	return int(hi * uint64(count) >> 32)
}

// Check compares a buffer after the launch with the recorded one; relaxed replaces an exact rule by a
// relative tolerance of 1e-5, for code compiled by another compiler. It returns "" when the output
// passes, else one line on the first difference.
func (c *Case) Check(e Expected, t string, got []byte, relaxed bool) (string, error) {
	if len(got) != e.Bytes {
		return fmt.Sprintf("%s has %d bytes, want %d", e.Param, len(got), e.Bytes), nil
	}
	rule := e.Compare
	if relaxed && rule.Rule == "exact" && t[0] != 'u' && t[0] != 'i' {
		rule = Compare{Rule: "tolerance", RTol: 1e-5, ATol: 1e-6}
	}
	sum := sha256.Sum256(got)
	if hex.EncodeToString(sum[:]) == e.SHA256 {
		return "", nil
	}
	if e.Stored == "hash" {
		return fmt.Sprintf("%s differs from the recorded hash", e.Param), nil
	}
	want, err := os.ReadFile(filepath.Join(c.suite.Dir, filepath.FromSlash(e.Data)))
	if err != nil {
		return "", err
	}
	size := ElementBytes(t)
	index := func(k int) int { return k }
	if e.Stored == "sample" {
		index = func(k int) int { return sampleIndex(k, e.Bytes/size) }
	}
	return compare(rule, e, t, got, want, index), nil
}

func compare(rule Compare, e Expected, t string, got, want []byte, index func(k int) int) string {
	size := ElementBytes(t)
	wrong, first, n := 0, "", len(want)/size
	for k := range n {
		i := index(k)
		g, w := got[i*size:(i+1)*size], want[k*size:(k+1)*size]
		if bytes.Equal(g, w) {
			continue
		}
		gv, wv := Number(t, g), Number(t, w)
		if rule.Rule == "tolerance" && math.Abs(gv-wv) <= rule.RTol*math.Abs(wv)+rule.ATol {
			continue
		}
		wrong++
		if first == "" {
			first = fmt.Sprintf("%s[%d] is %v, want %v", e.Param, i, gv, wv)
		}
	}
	switch {
	case rule.Rule == "mostly" && float64(wrong) <= rule.Fraction*float64(n):
		return ""
	case wrong > 0:
		return fmt.Sprintf("%s (%d of %d elements differ)", first, wrong, n)
	case rule.Rule == "exact":
		return fmt.Sprintf("%s differs from the recorded hash outside the recorded sample", e.Param)
	}
	return ""
}

// widen converts a 16-bit float.
func widen(f fp.Format, bits uint16) float64 {
	return math.Float64frombits(fp.Convert(f, fp.F64, uint64(bits), fp.RN))
}

// Number reads the little-endian element b of type t as a number.
func Number(t string, b []byte) float64 {
	switch t {
	case "u8":
		return float64(b[0])
	case "i8":
		return float64(int8(b[0]))
	case "f16":
		return widen(fp.F16, binary.LittleEndian.Uint16(b))
	case "bf16":
		return widen(fp.BF16, binary.LittleEndian.Uint16(b))
	case "u32":
		return float64(binary.LittleEndian.Uint32(b))
	case "i32":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case "f32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "u64":
		return float64(binary.LittleEndian.Uint64(b))
	case "i64":
		return float64(int64(binary.LittleEndian.Uint64(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}
