package exectest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"silica/internal/exec"
	"silica/internal/ir"
)

// noted is a Runtime that notes the calls and answers them with the thread's number.
type noted struct{ calls []string }

func (n *noted) Call(t *exec.Thread, name string, args []uint64) (uint64, *exec.Fault) {
	inst := &t.Launch.Kernel.Funcs[t.Func].Code[t.PC]
	if inst.Call == nil || inst.Call.System != name {
		return 0, &exec.Fault{Kind: exec.Trap, Detail: fmt.Sprintf("%s is called at %d", name, t.PC)}
	}
	if name == "cudaGetDevice" {
		if !t.Write(args[0], 4, uint64(100+t.Thread.X)) {
			return 0, &exec.Fault{Kind: exec.IllegalAddress, Address: args[0], Bytes: 4}
		}
		return uint64(t.Thread.X), nil
	}
	n.calls = append(n.calls, fmt.Sprintf("%v%v: %s%x", t.Block, t.Thread, name, args))
	return uint64(1000 + t.Thread.X), nil
}

// checkRuntime makes calls of the device runtime, with structures by value and a pointer for the result.
func checkRuntime(t *testing.T, e exec.Engine) {
	l, out := newLaunch(t, "device_runtime", 1, 3, 48)
	l.Workers = 1
	runtime := &noted{}
	l.Runtime = runtime
	if _, err := e.Run(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	var calls []string
	var want []uint32
	for i := range uint32(3) {
		calls = append(calls, fmt.Sprintf("(0,0,0)(%d,0,0): cudaGetParameterBufferV2%x", i,
			[]uint64{ir.EntryAddress(0), uint64(i) | 2<<32, 3, 4 | 5<<32, 6, 7}))
		want = append(want, 1000+i, 0, i, 100+i)
	}
	if !slices.Equal(runtime.calls, calls) {
		t.Errorf("calls are %q, want %q", runtime.calls, calls)
	}
	if got := words(out); !slices.Equal(got, want) {
		t.Errorf("results are %v, want %v", got, want)
	}
	l.Runtime = nil
	if _, err := e.Run(context.Background(), l); err == nil {
		t.Error("calls without a device runtime succeed")
	}
}

// checkMeetings runs blocks that meet at the barrier of the grid, with few workers and many. Where some exit, the others
// wait for ever, which ends the launch.
func checkMeetings(t *testing.T, e exec.Engine) {
	for _, workers := range []int{1, 2, 5} {
		for _, present := range []uint32{7, 4} {
			l, out := newLaunch(t, "grid_meeting", 7, 64, 8)
			binary.LittleEndian.PutUint32(out[4:], present)
			workspace, err := l.Memory.Alloc(exec.WorkspaceBytes, 8)
			if err != nil {
				t.Fatal(err)
			}
			b, err := l.Memory.Bytes(workspace, exec.WorkspaceBytes)
			if err != nil {
				t.Fatal(err)
			}
			clear(b)
			l.Workers, l.Workspace, l.MaxInstructions = workers, workspace, 1<<30
			_, err = e.Run(context.Background(), l)
			var fault *exec.Fault
			switch {
			case present == 7 && (err != nil || words(out)[0] != 7*50):
				t.Errorf("%d workers: %v, %d meetings", workers, err, words(out)[0])
			case present == 4 && (!errors.As(err, &fault) || fault.Kind != exec.Deadlock || !strings.Contains(fault.Detail, "for all 7 blocks, 3 have exited")):
				t.Errorf("%d workers: %v, want a deadlock", workers, err)
			}
		}
	}
}
