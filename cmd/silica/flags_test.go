package main

import (
	"strings"
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

// A program that is not compiled here has the short flags behind it; -- is not needed.
func TestShortFlagsOfPrograms(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"run ffmpeg -hide_banner -i a", "run ffmpeg -- -hide_banner -i a"},
		{"run ./gaussian -s 16 -q", "run ./gaussian -- -s 16 -q"},
		{"run ./a.out -Ofast", "run ./a.out -- -Ofast"},
		{"profile --gpu t4 ./a.out -h", "profile --gpu t4 ./a.out -- -h"},
		{"profile ./a.out --set full -h", "profile ./a.out --set full -- -h"},
		{"run --engine=ref -I dir ./a.out -h", "run --engine=ref -I dir ./a.out -- -h"},
		{"profile --no-timing ./a.out -h", "profile --no-timing ./a.out -- -h"},
		{"run ./a.out --size=64 -n=3", "run ./a.out --size=64 -n=3"},
		{"run ./a.out 4 -h", "run ./a.out 4 -h"}, // behind the first argument all is the program's
		{"run ./a.out -- -h", "run ./a.out -- -h"},
		{"run a.cu -h", "run a.cu -h"},
		{"run a.cu -O 3 -I dir", "run a.cu -O 3 -I dir"},
		{"run k.ptx -h", "run k.ptx -h"},
		{"run -h", "run -h"},
		{"gpus t4 -h", "gpus t4 -h"},
		{"", ""},
	} {
		parser, err := kong.New(&commands{})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(shortFlagsOfPrograms(parser.Model.Node, strings.Fields(c.line)), " ")
		if got != c.want {
			t.Errorf("%q becomes %q, want %q", c.line, got, c.want)
		}
	}
}
