package profile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/driver"
	"silica/gpu"
	"silica/profile"
)

// collect runs a kernel of a PTX text once and returns its profile. Parameters are 64-bit values; a negative one
// stands for a buffer of that many bytes.
func collect(t *testing.T, device, engine, text string, o profile.Options, l driver.Launch, params ...int64) *profile.Launch {
	t.Helper()
	g, err := gpu.Load(device)
	if err != nil {
		t.Fatal(err)
	}
	c := profile.NewCollector(o)
	d, err := driver.Open(g, driver.Options{Engine: engine, Tracer: c})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := d.LoadPTX("kernel.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function(m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range params {
		if p < 0 {
			addr, err := d.Alloc(uint64(-p))
			if err != nil {
				t.Fatal(err)
			}
			p = int64(addr)
		}
		l.Params = binary.LittleEndian.AppendUint64(l.Params, uint64(p))
	}
	l.Params = l.Params[:f.Kernel.ParamBytes]
	launchErr := f.Launch(t.Context(), l)
	launches := c.Launches()
	if len(launches) != 1 {
		t.Fatalf("%d launches: %v", len(launches), launchErr)
	}
	return launches[0]
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCopyBlockedOnT4 checks the figures of a published report: nsightful's tests/copy_blocked.csv, of ncu --set full on
// a Tesla T4.
func TestCopyBlockedOnT4(t *testing.T) {
	const bytes = 1024 * 256 * 64 * 8
	l := collect(t, "t4", "simd", read(t, "testdata/copy_blocked.ptx"), profile.Options{Registers: 32},
		driver.Launch{Grid: driver.Dim3{X: 1024, Y: 1, Z: 1}, Block: driver.Dim3{X: 256, Y: 1, Z: 1}}, -bytes, -bytes)
	totals := l.Totals()
	for name, want := range map[string]float64{
		"memory_l2_theoretical_sectors_global":                            33554432,
		"memory_l2_theoretical_sectors_global_ideal":                      8388608,
		"derived__memory_l2_theoretical_sectors_global_excessive":         25165824,
		"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio": 8,
		"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio": 8,
		"gld_efficiency": 25,
		"smsp__thread_inst_executed_per_inst_executed.ratio":    32,
		"smsp__sass_average_branch_targets_threads_uniform.pct": 100,
		"smsp__sass_branch_targets_threads_divergent.avg":       0,
		"launch__occupancy_limit_blocks":                        16,
		"launch__occupancy_limit_registers":                     8,
		"launch__occupancy_limit_shared_mem":                    16,
		"launch__occupancy_limit_warps":                         4,
		"sm__maximum_warps_avg_per_active_cycle":                32,
		"sm__maximum_warps_per_active_cycle_pct":                100,
		"launch__waves_per_multiprocessor":                      6.4,
		"launch__shared_mem_config_size":                        32768,
		"launch__thread_count":                                  262144,
		"launch__tpc_count":                                     20,
	} {
		if v := profile.MetricNamed(name).Of(totals); !v.Available || math.Abs(v.Number-want) > 1e-9 {
			t.Errorf("%s: %v (available %v), want %v", name, v.Number, v.Available, want)
		}
	}
	// The report estimates 74.14 % globally: 75 % of what the L2 cache is active.
	advice := totals.Advice()
	if len(advice) == 0 || advice[0].Rule != "UncoalescedGlobalAccess" || advice[0].Speedup != 75 {
		t.Errorf("first advice: %+v", advice)
	}
	if !strings.Contains(advice[0].Change, "512 bytes") {
		t.Errorf("the stride is not named: %s", advice[0].Change)
	}
}

// TestEnginesAgree profiles a kernel on both engines.
func TestEnginesAgree(t *testing.T) {
	text := read(t, "../report/testdata/sample.ptx")
	launch := driver.Launch{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 32, Z: 1}}
	run := func(engine string) *profile.Launch {
		return collect(t, "h200", engine, text, profile.Options{}, launch, -4096, -4096, -256, 32)
	}
	if diff := cmp.Diff(run("ref"), run("simd")); diff != "" {
		t.Errorf("ref and simd differ:\n%s", diff)
	}
}

// TestRoundTrip writes a profile and reads it back.
func TestRoundTrip(t *testing.T) {
	l := collect(t, "h200", "simd", read(t, "../report/testdata/sample.ptx"), profile.Options{},
		driver.Launch{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 32, Z: 1}}, -4096, -4096, -256, 32)
	var b bytes.Buffer
	if err := profile.Write(&b, []*profile.Launch{l}); err != nil {
		t.Fatal(err)
	}
	got, err := profile.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*profile.Launch{l}, got); diff != "" {
		t.Errorf("read back otherwise:\n%s", diff)
	}
	for _, bad := range []string{"", "{}", `{"format":"silica profile 0"}`, "[1]"} {
		if _, err := profile.Read(strings.NewReader(bad)); !errors.Is(err, profile.ErrFormat) {
			t.Errorf("%q: %v, want ErrFormat", bad, err)
		}
	}
}

// TestFailedLaunch profiles a kernel that faults.
func TestFailedLaunch(t *testing.T) {
	l := collect(t, "h200", "simd", read(t, "testdata/copy_blocked.ptx"), profile.Options{},
		driver.Launch{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 1, Z: 1}}, 0, 0)
	if l.Error == "" {
		t.Fatal("no error")
	}
	if v := profile.MetricNamed("smsp__inst_executed.sum").Of(l.Totals()); v.Available || v.Tier != profile.TierNone {
		t.Errorf("a count of a launch that failed: %+v", v)
	}
	if v := profile.MetricNamed("launch__grid_size").Of(l.Totals()); !v.Available {
		t.Errorf("no grid size: %+v", v)
	}
}

// TestSelect profiles only the launches that are asked for.
func TestSelect(t *testing.T) {
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	c := profile.NewCollector(profile.Options{Select: func(kernel string, launch int) bool { return kernel == "k" && launch == 1 }})
	d, err := driver.Open(g, driver.Options{Tracer: c})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := d.LoadPTX("k.ptx", []byte(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function("k")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := f.Launch(t.Context(), driver.Launch{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Launches(); len(got) != 1 || got[0].ID != 1 {
		t.Errorf("profiled %d launches: %+v", len(got), got)
	}
}

// TestGPUsOfSeveralKinds describes each launch by the GPU that it ran on.
func TestGPUsOfSeveralKinds(t *testing.T) {
	var gpus []*gpu.GPU
	for _, name := range []string{"h200", "t4"} {
		g, err := gpu.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		gpus = append(gpus, g)
	}
	system, err := driver.NewSystem(gpus...)
	if err != nil {
		t.Fatal(err)
	}
	c := profile.NewCollector(profile.Options{})
	for i := range gpus {
		d, err := system.Open(i, driver.Options{Tracer: c})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		m, err := d.LoadPTX("k.ptx", []byte(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Function("k")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Launch(t.Context(), driver.Launch{Grid: driver.Dim3{X: 1, Y: 1, Z: 1}, Block: driver.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	got := c.Launches()
	if len(got) != 2 || got[0].Device.ID != "h200" || got[1].Device.ID != "t4" || got[1].Device.WarpsPerSM != 32 {
		t.Errorf("%+v", got)
	}
}
