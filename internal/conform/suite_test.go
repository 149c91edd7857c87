package conform

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"silica/internal/exec/ref"
)

func bits32(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		w := math.Float32bits(v)
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}

func TestRules(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	tiny := math.Float32frombits(1)
	negativeZero := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		name      string
		rule      rule
		got, want float32
		passes    bool
	}{
		{"exact equal", rule{Kind: "exact"}, 1, 1, true},
		{"exact zeros of both signs", rule{Kind: "exact"}, negativeZero, 0, false},
		{"ulp within", rule{Kind: "ulp", N: 2}, 1 + 2.0/(1<<23), 1, true},
		{"ulp beyond", rule{Kind: "ulp", N: 1}, 1 + 2.0/(1<<23), 1, false},
		{"ulp across zero", rule{Kind: "ulp", N: 2}, -tiny, tiny, true},
		{"ulp zeros are one point", rule{Kind: "ulp", N: 0}, negativeZero, 0, true},
		{"ulp infinity follows the largest", rule{Kind: "ulp", N: 1}, math.MaxFloat32, inf, true},
		{"ulp or absolute", rule{Kind: "ulp", N: 1, Atol: 0.5}, 1.25, 1, true},
		{"abs within", rule{Kind: "abs", Tol: 0.25}, 1.25, 1, true},
		{"abs beyond", rule{Kind: "abs", Tol: 0.125}, 1.25, 1, false},
		{"abs infinity", rule{Kind: "abs", Tol: 1}, math.MaxFloat32, inf, false},
		{"rel within", rule{Kind: "rel", Rtol: 0.1}, 110, 100, true},
		{"rel beyond", rule{Kind: "rel", Rtol: 0.01}, 110, 100, false},
		{"rel near zero", rule{Kind: "rel", Rtol: 0.01, Atol: 0.5}, 0.25, 0, true},
		{"NaN wanted", rule{Kind: "ulp", N: 1 << 30}, 1, nan, false},
		{"NaN found", rule{Kind: "abs", Tol: 1e30}, nan, 1, false},
		{"same NaN", rule{Kind: "ulp", N: 0}, nan, nan, true},
		{"unknown rule", rule{Kind: "guess"}, 1, 2, false},
	} {
		err := c.rule.compare(bits32(0, c.got), bits32(0, c.want), elementOf("f32"))
		if (err == nil) != c.passes {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "element 1 (f32) is 0x") {
			t.Errorf("%s: %v does not name the element", c.name, err)
		}
	}
}

func TestElements(t *testing.T) {
	for name, size := range map[string]int{
		"u8": 1, "s8": 1, "b8": 1, "u16": 2, "b16": 2, "f16": 2, "bf16": 2, "e4m3x2": 1, "u32": 4, "b32": 4, "f32": 4,
		"f16x2": 2, "bf16x2": 2, "u16x2": 2, "u64": 8, "s64": 8, "b64": 8, "f64": 8,
	} {
		if e := elementOf(name); e.size != size {
			t.Errorf("%s: %d bytes, want %d", name, e.size, size)
		}
	}
	if v := elementOf("bf16x2").value(0x3F80); v != 1 {
		t.Errorf("bf16 0x3f80 is %v", v)
	}
	if v := elementOf("f16").value(0x3C00); v != 1 {
		t.Errorf("f16 0x3c00 is %v", v)
	}
}

// writeSuite writes a suite of one family with the given cases.
func writeSuite(t *testing.T, source, cases, rejected string) *Suite {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.json": `{"families": {"f": 1}}`, "rejected.json": rejected,
		"f.ptx": source, "f.json": cases, "f.bin": "\x01\x00\x00\x00\x02\x00\x00\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const addOne = `.version 8.7
.target sm_90
.address_size 64
// @begin other
this is never read
// @end other
// @begin k
.visible .entry k(.param .u64 p, .param .u32 n)
{
	.reg .u64 %p;
	.reg .u32 %x, %n;
	ld.param.u64 %p, [p];
	ld.param.u32 %n, [n];
	ld.global.u32 %x, [%p];
	add.u32 %x, %x, %n;
	st.global.u32 [%p+4], %x;
	ret;
}
// @end k
`

// TestFailuresSayWhatIsWrong runs cases of which most do not pass.
func TestFailuresSayWhatIsWrong(t *testing.T) {
	const buffer = `{"kind":"buffer","dir":"inout","data":{"file":"f.bin","offset":0,"bytes":8,"type":"u32"},
		"expect":{"file":"f.bin","offset":0,"bytes":8,"type":"u32"},"rule":{"kind":"exact"}}`
	for _, c := range []struct {
		name, entry, params, extra, failure string // failure: part of it, "" when the case passes
	}{
		{"passes", "k", buffer + `,{"kind":"scalar","hex":"01000000","type":"u32"}`, ``, ""},
		{"wrong result", "k", buffer + `,{"kind":"scalar","hex":"02000000","type":"u32"}`, ``, "parameter 0: element 1 (u32) is 0x00000003, want 0x00000002"},
		{"input changed", "k", strings.Replace(buffer, "inout", "in", 1) + `,{"kind":"scalar","hex":"05000000"}`, ``, "element 1"},
		{"parameter missing", "k", buffer, ``, "1 parameters, the kernel has 2"},
		{"short scalar", "k", buffer + `,{"kind":"scalar","hex":"0100"}`, ``, "2 bytes, the kernel takes 4"},
		{"unknown kind", "k", buffer + `,{"kind":"texture"}`, ``, "texture parameters are not supported"},
		{"data outside", "k", `{"kind":"buffer","dir":"in","data":{"file":"f.bin","offset":4,"bytes":8,"type":"u32"}},{"kind":"scalar","hex":"01000000"}`, ``, "not in the suite"},
		{"no such entry", "z", buffer, ``, "entry z is not marked"},
		{"does not load", "other", buffer, ``, "f.ptx:5:1: "},
		{"does not load but need not", "other", buffer, `,"tags":["lenient"]`, ""},
		{"error did not come", "k", buffer + `,{"kind":"scalar","hex":"01000000"}`, `,"error":{"code":"CUDA_ERROR_LAUNCH_FAILED","at":"synchronize"}`, "CUDA_SUCCESS at synchronize"},
	} {
		cases := `[{"id":"f/x","entry":"` + c.entry + `","launch":{"grid":[1,1,1],"block":[1,1,1]},"params":[` + c.params + `]` + c.extra + `}]`
		s := writeSuite(t, addOne, cases, `[]`)
		var got []Result
		if err := s.Run(context.Background(), ref.New(), nil, func(r Result) { got = append(got, r) }); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(got) != 1 || (got[0].Failure == "") != (c.failure == "") || !strings.Contains(got[0].Failure, c.failure) {
			t.Errorf("%s: %+v, want %q", c.name, got, c.failure)
		}
	}
}

func TestRejectedForms(t *testing.T) {
	const good = `.version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n`
	bad := strings.Replace(good, "ret;", "retour;", 1)
	s := writeSuite(t, addOne, `[]`, `[
		{"id":"f/line","family":"f","line":6,"message":"m","ptx":"`+bad+`"},
		{"id":"f/any line","family":"f","line":null,"message":"m","ptx":"`+bad+`"},
		{"id":"f/other line","family":"f","line":5,"message":"m","ptx":"`+bad+`"},
		{"id":"f/accepted","family":"f","line":6,"message":"m","ptx":"`+good+`"},
		{"id":"g/other family","family":"g","line":6,"message":"m","ptx":"`+good+`"}]`)
	got := map[string]string{}
	if err := s.Run(context.Background(), ref.New(), []string{"f"}, func(r Result) { got[r.ID] = r.Failure }); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"f/line": "", "f/any line": "", "f/other line": "refused at line 6", "f/accepted": "accepted"} {
		failure, ok := got[id]
		if !ok || (failure == "") != (want == "") || !strings.Contains(failure, want) {
			t.Errorf("%s: %q, want %q", id, failure, want)
		}
	}
	if len(got) != 4 {
		t.Errorf("%d forms were checked", len(got))
	}
}

func TestSuiteErrors(t *testing.T) {
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty folder was loaded")
	}
	s := writeSuite(t, addOne, `[]`, `[]`)
	if err := s.Run(context.Background(), ref.New(), []string{"nosuch"}, func(Result) {}); err == nil || !strings.Contains(err.Error(), `family "nosuch"`) {
		t.Error(err)
	}
	s = writeSuite(t, addOne, `{`, `[]`)
	if err := s.Run(context.Background(), ref.New(), nil, func(Result) {}); err == nil || !strings.Contains(err.Error(), "f.json") {
		t.Error(err)
	}
}
