package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// output is the standard output of a command. It remembers that something could not be written, which commands need not look at.
type output struct {
	to  io.Writer
	err error // the first
}

// Write writes to the standard output.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// failed tells whether an error is that nothing could be written, which is told once, at the end.
func (o *output) failed(err error) bool { return o.err != nil && errors.Is(err, o.err) }

// failure says why not everything could be written, nil when all was.
func (o *output) failure() error {
	if o.err == nil {
		return nil
	}
	why := o.err
	var p *fs.PathError
	if errors.As(why, &p) {
		why = p.Err
	}
	return fmt.Errorf("silica: standard output: %w", why)
}

// direct returns the file that w stands for, for a program that is to write there itself.
func direct(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.to
	}
	return w
}

// asFile returns the file behind w, nil when there is none.
func asFile(w io.Writer) *os.File {
	f, _ := direct(w).(*os.File)
	return f
}
