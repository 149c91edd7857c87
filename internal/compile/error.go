package compile

import "strings"

// Error is a source that does not compile or link. Its text is what clang printed, unchanged.
type Error struct {
	Diagnostics string
}

func (e *Error) Error() string { return strings.TrimRight(e.Diagnostics, "\n") }
