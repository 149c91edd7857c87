package randptx

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"silica/internal/exec"
	"silica/internal/exec/ref"
	"silica/internal/exec/simd"
	"silica/internal/ir"
	"silica/internal/mem"
	"silica/ptx"
)

const fuzzHeader = ".version 9.0\n.target sm_90a\n.address_size 64\n"

// hostile are modules whose sizes, depths and loops have no bounds of their own.
func hostile() []string {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	entry := func(body string) string { return fuzzHeader + ".visible .entry k() {\n" + body + "\nret;\n}\n" }
	return []string{
		fuzzHeader + ".global .b8 a[9223372036854775807];" + entry("")[len(fuzzHeader):],
		fuzzHeader + ".global .b64 a[2305843009213693952];" + entry("")[len(fuzzHeader):],
		fuzzHeader + ".global .b32 a[65536][65536][65536][65536];" + entry("")[len(fuzzHeader):],
		fuzzHeader + ".shared .align 9223372036854775807 .b8 a[4];" + entry("")[len(fuzzHeader):],
		fuzzHeader + ".const .align 1073741824 .b8 a[1073741824];" + entry("")[len(fuzzHeader):],
		entry(".local .b8 a[4294967296];\nst.local.b8 [a+4294967295], 1;"),
		entry(".local .b8 a[18446744073709551615];"),
		entry(".shared .b8 a[4294967295]; .shared .b8 b[4294967295];"),
		entry(".reg .b32 %r<4294967295>;"),
		entry(".reg .b128 %r<1000000>;\nmov.b128 %r999999, %r0;"),
		entry(".reg .b32 r; mov.b32 r, " + many("(", 200000) + "1" + many(")", 200000) + ";"),
		entry(".reg .b32 r; mov.b32 r, 1" + many("+1", 200000) + ";"),
		entry(".reg .b32 r; mov.b32 r, " + many("-", 200000) + "1;"),
		entry(".reg .b32 r; mov.b32 r, " + many("1?1:", 100000) + "1;"),
		entry(many("{", 100000) + many("}", 100000)),
		entry(".reg .b32 r; mov.v4.b32 {" + many("r,", 100000) + "r}, r;"),
		fuzzHeader + ".visible .entry k() .reqntid 4294967295, 4294967295, 4294967295 { ret; }",
		fuzzHeader + ".visible .entry k() .maxntid 2147483647, 2147483647, 2147483647 { ret; }",
		fuzzHeader + ".visible .entry k() .reqnctapercluster 65535, 65535, 65535 { ret; }",
		fuzzHeader + ".func f() { .local .b8 a[1024]; call f; ret; } .visible .entry k() { call f; ret; }",
		fuzzHeader + ".func (.param .b8 r[1073741824]) f(.param .b8 a[1073741824]) { ret; } .visible .entry k() { ret; }",
		entry("L: bra L;"),
		entry(".reg .b64 p; L: alloca.u64 p, 1048576; bra L;"),
		entry("bar.sync 0; barrier.cluster.wait;"),
		fuzzHeader + ".global .b64 a[2] = {a, a+9223372036854775807};" + entry("")[len(fuzzHeader):],
		fuzzHeader + ".visible .entry k(.param .b8 p[4294967296]) { ret; }",
	}
}

// FuzzLaunch loads and launches any module: no text makes a panic, a hang or memory without bounds.
func FuzzLaunch(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	for seed := range uint64(10) {
		f.Add(Generate(seed, Options{}).Source)
	}
	engines := []exec.Engine{ref.New(), simd.New()}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		tree, err := ptx.Load("fuzz.ptx", []byte(text))
		if err != nil {
			return
		}
		module, err := ir.NewModule(tree)
		if err != nil {
			return
		}
		for _, name := range module.Entries {
			kernel, err := module.Kernel(name)
			if err != nil {
				continue
			}
			for _, e := range engines {
				launchBounded(t, e, kernel)
			}
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

// launchBounded launches a kernel with little memory and few instructions. What the kernel does wrong is its own affair.
func launchBounded(t *testing.T, e exec.Engine, kernel *ir.Kernel) {
	memory, err := mem.New(1 << 24)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	variables, err := exec.PlaceVariables(kernel.Module, memory, nil)
	if err != nil {
		return
	}
	one := exec.Dim3{X: 1, Y: 1, Z: 1}
	l := &exec.Launch{
		Kernel: kernel, Grid: one, Block: exec.Dim3{X: 40, Y: 1, Z: 1}, Cluster: one, Memory: memory,
		Machine: exec.Machine{SMs: 1, BlocksPerSM: 1, WarpsPerSM: 64, SharedPerBlock: 227 << 10, ClockHz: 1e9, LocalPerThread: 64 << 10, ComputeCapability: 90},
		Symbols: variables.Symbols, ConstRegions: variables.ConstRegions, Workers: 1, Stdout: io.Discard, MaxInstructions: 1 << 14,
	}
	limits := exec.Limits{
		Grid: exec.Dim3{X: 1 << 20, Y: 65535, Z: 65535}, Block: exec.Dim3{X: 1024, Y: 1024, Z: 64},
		ThreadsPerBlock: 1024, SharedPerBlock: 227 << 10, ClusterBlocks: 8, ParamBytes: 32764,
	}
	if kernel.ParamBytes > limits.ParamBytes {
		return
	}
	l.Params = make([]byte, kernel.ParamBytes)
	if exec.CheckLaunch(l, limits) == nil {
		_, _ = e.Run(context.Background(), l)
	}
}
