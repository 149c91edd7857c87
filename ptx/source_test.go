package ptx

import (
	"maps"
	"strings"
	"testing"
)

func TestNameSource(t *testing.T) {
	const text = `.version 9.0
.target sm_90
.address_size 64
.entry k()
{
	.loc 1 5 9
	// begin inline asm
	bogus.u32 3;
	// end inline asm
	.loc 2 7 3
	membar.nonsense;
	.loc 1 0 0
	membar.nonsense;
	ret;
}
.entry without()
{
	membar.nonsense;
	ret;
}
	.file 1 "a.cu"
	.file 2 "b.h"
`
	_, err := Load("a.ptx", []byte(text))
	list, ok := NameSource([]byte(text), err).(Errors)
	if !ok {
		t.Fatalf("%v", err)
	}
	got := map[int]string{}
	for _, e := range list {
		_, got[e.Pos.Line], _ = strings.Cut(e.Msg, ", from ")
	}
	want := map[int]string{8: "a.cu:5:9", 11: "b.h:7:3", 13: "", 18: ""}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
