package ptx

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

var (
	fileLine = regexp.MustCompile(`^\s*\.file\s+(\d+)\s+"([^"]*)"`)
	locLine  = regexp.MustCompile(`^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)`)
	headLine = regexp.MustCompile(`^\s*(\.\w+\s+)*\.(entry|func)\b`)
)

// NameSource adds to the errors of Parse and Check in a text with line information the line of the source that the
// instruction comes from, as the .loc before it tells: a compiler wrote the text, or it is inline PTX of a program. The
// text may be one that does not parse.
func NameSource(text []byte, err error) error {
	var list Errors
	if !errors.As(err, &list) {
		return err
	}
	lines := bytes.Split(text, []byte("\n"))
	named := slices.Clone(list)
	for i, e := range list {
		if at := sourceOf(lines, e.Pos.Line); at != "" {
			named[i] = &Error{File: e.File, Pos: e.Pos, Msg: e.Msg + ", from " + at}
		}
	}
	return named
}

// sourceOf returns the position in the source of a line of PTX, "" when it is not known.
func sourceOf(lines [][]byte, line int) string {
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		loc := locLine.FindSubmatch(lines[i])
		if loc == nil {
			if headLine.Match(lines[i]) {
				return "" // the function begins
			}
			continue
		}
		number, err := strconv.Atoi(string(loc[2]))
		if err != nil || number == 0 { // line 0 stands for code that is in no line
			return ""
		}
		for _, l := range lines {
			if f := fileLine.FindSubmatch(l); f != nil && bytes.Equal(f[1], loc[1]) {
				return fmt.Sprintf("%s:%d:%s", f[2], number, loc[3])
			}
		}
		return ""
	}
	return ""
}
