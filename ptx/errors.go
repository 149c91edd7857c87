package ptx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxErrors is the number of errors after which Parse and Check give up.
const maxErrors = 50

// Error is one thing wrong with a PTX source.
type Error struct {
	File string
	Pos  Pos
	Msg  string
}

// Error returns file:line:col: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Col, e.Msg)
}

// Errors is what Parse, Check and Load return: every error found, sorted by position, at most 50.
type Errors []*Error

// Error returns one line per error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// errorList collects errors until there are maxErrors of them.
type errorList struct {
	file string
	list Errors
}

func (l *errorList) add(pos Pos, format string, args ...any) {
	if l.full() {
		return
	}
	for i, arg := range args {
		if name, ok := arg.(string); ok {
			args[i] = clip(name, longestName)
		}
	}
	msg := clip(fmt.Sprintf(format, args...), longestMessage)
	l.list = append(l.list, &Error{l.file, pos, msg})
}

// The lengths in bytes to which messages are cut: names may be as long as the source.
const (
	longestName    = 200
	longestMessage = 1000
)

// clip cuts text that is too long.
func clip(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "..."
}

func (l *errorList) full() bool { return len(l.list) >= maxErrors }

// err returns the errors in source order, or nil when there are none.
func (l *errorList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	slices.SortStableFunc(l.list, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return l.list
}
