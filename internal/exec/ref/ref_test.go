package ref

import (
	"context"
	"errors"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/exec/exectest"
	"silica/internal/ir"
	"silica/internal/isa"
	"silica/internal/mem"
	"silica/ptx"
)

func TestEngineContract(t *testing.T) { exectest.Run(t, New()) }

// smallLaunch is a launch of one thread that runs the given instructions.
func smallLaunch(t *testing.T, code ...ir.Inst) *exec.Launch {
	t.Helper()
	memory, err := mem.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	})
	for i := range code {
		code[i].Guard, code[i].Next = ir.None, i+1
		code[i].Pos = ptx.Pos{Line: i + 1, Col: 1}
	}
	f := &ir.Func{Name: "k", Code: code, Frame: ir.Frame{LocalBase: ir.None, LocalTop: ir.None}}
	one := exec.Dim3{X: 1, Y: 1, Z: 1}
	return &exec.Launch{
		Kernel: &ir.Kernel{Name: "k", Module: &ir.Module{Source: &ptx.Module{File: "k.ptx"}}, Funcs: []*ir.Func{f}},
		Grid:   one, Block: one, Cluster: one, Memory: memory,
	}
}

func TestPanicsBecomeErrorsThatNameTheInstruction(t *testing.T) {
	form := &isa.Form{Opcode: "broken", Row: &isa.Row{
		Lane: func(*isa.Form) isa.LaneFunc { return func(*isa.Lane) { panic("oh no") } },
	}}
	l := smallLaunch(t, ir.Inst{Op: isa.OpLane, Form: form})
	_, err := New().Run(context.Background(), l)
	if !errors.Is(err, errBug) || !strings.Contains(err.Error(), "oh no, at k.ptx:1:1: broken in k") {
		t.Error(err)
	}
}

func TestOperationsWithoutExecutorAreRefused(t *testing.T) {
	l := smallLaunch(t, ir.Inst{Op: isa.OpNone, Form: &isa.Form{Opcode: "odd", Row: &isa.Row{}}})
	if _, err := New().Run(context.Background(), l); err == nil || !strings.HasPrefix(err.Error(), "k.ptx:1:1: odd can not be executed") {
		t.Error(err)
	}
}

func TestUnsupportedKernelsAreRefused(t *testing.T) {
	l := smallLaunch(t)
	l.Kernel.Unsupported = []ir.Problem{{Pos: ptx.Pos{Line: 3, Col: 5}, Msg: "tex: textures"}}
	if _, err := New().Run(context.Background(), l); !errors.Is(err, exec.ErrUnsupported) || !strings.HasPrefix(err.Error(), "k.ptx:3:5: tex: textures") {
		t.Error(err)
	}
}

func TestEveryOperationIsExecutedInOneWay(t *testing.T) {
	for op := isa.OpNone + 1; op <= isa.OpNop; op++ {
		_, plain := executors[op]
		_, steers := steering[op]
		if plain == steers {
			t.Errorf("%s: executor %v, steering %v", op, plain, steers)
		}
	}
}

// TestLocalMemoryKeepsLanesApart writes and reads overlapping accesses of all sizes in two lanes.
func TestLocalMemoryKeepsLanesApart(t *testing.T) {
	w := &warp{}
	for offset := range uint64(16) {
		for lane := range 2 {
			w.localCell(lane, offset).store(0, 1, offset|uint64(lane)<<4)
		}
	}
	for lane := range 2 {
		high := uint64(lane) << 4
		for _, c := range []struct {
			offset uint64
			bytes  int
			want   uint64
		}{
			{3, 1, 0x03 | high}, {6, 2, 0x0706 | high | high<<8},
			{4, 4, 0x07060504 | high*0x01010101}, {8, 8, 0x0F0E0D0C0B0A0908 | high*0x0101010101010101},
		} {
			if got := w.localCell(lane, c.offset).load(0, c.bytes); got != c.want {
				t.Errorf("lane %d, %d bytes at %d: 0x%x, want 0x%x", lane, c.bytes, c.offset, got, c.want)
			}
			if got := w.localCell(lane, 0).load(int(c.offset), c.bytes); got != c.want {
				t.Errorf("lane %d, %d bytes %d after 0: 0x%x, want 0x%x", lane, c.bytes, c.offset, got, c.want)
			}
		}
	}
}
