package exec

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"silica/internal/ir"
	"silica/ptx"
)

// testLaunch is a launch of a kernel with 300 bytes of static shared memory.
func testLaunch() *Launch {
	return &Launch{
		Kernel: &ir.Kernel{Name: "k", StaticShared: 300, DynamicSharedBase: 304},
		Grid:   Dim3{4, 4, 1}, Block: Dim3{8, 3, 2}, Cluster: Dim3{2, 2, 1},
		Machine: Machine{SMs: 132, WarpsPerSM: 64, ClockHz: 2e9, SharedReserved: 1024},
		GridID:  7,
	}
}

func TestSpecials(t *testing.T) {
	l := testLaunch()
	l.DynamicShared = 1000
	p := &Place{Launch: l, Block: Dim3{3, 2, 0}, Warp: 1, SM: 5, Cycles: 6 << 32}
	for name, want := range map[string]uint64{
		"%tid.x": 2, "%tid.y": 1, "%tid.z": 1, "%tid.w": 0, // thread 32+2 = 2 + 8*(1 + 3*1)
		"%ntid.x": 8, "%ntid.y": 3, "%ntid.z": 2,
		"%ctaid.x": 3, "%ctaid.y": 2, "%ctaid.z": 0, "%nctaid.x": 4, "%nctaid.y": 4, "%nctaid.z": 1,
		"%clusterid.x": 1, "%clusterid.y": 1, "%nclusterid.x": 2, "%nclusterid.y": 2,
		"%cluster_ctaid.x": 1, "%cluster_ctaid.y": 0, "%cluster_nctaid.x": 2,
		"%cluster_ctarank": 1, "%cluster_nctarank": 4, "%is_explicit_cluster": 1,
		"%laneid": 2, "%lanemask_eq": 4, "%lanemask_lt": 3, "%lanemask_le": 7,
		"%lanemask_gt": 0xFFFFFFF8, "%lanemask_ge": 0xFFFFFFFC,
		"%warpid": 1, "%nwarpid": 64, "%smid": 5, "%nsmid": 132, "%gridid": 7,
		"%clock": 0, "%clock_hi": 6, "%clock64": 6 << 32, "%globaltimer": 3 << 32, "%globaltimer_hi": 3,
		"%dynamic_smem_size": 1000, "%total_smem_size": 1408, "%aggr_smem_size": 300 + 1000 + 1024,
		"%envreg31": 0, "%pm7_64": 0,
	} {
		s, ok := SpecialOf(name)
		if !ok {
			t.Errorf("%s is unknown", name)
		} else if got := s(p, 2); got != want {
			t.Errorf("%s = %d, want %d", name, got, want)
		}
	}
	if _, ok := SpecialOf("%tid.q"); ok {
		t.Errorf("%s is known", "%tid.q")
	}
}

func TestPartialWarpsStartWithTheirLanes(t *testing.T) {
	block := Dim3{8, 3, 2}
	if n := Warps(block); n != 2 {
		t.Errorf("%d warps", n)
	}
	if a, b := LanesOf(block, 0), LanesOf(block, 1); a != ^uint32(0) || b != 0xFFFF {
		t.Errorf("lanes %x and %x", a, b)
	}
}

func TestCheckLaunch(t *testing.T) {
	limits := Limits{
		Grid: Dim3{1<<31 - 1, 65535, 65535}, Block: Dim3{1024, 1024, 64}, ThreadsPerBlock: 1024,
		SharedPerBlock: 2000, ClusterBlocks: 8, ParamBytes: 4096,
	}
	if err := CheckLaunch(testLaunch(), limits); err != nil {
		t.Errorf("a good launch: %v", err)
	}
	for _, c := range []struct {
		name   string
		change func(l *Launch)
		code   string
		msg    string
	}{
		{"empty block", func(l *Launch) { l.Block.X = 0 }, "CUDA_ERROR_INVALID_VALUE", "the block (0,3,2) has 0 threads in x"},
		{"high grid", func(l *Launch) { l.Grid.Y = 65536 }, "CUDA_ERROR_INVALID_VALUE", "has 65536 blocks in y, at least 1 and at most 65535"},
		{"deep block", func(l *Launch) { l.Block = Dim3{1, 1, 65} }, "CUDA_ERROR_INVALID_VALUE", "has 65 threads in z, at least 1 and at most 64"},
		{"many threads", func(l *Launch) { l.Block = Dim3{512, 2, 2} }, "CUDA_ERROR_INVALID_VALUE", "2048 threads, at most 1024"},
		{"over .maxntid", func(l *Launch) { l.Kernel.MaxThreads = [3]int{32, 1, 1} }, "CUDA_ERROR_INVALID_VALUE", "launch bounds (.maxntid) allow 32"},
		{"not .reqntid", func(l *Launch) { l.Kernel.RequiredThreads = [3]int{48, 1, 1} }, "CUDA_ERROR_INVALID_VALUE", "made for (48,1,1) (.reqntid)"},
		{"much shared memory", func(l *Launch) { l.DynamicShared = 1697 }, "CUDA_ERROR_INVALID_VALUE", "2001 bytes of shared"},
		{"parameters missing", func(l *Launch) { l.Kernel.ParamBytes = 8 }, "CUDA_ERROR_INVALID_VALUE", "0 bytes of parameters"},
		{"odd grid", func(l *Launch) { l.Grid.X = 5 }, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "not a multiple"},
		{"big cluster", func(l *Launch) { l.Cluster = Dim3{4, 4, 1} }, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "16 blocks, at most 8 are allowed"},
		{"not .reqnctapercluster", func(l *Launch) { l.Kernel.Cluster = [3]int{4, 1, 1} }, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "made for (4,1,1)"},
		{"over .maxclusterrank", func(l *Launch) { l.Kernel.MaxClusterBlocks, l.Cluster = 2, Dim3{4, 1, 1} }, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "the kernel allows 2 (.maxclusterrank)"},
	} {
		l := testLaunch()
		c.change(l)
		var refused *LaunchError
		if err := CheckLaunch(l, limits); !errors.As(err, &refused) || refused.Code != c.code || !strings.Contains(refused.Msg, c.msg) {
			t.Errorf("%s: %v, want %s with %q", c.name, err, c.code, c.msg)
		}
	}
}

func TestFaultKindsHaveNames(t *testing.T) {
	for k := range faultCount {
		if k.String() == "" || !strings.HasPrefix(k.CUDAName(), "CUDA_ERROR_") {
			t.Errorf("kind %d: %q, %q", k, k, k.CUDAName())
		}
	}
}

func TestFaultIsOneLine(t *testing.T) {
	f := &Fault{
		Kind: IllegalAddress, Address: 0x10, Bytes: 4, Block: Dim3{1, 0, 0}, Thread: Dim3{2, 0, 0},
		Kernel: &ir.Kernel{Name: "k", Module: &ir.Module{Source: &ptx.Module{File: "k.ptx"}, Files: map[int]string{1: "k.cu"}}},
		Func:   &ir.Func{Code: []ir.Inst{{Pos: ptx.Pos{Line: 9, Col: 3}}, {Loc: &ir.Loc{File: 1, Line: 4, Col: 5}}}},
		Detail: "nothing is allocated",
	}
	const rest = "illegal address in k: access of 4 bytes at 0x10, block (1,0,0), thread (2,0,0): nothing is allocated"
	if got := f.Error(); got != "k.ptx:9:3: "+rest {
		t.Error(got)
	}
	f.PC = 1
	if got := f.Error(); got != "k.cu:4:5: "+rest {
		t.Error(got)
	}
}

// testThread is a thread with text in memory: each string starts at its address.
func testThread(out *bytes.Buffer, text map[uint64]string) *Thread {
	return &Thread{
		Launch: testLaunch(), Block: Dim3{1, 2, 3}, Thread: Dim3{4, 5, 6}, Stdout: out,
		Read: func(addr uint64, bytes int) (uint64, bool) {
			for start, s := range text {
				if i := addr - start; i < uint64(len(s)) {
					return uint64(s[i]), true
				}
			}
			return 0, false
		},
	}
}

func TestSystemFunctions(t *testing.T) {
	var out bytes.Buffer
	thread := testThread(&out, map[uint64]string{0x100: "hello\n\x00", 0x200: "x > 0\x00", 0x300: "k.cu\x00", 0x400: "f(int)\x00"})
	for _, c := range []struct {
		name   string
		args   []uint64
		result uint64
		kind   FaultKind
		detail string // "" for no fault
	}{
		{"vprintf", []uint64{0x100, 0}, 0, 0, ""},
		{"vprintf", []uint64{0, 0}, 0xFFFFFFFF, 0, ""},
		{"vprintf", []uint64{0x50, 0}, 0, IllegalAddress, "the format of printf"},
		{"malloc", []uint64{16}, 0, 0, ""},
		{"free", []uint64{0}, 0, 0, ""},
		{"free", []uint64{0x1234}, 0, Trap, "which malloc did not return"},
		{"__assertfail", []uint64{0x200, 0x300, 12, 0x400, 1}, 0, Assert,
			"k.cu:12: f(int): block: [1,2,3], thread: [4,5,6] Assertion `x > 0` failed."},
		{"nosuch", nil, 0, InvalidPC, "there is no function nosuch"},
	} {
		result, fault := thread.CallSystem(c.name, c.args)
		switch {
		case fault == nil && (c.detail != "" || result != c.result):
			t.Errorf("%s%v: %d", c.name, c.args, result)
		case fault != nil && (c.detail == "" || fault.Kind != c.kind || !strings.Contains(fault.Detail, c.detail)):
			t.Errorf("%s%v: %v: %s", c.name, c.args, fault.Kind, fault.Detail)
		}
	}
	if out.String() != "hello\n" {
		t.Errorf("printed %q", out.String())
	}
}

func TestEverySystemFunctionIsServed(t *testing.T) {
	for _, name := range ir.SystemFunctions() {
		if _, ok := systemFuncs[name]; !ok && !strings.HasPrefix(name, "cuda") {
			t.Errorf("%s is not", name)
		}
	}
	for name := range systemFuncs {
		if ir.SystemFunction(name) != name {
			t.Errorf("%s is not known to package ir", name)
		}
	}
}
