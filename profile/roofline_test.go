package profile

import (
	"math"
	"testing"

	"silica/gpu"
)

// computes is a launch of 100 warps that execute an instruction in 1000 ns, and move bytes through each level.
func computes(name, class string) *Totals {
	l := quiet()
	l.Device.CoreHz, l.Device.DRAMBytesPerSecond, l.Device.L2Bandwidth, l.Device.L1BytesPerCycle = 1e9, 1e9, 1e10, 128
	l.Device.FP16Lanes, l.Device.TensorMACs, l.Device.TensorMACs64 = 64, 1024, 64
	during(func(m *Timing) { m.Writebacks, m.L2ReadMisses, m.DRAMReads, m.DRAMWrites = 50, 100, 60, 40 })(l)
	with(name, "lane", class, 0)(l)
	return l.Totals()
}

func TestRooflines(t *testing.T) {
	for _, c := range []struct {
		name, class, precision string
		work, peak             float64 // operations, and in a cycle of an SM
	}{
		{"fma.rn.f32", "fp32", "fp32", 2 * 3200, 256},
		{"add.f32", "fp32", "fp32", 3200, 256},
		{"fma.rn.f64", "fp64", "fp64", 2 * 3200, 4},
		{"fma.rn.f16x2", "fp16", "fp16", 4 * 3200, 256},
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "fp32", "tensor f16", 2 * 100 * 16 * 8 * 16, 2048},
		{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "fp32", "tensor tf32", 2 * 100 * 16 * 8 * 8, 1024},
		{"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "fp32", "tensor s8", 2 * 100 * 16 * 8 * 32, 4096},
		{"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "fp32", "tensor f8", 2 * 100 * 16 * 8 * 32, 4096},
		{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "fp64", "tensor f64", 2 * 100 * 8 * 8 * 4, 128},
		{"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "fp32", "tensor f16", 2 * 100 * 16 * 16 * 16, 2048},
		{"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16", "fp32", "tensor f16", 2 * 100 * 64 * 128 * 16 / 4, 2048},
	} {
		lines := computes(c.name, c.class).Rooflines()
		if len(lines) != 1 {
			t.Errorf("%s: %+v", c.name, lines)
			continue
		}
		r := lines[0]
		if r.Precision != c.precision || r.Work != c.work || r.Peak != c.peak*4e9 || math.Abs(r.Achieved-c.work*1e6) > 1 {
			t.Errorf("%s: %+v, want %s, %g operations, %g at most", c.name, r, c.precision, c.work, c.peak*4e9)
		}
		for i, bytes := range []float64{128 * 50, 32 * 100, 32 * 100} {
			l := r.Levels[i]
			if l.Bytes != bytes || l.Intensity != c.work/bytes || l.Ceiling != min(r.Peak, l.Intensity*l.Bandwidth) {
				t.Errorf("%s: %+v, want %g bytes", c.name, l, bytes)
			}
		}
	}
	if lines := computes("add.s32", "integer").Rooflines(); len(lines) != 0 {
		t.Errorf("integers have %+v", lines)
	}
}

// The ceilings of every GPU are known, and no ridge is at no byte.
func TestEveryGPUHasRoofs(t *testing.T) {
	for _, name := range gpu.Names() {
		g, err := gpu.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		d := deviceOf(g)
		for what, x := range map[string]float64{
			"fp32": d.FP32Lanes, "fp64": d.FP64Lanes, "fp16": d.FP16Lanes, "tensor": d.TensorMACs, "L1": d.L1BytesPerCycle, "L2": d.L2Bandwidth,
			"DRAM": float64(d.DRAMBytesPerSecond),
		} {
			if x <= 0 {
				t.Errorf("%s: no %s", name, what)
			}
		}
	}
}
