package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/ir"
)

func TestEveryCallOfTheDeviceRuntimeIsServed(t *testing.T) {
	var want []string
	for _, name := range ir.SystemFunctions() {
		if strings.HasPrefix(name, "cuda") {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(deviceRuntime)); !slices.Equal(got, want) {
		t.Errorf("served are %v, known are %v", got, want)
	}
}

// onEngines runs a test on a device with each engine.
func onEngines(t *testing.T, o Options, test func(t *testing.T, d *Device)) {
	for _, engine := range []string{"ref", "simd"} {
		t.Run(engine, func(t *testing.T) {
			o := o
			o.Engine = engine
			test(t, open(t, "h200", o))
		})
	}
}

// params puts 4- and 8-byte parameters one after the other, aligned.
func params(values ...any) []byte {
	var b []byte
	for _, v := range values {
		for len(b)%binary.Size(v) != 0 {
			b = append(b, 0)
		}
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

// launches is a Tracer that notes what is launched.
type launches struct{ seen []string }

func (l *launches) Launch(f *Function, e *exec.Launch) func(*exec.Stats, error) {
	from := "host"
	if o := e.Origin; o != nil {
		from = fmt.Sprintf("%s %v", o.Kernel.Name, o.Block)
	}
	l.seen = append(l.seen, fmt.Sprintf("%s%v%v from %s", f.Kernel.Name, e.Grid, e.Block, from))
	return nil
}

// The module is nvcc 13.0's of a kernel that launches three others: with structs, in the default stream, as a tail, and
// forgotten.
func TestLaunchesThatNVCCCompiles(t *testing.T) {
	text, err := os.ReadFile("testdata/nvcc_launches.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"ref", "simd"} {
		tracer := &launches{}
		d := open(t, "h200", Options{Engine: engine, Tracer: tracer})
		m, err := d.LoadPTX("nvcc_launches.ptx", text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Function("_Z6parentPiiP11CUstream_st")
		if err != nil {
			t.Fatal(err)
		}
		out, err := d.Alloc(128)
		if err != nil {
			t.Fatal(err)
		}
		one := Dim3{X: 1, Y: 1, Z: 1}
		if err := f.Launch(context.Background(), Launch{Grid: one, Block: one, Params: params(out, int32(2), uint64(0))}); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"_Z6parentPiiP11CUstream_st(1,1,1)(1,1,1) from host",
			"_Z5childPi6Triplef(2,1,1)(32,2,1) from _Z6parentPiiP11CUstream_st (0,0,0)",
			"_Z6tchildIdEvPT_S0_(1,1,1)(1,1,1) from _Z6parentPiiP11CUstream_st (0,0,0)",
			"_Z6tchildIiEvPT_S0_(1,1,1)(1,1,1) from _Z6parentPiiP11CUstream_st (0,0,0)",
		}
		if !slices.Equal(tracer.seen, want) {
			t.Errorf("%s: launched %q, want %q", engine, tracer.seen, want)
		}
		b, err := d.Bytes(out, 128)
		if err != nil {
			t.Fatal(err)
		}
		// The last was the tail launch, 4; before it 4.0, whose other half stays; the child's 2 are behind them.
		got := []uint32{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[124:])}
		if !slices.Equal(got, []uint32{4, 0x40100000, 2, 2}) {
			t.Errorf("%s: %#x", engine, got)
		}
	}
}

// runtimeCalls has a kernel of many blocks that each launch say with their number, and calls with arguments that are wrong.
const runtimeCalls = header + `
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) cudaLaunchDeviceV2_ptsz(.param .b64 p, .param .b64 s);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry say(.param .u32 n);
.global .align 8 .u64 kernel = say;
.global .align 1 .b8 text[4] = {37, 100, 10, 0};
.visible .entry say(.param .u32 n)
{
	.local .align 4 .b8 a[4];
	.reg .b32 %r<3>; .reg .b64 %rd<4>;
	ld.param.u32 %r1, [n];
	st.local.u32 [a], %r1;
	cvta.local.u64 %rd2, a;
	cvta.global.u64 %rd1, text;
	{ .param .b64 p; .param .b64 q; .param .b32 r;
	st.param.b64 [p], %rd1; st.param.b64 [q], %rd2;
	call (r), vprintf, (p, q); }
	ret;
}
.visible .entry each(.param .u64 stream, .param .u64 other, .param .u64 buffer)
{
	.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p;
	ld.param.u64 %rd1, [stream];
	ld.param.u64 %rd4, [other];
	ld.param.u64 %rd5, [buffer];
	ld.global.u64 %rd2, [kernel];
	add.u64 %rd2, %rd2, %rd4;
	{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
	st.param.b64 [f], %rd2;
	st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
	st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
	st.param.b32 [s], 0;
	call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);
	ld.param.b64 %rd3, [r]; }
	mov.u32 %r1, %ctaid.x;
	st.u32 [%rd3], %r1;
	add.u64 %rd3, %rd3, %rd5;
	{ .param .b64 p; .param .b64 s; .param .b32 r;
	st.param.b64 [p], %rd3; st.param.b64 [s], %rd1;
	call (r), cudaLaunchDeviceV2_ptsz, (p, s);
	ld.param.b32 %r2, [r]; }
	setp.ne.u32 %p, %r2, 0;
	@%p trap;
	ret;
}
`

// runtimeFunction loads the kernel that makes calls.
func runtimeFunction(t *testing.T, d *Device) *Function {
	t.Helper()
	m, err := d.LoadPTX("runtime.ptx", []byte(runtimeCalls))
	if err != nil {
		t.Fatal(err)
	}
	return function(t, m, "each")
}

// Whatever the number of workers, launches run in the order of the blocks that made them.
func TestChildrenRunInTheOrderOfBlocks(t *testing.T) {
	for _, stream := range []uint64{0, streamTailLaunch, streamFireAndForget} {
		var out bytes.Buffer
		onEngines(t, Options{Stdout: &out, Workers: 3}, func(t *testing.T, d *Device) {
			out.Reset()
			f := runtimeFunction(t, d)
			used, _ := d.memory.Usage()
			if err := f.Launch(context.Background(), Launch{Grid: Dim3{X: 40, Y: 1, Z: 1}, Block: Dim3{X: 1, Y: 1, Z: 1}, Params: params(stream, uint64(0), uint64(0))}); err != nil {
				t.Fatal(err)
			}
			var want strings.Builder
			for i := range 40 {
				fmt.Fprintln(&want, i)
			}
			if out.String() != want.String() {
				t.Errorf("stream %d printed %q", stream, out.String())
			}
			if after, _ := d.memory.Usage(); after != used {
				t.Errorf("%d bytes of memory are in use after the launch, %d before", after, used)
			}
		})
	}
}

func TestWrongCallsOfTheDeviceRuntime(t *testing.T) {
	for _, c := range []struct {
		name                  string
		stream, other, buffer uint64
		kind                  exec.FaultKind
		detail                string
	}{
		{"no kernel", 0, 8, 0, exec.IllegalAddress, "there is no kernel"},
		{"no stream", 0x5000, 0, 0, exec.Trap, ""},
		{"a stream of graphs", streamGraphTailLaunch, 0, 0, exec.Trap, ""},
		{"no buffer", 0, 0, 4, exec.Trap, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEngines(t, Options{}, func(t *testing.T, d *Device) {
				f := runtimeFunction(t, d)
				err := f.Launch(context.Background(), Launch{Grid: Dim3{X: 1, Y: 1, Z: 1}, Block: Dim3{X: 1, Y: 1, Z: 1}, Params: params(c.stream, c.other, c.buffer)})
				var fault *exec.Fault
				if !errors.As(err, &fault) || fault.Kind != c.kind || !strings.Contains(fault.Detail, c.detail) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}
