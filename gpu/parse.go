package gpu

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
)

// A FileError is what is wrong with a description, and where.
type FileError struct {
	File         string
	Line, Column int // both from 1; the column counts bytes
	Message      string
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// A position is a place in a file.
type position struct {
	file         string
	line, column int
}

func (p position) errorf(format string, args ...any) error {
	return &FileError{p.file, p.line, p.column, fmt.Sprintf(format, args...)}
}

// A node is a JSON value with its place. Its value is nil, a bool, a string, a
// json.Number, a []node or a []member.
type node struct {
	pos   position
	value any
}

type member struct {
	key   string
	pos   position
	value node
}

// maxDepth is more than any description needs: file, section, figure, list.
const maxDepth = 8

// parse reads one JSON value. encoding/json checks the syntax; what is added
// here are positions, and the refusal of duplicate keys.
func parse(file string, data []byte) (node, error) {
	p := &parser{file: file, data: data, lines: []int{0}, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	for i, c := range data {
		if c == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	root, err := p.value(0)
	if err != nil {
		return node{}, err
	}
	pos := p.next()
	if _, err := p.dec.Token(); err != io.EOF {
		return node{}, pos.errorf("text after the end of the description")
	}
	return root, nil
}

type parser struct {
	file  string
	data  []byte
	lines []int // offsets at which lines start
	dec   *json.Decoder
}

func (p *parser) value(depth int) (node, error) {
	pos := p.next()
	if depth > maxDepth {
		return node{}, pos.errorf("nested too deeply for a description")
	}
	token, err := p.token()
	if err != nil {
		return node{}, err
	}
	switch token {
	case json.Delim('{'):
		return p.object(pos, depth)
	case json.Delim('['):
		return p.array(pos, depth)
	}
	return node{pos, token}, nil
}

func (p *parser) object(pos position, depth int) (node, error) {
	members := []member{}
	seen := map[string]bool{}
	for p.dec.More() {
		at := p.next()
		token, err := p.token()
		if err != nil {
			return node{}, err
		}
		key := token.(string) // the decoder accepts nothing else here
		if seen[key] {
			return node{}, at.errorf("%q is given twice", key)
		}
		seen[key] = true
		value, err := p.value(depth + 1)
		if err != nil {
			return node{}, err
		}
		members = append(members, member{key, at, value})
	}
	_, err := p.token()
	return node{pos, members}, err
}

func (p *parser) array(pos position, depth int) (node, error) {
	items := []node{}
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return node{}, err
		}
		items = append(items, item)
	}
	_, err := p.token()
	return node{pos, items}, err
}

func (p *parser) token() (json.Token, error) {
	token, err := p.dec.Token()
	if err == nil {
		return token, nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		// The offset counts the byte at fault within a token, but not between tokens.
		return nil, p.at(max(int(syntax.Offset)-1, p.nextOffset())).errorf("%s", syntax.Error())
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, p.at(len(p.data)).errorf("the description ends too early")
	}
	return nil, p.next().errorf("%s", err)
}

// next is where the next token starts.
func (p *parser) next() position { return p.at(p.nextOffset()) }

func (p *parser) nextOffset() int {
	offset := int(p.dec.InputOffset())
	for offset < len(p.data) && bytes.IndexByte([]byte(" \t\r\n,:"), p.data[offset]) >= 0 {
		offset++
	}
	return offset
}

func (p *parser) at(offset int) position {
	line := sort.SearchInts(p.lines, offset+1) // lines that start up to there
	return position{p.file, line, offset - p.lines[line-1] + 1}
}
