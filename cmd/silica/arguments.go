package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// shortFlagsOfPrograms puts -- before the first short flag that follows a program which is not compiled here: -I, -D and -O would say
// nothing about it, and -h and the like are its own. Long flags of ours are taken behind the file too.
func shortFlagsOfPrograms(commands *kong.Node, args []string) []string {
	command := slices.IndexFunc(commands.Children, func(n *kong.Node) bool { return len(args) > 0 && n.Name == args[0] })
	if command < 0 || len(commands.Children[command].Positional) < 2 {
		return args
	}
	flags := commands.Children[command].Flags
	program := false
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		arg := args[i]
		switch {
		case !strings.HasPrefix(arg, "-"):
			if program || isKernel(arg) || isSource(arg) {
				return args
			}
			program = true
		case program && !strings.HasPrefix(arg, "--"):
			return slices.Insert(slices.Clone(args), i, "--")
		default:
			name, _, given := strings.Cut(arg, "=")
			known := slices.IndexFunc(flags, func(f *kong.Flag) bool {
				return name == "--"+f.Name || name == "--no-"+f.Name || f.Short != 0 && name == "-"+string(f.Short)
			})
			switch {
			case known < 0 && program:
				return args // no flag of ours, so all from here is the program's
			case known >= 0 && !given && !flags[known].IsBool():
				i++ // its value
			}
		}
	}
	return args
}
