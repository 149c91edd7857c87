package main

import (
	"errors"
	"fmt"
	"testing"

	"silica/driver"
)

// Calls of the runtime API that failed unseen are kept; faults, the driver API's, and what was said are not.
func TestUnseenCalls(t *testing.T) {
	report("the launch was refused, which the library says at once")
	for _, c := range []struct {
		function string
		code     driver.Code
		says     string
		calls    int
	}{
		{"cudaMemcpy", driver.InvalidValue, "not an allocation", 1},
		{"cuMemcpy", driver.InvalidValue, "not an allocation", 0},
		{"cudaDeviceSynchronize", driver.IllegalAddress, "an earlier fault", 0},
		{"cudaLaunchKernel", driver.InvalidConfiguration, "the launch was refused, which the library says at once", 0},
	} {
		var u unseen
		u.note(&row{name: "cudaLaunchKernel"}, driver.InvalidHandle, fmt.Errorf("%w", driver.ErrUnloaded))
		u.note(&row{name: c.function}, c.code, errors.New(c.says))
		if u.calls != c.calls || c.calls > 0 && u.last != fmt.Sprintf("%s: cudaErrorInvalidValue: %s", c.function, c.says) {
			t.Errorf("%s: %d calls, %q", c.function, u.calls, u.last)
		}
	}
}
