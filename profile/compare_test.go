package profile

import (
	"strings"
	"testing"
)

// TestCompare checks equality within the recorded digits, and that a difference is explained by what ptxas did.
func TestCompare(t *testing.T) {
	global := func(requests, sectors uint64) Traffic {
		return Traffic{Space: Global, Requests: requests, Sectors: sectors, Ideal: sectors, Contiguous: requests}
	}
	loads := with("ld.global.f32", "load", "memory", 4, global(100, 400))
	for _, c := range []struct {
		name     string
		change   func(*Launch)
		metric   string
		hardware float64
		recorded map[string]float64 // further metrics
		opcodes  map[string]float64
		equal    bool
		note     string // part of it
	}{
		{"equal", loads, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100, nil, nil, true, ""},
		{"six digits", func(l *Launch) { l.Waves.PerSM = 64. / 132 }, "launch__waves_per_multiprocessor", 0.484849, nil, nil, true, ""},
		{"other", func(l *Launch) { l.Waves.PerSM = 0.5 }, "launch__waves_per_multiprocessor", 0.484849, nil, nil, false, ""},
		{"merged loads", loads, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 25, nil, map[string]float64{"LDG.E.128": 25}, false,
			"ptxas merged loads: 25 LDG.128 executed, 0 loads of 128 bits in PTX"},
		{"fewer loads", loads, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 90, nil, map[string]float64{"LDG.E": 90}, false,
			"ptxas executes 90 global loads for 100 in PTX"},
		{"store timing", with("st.global.f32", "store", "memory", 4, global(100, 400)), "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 405,
			map[string]float64{"memory_l2_theoretical_sectors_global": 400}, map[string]float64{"STG.E": 100}, false, "equal by addresses"},
		{"spills", func(*Launch) {}, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 30, nil, map[string]float64{"LDL": 20, "STL": 10}, false,
			"ptxas spilled registers: 30 local accesses"},
		{"arbitration", with("ld.shared.f32", "load", "memory", 4, Traffic{Space: Shared, Requests: 100, Wavefronts: 100, IdealWavefronts: 100, PipeWavefronts: 100}),
			"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 103, map[string]float64{"memory_l1_wavefronts_shared": 100}, map[string]float64{"LDS": 100}, false,
			"conflicts with other traffic"},
		{"predicated branches", func(l *Launch) { with("bra", "branch", "control", 0)(l); l.Instructions[1].Divergent = 50 },
			"smsp__sass_branch_targets_threads_divergent.sum", 0, nil, map[string]float64{"BRA": 10}, false, "10 executed, 100 in PTX"},
		{"instructions", func(*Launch) {}, "smsp__inst_executed.sum", 900, nil, nil, false, "counts PTX instructions"},
		{"exits are no branches", func(l *Launch) {
			with("bra", "branch", "control", 0)(l)
			l.Instructions[1].Divergent, l.Instructions[1].ToExit = 50, true
		}, "smsp__sass_branch_targets_threads_divergent.sum", 0, nil, nil, true, ""},
	} {
		l := quiet()
		c.change(l)
		r := Recorded{Metrics: map[string]float64{c.metric: c.hardware}, Opcodes: c.opcodes}
		for name, v := range c.recorded {
			r.Metrics[name] = v
		}
		found := false
		for _, got := range Compare(r, l) {
			if got.Name != c.metric {
				continue
			}
			found = true
			if got.Equal != c.equal || !strings.Contains(got.Note, c.note) || c.note == "" && got.Note != "" {
				t.Errorf("%s: equal %v, note %q; want %v, %q", c.name, got.Equal, got.Note, c.equal, c.note)
			}
		}
		if !found {
			t.Errorf("%s: %s is not compared", c.name, c.metric)
		}
	}
}

// TestUncounted: memory metrics have no value when accesses are missing, others do.
func TestUncounted(t *testing.T) {
	l := quiet()
	with("cp.async.bulk.tensor", "async", "memory", 0)(l)
	l.Instructions[1].Uncounted = true
	totals := l.Totals()
	if v := MetricNamed("memory_l2_theoretical_sectors_global").Of(totals); v.Available || v.Tier != TierNone || !strings.Contains(v.Note, "cp.async.bulk.tensor") {
		t.Errorf("sectors: %+v", v)
	}
	if v := MetricNamed("smsp__inst_executed.sum").Of(totals); !v.Available {
		t.Errorf("instructions: %+v", v)
	}
}
