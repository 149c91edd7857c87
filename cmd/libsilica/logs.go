package main

// #include "call.h"
import "C"

import (
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"

	"silica/driver"
)

// logs is what cuLogsRegisterCallback and its like tell a program: why its calls fail, as SILICA_LOG=info does on stderr.
type logs struct {
	mu        sync.Mutex
	lines     []string // the latest
	count     uint32   // of all lines there were
	callbacks []logCallback
}

// logCallback is a function of the program that gets every line.
type logCallback struct{ handle, function, data uint64 }

// The lines and bytes that are kept, and a dump has at most (CUDA Driver API, cuLogsDumpToMemory).
const (
	keptLines = 100
	dumpBytes = 25600
)

// runtimeLogs and cuLogs are the functions of both APIs. They need no context.
var runtimeLogs = functions{
	"cudaLogsRegisterCallback":   registerLogs,
	"cudaLogsUnregisterCallback": unregisterLogs,
	"cudaLogsCurrent":            currentLog,
	"cudaLogsDumpToFile":         dumpLogsToFile,
	"cudaLogsDumpToMemory":       dumpLogsToMemory,
}

var cuLogs = functions{
	"cuLogsRegisterCallback":   registerLogs,
	"cuLogsUnregisterCallback": unregisterLogs,
	"cuLogsCurrent":            currentLog,
	"cuLogsDumpToFile":         dumpLogsToFile,
	"cuLogsDumpToMemory":       dumpLogsToMemory,
}

// add keeps a line and gives it to the program's functions.
func (l *logs) add(text string) {
	line := fmt.Sprintf("[%s][CUDA][E] %s", time.Now().Format("15:04:05.000"), text)
	l.mu.Lock()
	l.lines = append(l.lines, line)
	l.lines = l.lines[max(0, len(l.lines)-keptLines):]
	l.count++
	callbacks := l.callbacks
	l.mu.Unlock()
	for _, f := range callbacks {
		message := append([]byte(text), 0)
		C.silica_call_log_callback(C.uint64_t(f.function), C.uint64_t(f.data), unsafe.Pointer(&message[0]), C.size_t(len(text)))
	}
}

func registerLogs(l *library, a args) error {
	if a.size(0) < lowestAddress {
		return errNull
	}
	return allocate(a, 2, func() (uint64, error) {
		f := logCallback{l.newHandle(), a.size(0), a.size(1)}
		l.logs.mu.Lock()
		defer l.logs.mu.Unlock()
		l.logs.callbacks = append(l.logs.callbacks[:len(l.logs.callbacks):len(l.logs.callbacks)], f)
		return f.handle, nil
	})
}

func unregisterLogs(l *library, a args) error {
	l.logs.mu.Lock()
	defer l.logs.mu.Unlock()
	var rest []logCallback
	for _, f := range l.logs.callbacks {
		if f.handle != a.size(0) {
			rest = append(rest, f)
		}
	}
	if len(rest) == len(l.logs.callbacks) {
		return driver.Fail(driver.InvalidValue, "0x%x is not the handle of a callback", a.size(0))
	}
	l.logs.callbacks = rest
	return nil
}

// currentLog answers where the next line will be.
func currentLog(l *library, a args) error {
	l.logs.mu.Lock()
	defer l.logs.mu.Unlock()
	return out(a, 0, l.logs.count)
}

// dump returns the lines from an iterator on, which moves to their end, or all that are kept where it is a null pointer: whole
// lines, the latest that fit.
func (l *logs) dump(a args, most int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	if a.size(0) >= lowestAddress {
		at := (*uint32)(a.pointer(0))
		lines = lines[max(0, len(lines)-int(l.count-min(*at, l.count))):]
		*at = l.count
	}
	text := ""
	for i := len(lines) - 1; i >= 0 && len(lines[i])+1+len(text) <= most; i-- {
		text = lines[i] + "\n" + text
	}
	return text
}

func dumpLogsToMemory(l *library, a args) error {
	size, err := in[uint64](a, 2)
	if err != nil || a.size(1) < lowestAddress || *size == 0 {
		return errNull
	}
	text := l.logs.dump(a, int(min(*size-1, dumpBytes)))
	copyText(a.pointer(1), int(min(*size, dumpBytes+1)), text)
	*size = uint64(len(text))
	return nil
}

func dumpLogsToFile(l *library, a args) error {
	if a.size(1) < lowestAddress {
		return errNull
	}
	f, err := os.Create(string(textAt(a.size(1))))
	if err != nil {
		return driver.Fail(driver.InvalidValue, "%v", err)
	}
	defer f.Close()
	if _, err := f.WriteString(l.logs.dump(a, dumpBytes)); err != nil {
		return driver.Fail(driver.OperatingSystem, "%v", err)
	}
	return nil
}
