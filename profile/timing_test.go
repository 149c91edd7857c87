package profile_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"silica/driver"
	"silica/gpu"
	"silica/profile"
)

// A kernel whose threads each chase a pointer through memory: its warps wait for data.
const chase = `.version 8.0
.target sm_80
.address_size 64
.visible .entry chase(.param .u64 p)
{
	.reg .b64 %a, %b, %o;
	.reg .b32 %i, %t;
	.reg .pred %q;
	ld.param.u64 %a, [p];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %b, %t, 1024;
	add.u64 %b, %a, %b;
	mov.u32 %i, 0;
LOOP:
	ld.global.cg.u64 %o, [%b];
	add.u64 %b, %b, %o;
	add.u32 %i, %i, 1;
	setp.lt.u32 %q, %i, 64;
	@%q bra LOOP;
	st.global.u64 [%b], %o;
	ret;
}`

func TestTiming(t *testing.T) {
	l := collect(t, "h200", "simd", chase, profile.Options{Timing: true}, driver.Launch{Grid: driver.Dim3{X: 264, Y: 1, Z: 1}, Block: driver.Dim3{X: 64, Y: 1, Z: 1}}, -1<<20)
	if l.Timing == nil {
		t.Fatal("no timing")
	}
	state, share := l.Timing.TopStall()
	if state != "long_scoreboard" || share < 0.5 {
		t.Errorf("warps wait for %s most, %.0f %% of their time", state, 100*share)
	}
	totals := l.Totals()
	sum := 0.0
	for _, v := range totals.Values() {
		if v.Tier == profile.TierModelled && v.Available && (math.IsNaN(v.Number) || math.IsInf(v.Number, 0)) {
			t.Errorf("%s is %v", v.Name, v.Number)
		}
		if strings.HasPrefix(v.Name, "smsp__average_warps_issue_stalled_") {
			sum += v.Number
		}
	}
	latency := profile.MetricNamed("smsp__average_warp_latency_per_inst_issued.ratio").Of(totals)
	if !latency.Available || math.Abs(sum-latency.Number) > 1e-6*sum {
		t.Errorf("stalls add up to %v cycles an instruction, warps take %v", sum, latency.Number)
	}
	var rules []string
	for _, a := range totals.Advice() {
		rules = append(rules, a.Rule)
		if a.Rule == "CPIStall" && a.Section == profile.WarpStateStats && (len(a.Sites) == 0 || !strings.Contains(a.Sites[0].Detail, "waits for ld.global.cg.u64")) {
			t.Errorf("the places of the stall are %v", a.Sites)
		}
	}
	for _, want := range []string{"SOLBottleneck", "CPIStall", "IssueSlotUtilization", "HighPipeUtilization"} {
		if !strings.Contains(strings.Join(rules, " "), want) {
			t.Errorf("no %s among the rules %v", want, rules)
		}
	}
}

// TestLaunchesAreTimedByTheirArguments times launches that differ in nothing but their arguments apart, those that do not differ once, and when
// there are many of them some by what they do.
func TestLaunchesAreTimedByTheirArguments(t *testing.T) {
	const loops = `.version 8.0
.target sm_80
.address_size 64
.visible .entry loops(.param .u64 p, .param .u64 n)
{
	.reg .b64 %a, %n;
	.reg .b32 %i, %k, %v;
	.reg .pred %q;
	ld.param.u64 %a, [p];
	ld.param.u64 %n, [n];
	cvt.u32.u64 %k, %n;
	mov.u32 %i, 0;
LOOP:
	ld.volatile.global.u32 %v, [%a];
	add.u32 %i, %i, 1;
	setp.lt.u32 %q, %i, %k;
	@%q bra LOOP;
	ret;
}`
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	c := profile.NewCollector(profile.Options{Timing: true})
	d, err := driver.Open(g, driver.Options{Tracer: c})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := d.LoadPTX("loops.ptx", []byte(loops))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("loops")
	if err != nil {
		t.Fatal(err)
	}
	var buffers [2]uint64
	for i := range buffers {
		if buffers[i], err = d.Alloc(1024); err != nil {
			t.Fatal(err)
		}
	}
	launch := func(buffer int, n uint64) {
		params := binary.LittleEndian.AppendUint64(nil, buffers[buffer])
		params = binary.LittleEndian.AppendUint64(params, n)
		err := f.Launch(t.Context(), driver.Launch{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 1, Z: 1}, Params: params})
		if err != nil {
			t.Fatal(err)
		}
	}
	launch(0, 4)
	launch(0, 64)
	launch(1, 4) // as the first, on another buffer
	for n := range uint64(16) {
		launch(0, 100+n)
	}
	launches := c.Launches()
	if few, many := launches[0].Timing, launches[1].Timing; few.Of >= 0 || many.Of >= 0 || many.Cycles < 1.2*few.Cycles {
		t.Errorf("64 loops take %v cycles (of launch %d), 4 take %v (of launch %d)", many.Cycles, many.Of, few.Cycles, few.Of)
	}
	if same := launches[2].Timing; same.Of != 0 || same.Cycles != launches[0].Timing.Cycles {
		t.Errorf("a launch like the first is timed as launch %d", same.Of)
	}
	last := launches[len(launches)-1].Timing
	if last.Of < 0 || launches[last.Of].Timing.Of >= 0 || last.Cycles < 1.1*launches[1].Timing.Cycles {
		t.Errorf("the last of many launches is timed as launch %d, with %v cycles", last.Of, last.Cycles)
	}
}

// Without the model, what depends on time has no value, and no GPU's machine code that is not known gives one.
func TestNoTiming(t *testing.T) {
	pascal := filepath.Join(t.TempDir(), "pascal.json")
	description := `{"inherits": "v100", "name": "Pascal", "sources": {"guide": "as if"}, "chip": {"compute_capability": ["6.1", "guide"]}}`
	if err := os.WriteFile(pascal, []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		gpu    string
		timing bool
	}{{"h200", false}, {pascal, true}} {
		text := strings.Replace(chase, "sm_80", "sm_61", 1)
		l := collect(t, c.gpu, "simd", text, profile.Options{Timing: c.timing}, driver.Launch{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 1, Z: 1}}, -1<<20)
		v := profile.MetricNamed("gpc__cycles_elapsed.max").Of(l.Totals())
		if v.Available || v.Note == "" {
			t.Errorf("%+v: %v cycles, note %q", c, v.Number, v.Note)
		}
	}
}
