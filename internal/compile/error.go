package compile

import "strings"

// Error is a source that does not compile or link. Its text is what clang printed, unchanged, or why clang was not asked.
type Error struct {
	Diagnostics string
}

func (e *Error) Error() string { return strings.TrimRight(e.Diagnostics, "\n") }
