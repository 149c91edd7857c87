package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"silica/driver"
)

// A level says how much the library tells on stderr; each has what the ones before it have.
type level int

// The levels of SILICA_LOG.
const (
	logError   level = iota // what the program may never see: faults of kernels, launches and images that are refused, wrong settings
	logWarning              // functions that are not supported, asynchronous copies, fills and frees that are refused; the default
	logInfo                 // every call that fails, and why
	logDebug                // every call, as the trace has them
)

var levelNames = []string{"error", "warning", "info", "debug"}

// logLevel is that of SILICA_LOG.
var logLevel = sync.OnceValue(func() level {
	text := environment("SILICA_LOG")
	if text == "" {
		return logWarning
	}
	i := slices.Index(levelNames, text)
	if i < 0 {
		report(fmt.Sprintf("SILICA_LOG=%s: want one of %s", text, strings.Join(levelNames, ", ")))
		return logWarning
	}
	return level(i)
})

// warn says what the program may go on without.
func warn(line string) {
	if logLevel() >= logWarning {
		report(line)
	}
}

// refuse reports an error that the call returns, whether or not the program looks at it. At logInfo explain does so.
func refuse(err error) {
	if logLevel() < logInfo {
		report(err.Error())
	}
}

// explain says why a call fails: at logInfo, and once for a function whose answer programs seldom look at. What fails because an
// earlier fault has ended the context is no news: its codes are those of faults.
func (r *row) explain(code driver.Code, err error) {
	if code == driver.NotReady || r.absent {
		return
	}
	process.logs.add(fmt.Sprintf("%s: %s: %s", r.name, r.codeName(code), err))
	switch {
	case logLevel() >= logInfo:
		reports.say(fmt.Sprintf("silica: %s: %s: %s", r.name, r.codeName(code), err))
	case r.warned != nil && code < driver.IllegalAddress && !r.warned.Swap(true):
		warn(fmt.Sprintf("silica: %s: %s: %s", r.name, r.codeName(code), err))
	case r.warned == nil:
		process.unseen.note(r, code, err)
	}
}

// codeName returns the name of a code in the function's API.
func (r *row) codeName(code driver.Code) string {
	if strings.Contains(r.name, "cuda") {
		return code.RuntimeName()
	}
	return code.DriverName()
}

// An endedError is the answer of a context that a fault has ended.
type endedError struct{ fault error }

func (e endedError) Error() string {
	return "an earlier fault has ended the context: " + e.fault.Error()
}

func (e endedError) Unwrap() error { return e.fault }

// status returns the error of a context that has ended. It is an earlier fault once some call has returned it.
func (c *context) status() error {
	err := c.device.Status()
	if err != nil && c.told.Load() {
		return endedError{err}
	}
	return err
}

// tell notes that a call returns an error, which may be the fault that has ended a context.
func (l *library) tell(err error) {
	l.eachContext(func(c *context) {
		if fault := c.device.Status(); fault != nil && errors.Is(err, fault) {
			c.told.Store(true)
		}
	})
}
