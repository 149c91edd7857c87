package profile

import (
	"fmt"
	"strconv"
	"strings"
)

// Window are cycles: From and those after it, without To. An empty one watches nothing.
type Window struct{ From, To int64 }

// maxWindow bounds how many cycles can be watched: what their warps do takes some hundred bytes a cycle.
const maxWindow = 1 << 18

// String is FROM-TO.
func (w Window) String() string { return fmt.Sprintf("%d-%d", w.From, w.To) }

// MarshalText writes FROM-TO.
func (w Window) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads FROM-TO.
func (w *Window) UnmarshalText(text []byte) error {
	first, second, _ := strings.Cut(string(text), "-")
	from, err1 := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(second, 10, 64)
	switch {
	case err1 != nil || err2 != nil || from < 0 || to <= from:
		return fmt.Errorf("%q: want two cycles, the first and the one after the last, such as 1000-1064", text)
	case to-from > maxWindow:
		return fmt.Errorf("%s: want at most %d cycles", text, maxWindow)
	}
	w.From, w.To = from, to
	return nil
}
