package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"silica/driver"
)

// unseen holds the calls of the runtime API that failed, of which nothing was said.
type unseen struct {
	mu    sync.Mutex
	calls int
	last  string
}

// note keeps a call that failed, unless what is wrong was said, or the process's end overtook it.
func (u *unseen) note(r *row, code driver.Code, err error) {
	if !strings.HasPrefix(r.name, "cuda") || code >= driver.IllegalAddress && code <= driver.LaunchFailed || reports.wasSaid(err.Error()) ||
		errors.Is(err, driver.ErrUnloaded) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls++
	u.last = fmt.Sprintf("%s: %s: %s", r.name, r.codeName(code), err)
}

// tell says at the end of a program that calls failed, if it never asked for the last error. Whether it looked at what the calls returned, nobody
// can tell.
func (u *unseen) tell() {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch u.calls {
	case 0:
	case 1:
		warn(fmt.Sprintf("silica: a call failed, and the program did not ask for the error: %s", u.last))
	default:
		warn(fmt.Sprintf("silica: %d calls failed, and the program did not ask for the last error: %s (SILICA_LOG=info tells all)", u.calls, u.last))
	}
}
