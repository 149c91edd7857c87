package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// What follows the file goes to the program; a first -- is not part of it.
func TestArgumentsOfTheProgram(t *testing.T) {
	for _, c := range []struct{ line, want []string }{
		{[]string{"run", "a.cu", "--", "4", "-x", "--grid"}, []string{"4", "-x", "--grid"}},
		{[]string{"run", "a.cu", "4", "--", "-x"}, []string{"4", "--", "-x"}},
		{[]string{"run", "--gpu", "t4", "a.cu", "--", "--", "4"}, []string{"--", "4"}},
		{[]string{"run", "a.cu", "--gpu", "t4", "--", "4"}, []string{"4"}},
		{[]string{"run", "a.cu", "--"}, []string{}},
		{[]string{"run", "a.cu"}, nil},
	} {
		var got commands
		parser, err := kong.New(&got)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(c.line); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, []string(got.Run.Args.list())); diff != "" {
			t.Errorf("%q: %s", c.line, diff)
		}
	}
}
