package exec

import (
	"fmt"
	"io"
	"sync"

	"silica/internal/ir"
)

// Thread is what a system function sees of the thread that calls it.
type Thread struct {
	Launch        *Launch
	Block, Thread Dim3
	Func, PC      int // of the call
	// Read returns the 1, 4 or 8 bytes at a generic address, Write changes them.
	Read  func(addr uint64, bytes int) (uint64, bool)
	Write func(addr uint64, bytes int, value uint64) bool
	// Stdout receives what is printed, one Write a call.
	Stdout io.Writer
}

// Runtime serves the calls of CUDA's device runtime.
type Runtime interface {
	// Call makes the call that ir.SystemFunction names. args holds its arguments as SystemArguments gives
	// them; the fault is as that of CallSystem.
	Call(t *Thread, name string, args []uint64) (result uint64, fault *Fault)
}

// SystemArguments returns the values of a call's arguments, with what reads the bytes of a place. One of
// more than 8 bytes gives a word for each 8.
func SystemArguments(places []ir.Param, load func(offset, bytes int) uint64) (args []uint64) {
	for _, p := range places {
		for at := 0; at < p.Size; at += 8 {
			args = append(args, load(p.Offset+at, min(p.Size-at, 8)))
		}
	}
	return args
}

// CallSystem runs the system function that ir.Call.System names, with its arguments as SystemArguments
// gives them. A returned Fault has its kind, address and detail; the engine adds the place.
func (t *Thread) CallSystem(name string, args []uint64) (result uint64, fault *Fault) {
	f, ok := systemFuncs[name]
	switch {
	case ok && len(args) >= f.args:
		return f.call(t, args)
	case !ok && t.Launch.Runtime != nil:
		return t.Launch.Runtime.Call(t, name, args)
	}
	return 0, &Fault{Kind: InvalidPC, Detail: fmt.Sprintf("there is no function %s with %d arguments", name, len(args))}
}

// systemFuncs holds the functions of CUDA's device library that compilers call by name.
var systemFuncs = map[string]struct {
	args int // at least
	call func(t *Thread, args []uint64) (uint64, *Fault)
}{
	"vprintf":      {2, (*Thread).vprintf},
	"malloc":       {1, (*Thread).malloc},
	"free":         {1, (*Thread).free},
	"__assertfail": {5, (*Thread).assertFail},
}

// maxString bounds the length of a string that a kernel prints.
const maxString = 1 << 20

// text reads the string at a generic address up to its zero byte.
func (t *Thread) text(addr uint64) (string, bool) {
	var b []byte
	for range maxString {
		c, ok := t.Read(addr, 1)
		if !ok {
			return "", false
		}
		if c == 0 {
			return string(b), true
		}
		b = append(b, byte(c))
		addr++
	}
	return string(b), true
}

// vprintf prints; its result is the number of arguments, or -1 for a null format.
func (t *Thread) vprintf(args []uint64) (uint64, *Fault) {
	if args[0] == 0 {
		return uint64(0xFFFFFFFF), nil
	}
	format, ok := t.text(args[0])
	if !ok {
		return 0, &Fault{Kind: IllegalAddress, Address: args[0], Bytes: 1, Detail: "the format of printf can not be read"}
	}
	text, n, ok := FormatPrintf(format, PrintfArgs{
		Value:  func(offset, bytes int) (uint64, bool) { return t.Read(args[1]+uint64(offset), bytes) },
		String: t.text,
	})
	if !ok {
		return 0, &Fault{Kind: IllegalAddress, Address: args[1], Bytes: 1, Detail: fmt.Sprintf("an argument of printf(%q) can not be read", format)}
	}
	if t.Stdout != nil {
		if _, err := io.WriteString(t.Stdout, text); err != nil {
			return uint64(0xFFFFFFFE), nil // -2, CUDA's "other internal error"
		}
	}
	return uint64(n), nil
}

func (t *Thread) malloc(args []uint64) (uint64, *Fault) {
	if t.Launch.Heap == nil {
		return 0, nil
	}
	return t.Launch.Heap.Alloc(args[0]), nil
}

func (t *Thread) free(args []uint64) (uint64, *Fault) {
	if args[0] == 0 {
		return 0, nil
	}
	if t.Launch.Heap == nil || !t.Launch.Heap.Free(args[0]) {
		return 0, &Fault{Kind: Trap, Detail: fmt.Sprintf("free of 0x%x, which malloc did not return", args[0])}
	}
	return 0, nil
}

// assertFail ends the launch with the message that CUDA prints.
func (t *Thread) assertFail(args []uint64) (uint64, *Fault) {
	var text [3]string
	for i, arg := range []int{0, 1, 3} {
		var ok bool
		if text[i], ok = t.text(args[arg]); !ok {
			text[i] = "?"
		}
	}
	return 0, &Fault{Kind: Assert, Detail: AssertMessage(text[0], text[1], uint32(args[2]), text[2], t.Block, t.Thread)}
}

// AssertMessage is the line that CUDA prints when assert(expression) fails in a thread.
func AssertMessage(expression, file string, line uint32, function string, block, thread Dim3) string {
	return fmt.Sprintf("%s:%d: %s: block: [%d,%d,%d], thread: [%d,%d,%d] Assertion `%s` failed.",
		file, line, function, block.X, block.Y, block.Z, thread.X, thread.Y, thread.Z, expression)
}

// LockedWriter lets several goroutines write to W, a Write at a time.
type LockedWriter struct {
	W  io.Writer
	mu sync.Mutex
}

// Write writes b to W.
func (w *LockedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.W.Write(b)
}
