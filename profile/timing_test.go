package profile_test

import (
	"math"
	"strings"
	"testing"

	"silica/driver"
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

// Without the model, what depends on time has no value, and no GPU's machine code that is not known gives one.
func TestNoTiming(t *testing.T) {
	for _, c := range []struct {
		gpu    string
		timing bool
	}{{"h200", false}, {"v100", true}} {
		text := strings.Replace(chase, "sm_80", "sm_70", 1)
		l := collect(t, c.gpu, "simd", text, profile.Options{Timing: c.timing}, driver.Launch{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 1, Z: 1}}, -1<<20)
		v := profile.MetricNamed("gpc__cycles_elapsed.max").Of(l.Totals())
		if v.Available || v.Note == "" {
			t.Errorf("%+v: %v cycles, note %q", c, v.Number, v.Note)
		}
	}
}
