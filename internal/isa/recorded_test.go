package isa

import (
	"encoding/json"
	"strings"
	"testing"
)

// recordedCase is a case of the conformance suite with its program read.
type recordedCase struct {
	ID, Family, Entry string
	Launch            struct{ Block [3]int }
	Params            []recordedParam

	source *source
	body   string
}

type recordedParam struct {
	Kind, Dir    string
	Hex          string
	Fill         *byte
	Data, Expect *recordedRef
	Rule         *recordedRule

	data, expect []byte
}

// recordedRule tells how to compare a result.
type recordedRule struct {
	Kind               string
	N, Tol, Rtol, Atol float64
}

type recordedRef struct {
	Offset, Bytes int
	Type          string
}

// readFamily reads the cases of a family; they must be there.
func readFamily(t *testing.T, family string) []*recordedCase {
	t.Helper()
	file := func(extension string) string {
		return readShared(t, sharedFiles(t, "conformance/"+family+extension)[0])
	}
	var cases []*recordedCase
	if err := json.Unmarshal([]byte(file(".json")), &cases); err != nil {
		t.Fatal(err)
	}
	text, blob := file(".ptx"), []byte(file(".bin"))
	header, _, _ := strings.Cut(text, "// @begin")
	cut := func(r *recordedRef) []byte {
		if r == nil {
			return nil
		}
		return blob[r.Offset : r.Offset+r.Bytes]
	}
	for _, c := range cases {
		_, after, _ := strings.Cut(text, "// @begin "+c.Entry+"\n")
		body, _, ok := strings.Cut(after, "// @end "+c.Entry+"\n")
		if !ok {
			t.Fatalf("%s is not in %s.ptx", c.Entry, family)
		}
		c.body, c.source = body, readSource(header+body)
		for i := range c.Params {
			p := &c.Params[i]
			p.data, p.expect = cut(p.Data), cut(p.Expect)
		}
	}
	if len(cases) == 0 {
		t.Fatalf("family %s has no cases", family)
	}
	return cases
}

// element returns the i-th element of width bytes.
func element(b []byte, width, i int) uint64 {
	var v uint64
	for j := width - 1; j >= 0; j-- {
		v = v<<8 | uint64(b[i*width+j])
	}
	return v
}
