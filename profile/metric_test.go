package profile_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"silica/internal/truth"
	"silica/profile"
)

// TestMetricTable checks that every metric has all its parts, and that names and aliases are not taken twice.
func TestMetricTable(t *testing.T) {
	sections := map[profile.SectionID]bool{}
	for _, s := range profile.Sections() {
		if s.Name == "" || sections[s.ID] {
			t.Errorf("section %q: name %q, or there twice", s.ID, s.Name)
		}
		sections[s.ID] = true
	}
	tiers := []profile.Tier{profile.TierExact, profile.TierDevice, profile.TierModelled, profile.TierNone}
	names := map[string]bool{}
	empty := (&profile.Launch{Device: profile.Device{SMs: 1, SubPartitions: 4, WarpSize: 32}}).Totals()
	for _, m := range profile.Metrics() {
		if m.Label == "" || !sections[m.Section] || !slices.Contains(tiers, m.Tier) {
			t.Errorf("%s: label %q, section %q, tier %q", m.Name, m.Label, m.Section, m.Tier)
		}
		for _, name := range append([]string{m.Name}, m.NVProf...) {
			if names[name] {
				t.Errorf("%s is there twice", name)
			}
			names[name] = true
			if profile.MetricNamed(name) != m {
				t.Errorf("%s is not found by its name", name)
			}
		}
		v := m.Of(empty)
		if hasValue := m.Tier == profile.TierExact || m.Tier == profile.TierDevice; v.Available && !hasValue || !v.Available && v.Note == "" && hasValue {
			t.Errorf("%s: tier %s, available %v, note %q", m.Name, m.Tier, v.Available, v.Note)
		}
		if m.PTX && m.Tier != profile.TierExact {
			t.Errorf("%s counts PTX instructions and is %s", m.Name, m.Tier)
		}
	}
	if len(names) < 200 {
		t.Errorf("only %d names", len(names))
	}
}

// TestMetricNamesAsRecorded compares names and units with what Nsight Compute listed on an H200.
func TestMetricNamesAsRecorded(t *testing.T) {
	suite, err := truth.Load("../../shared/truth/h200")
	if err != nil {
		t.Fatal(err)
	}
	units, err := suite.MetricNames()
	if err != nil {
		t.Fatal(err)
	}
	// Names that Nsight Compute knows but that were not recorded: other suffixes of recorded counters, and counters and
	// attributes that nobody asked for there.
	unrecorded := []string{
		"device__attribute_", "launch__func_cache_config", "smsp__average_inst_executed_per_warp.ratio", "smsp__thread_inst_executed_per_inst_executed.pct",
		"smsp__thread_inst_executed_pred_on_per_inst_executed.pct", "smsp__sass_thread_inst_executed_op", "sass__thread_inst_executed_true_per_opcode",
		"smsp__inst_executed_op_global_ld", "smsp__inst_executed_op_global_st", "smsp__inst_executed_op_local_", "l1tex__average_t_sectors_per_request",
		"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.max_rate",
		"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.max_rate",
		"smsp__sass_average_data_bytes_per_sector_mem_local_op_ld.pct", "smsp__sass_average_data_bytes_per_sector_mem_local_op_st.pct",
		"l1tex__t_bytes_pipe_lsu_mem_global_op_", "l1tex__t_requests_pipe_lsu_mem_shared_op_", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
		"smsp__sass_branch_targets_threads_uniform.sum", "smsp__warps_active.avg.peak_sustained", "sm__pipe_fp64_cycles_active", "sm__pipe_tensor_cycles_active",
		"sm__inst_executed_pipe_", "lts__t_sectors_op_", "lts__t_sectors.m", "smsp__warp_issue_stalled_",
	}
	missing := map[string]bool{}
	for _, m := range profile.Metrics() {
		unit, recorded := units[m.Name]
		switch {
		case recorded && unit != m.Unit:
			t.Errorf("%s: unit %q, recorded %q", m.Name, m.Unit, unit)
		case !recorded && !slices.ContainsFunc(unrecorded, func(prefix string) bool { return strings.HasPrefix(m.Name, prefix) }):
			missing[m.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%s is no name that was recorded", name)
	}
}
