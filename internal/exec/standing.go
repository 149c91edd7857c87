package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"silica/internal/ir"
)

// Position names an instruction by its place in the source when that is known, else in the PTX.
func Position(k *ir.Kernel, fn *ir.Func, pc int) string {
	inst := &fn.Code[pc]
	if l := inst.Loc; l != nil {
		return fmt.Sprintf("%s:%d:%d", k.Module.Files[l.File], l.Line, l.Col)
	}
	return fmt.Sprintf("%s:%d:%d", k.Module.Source.File, inst.Pos.Line, inst.Pos.Col)
}

// loop returns the blocks of the innermost loop around an instruction, as far as the layout shows it: from
// the target of the nearest jump back over the instruction to that jump. ok is false outside of loops.
func loop(fn *ir.Func, pc int) (first, last int, ok bool) {
	for b, block := range fn.Blocks {
		for _, to := range block.Succs {
			if to > b || to >= len(fn.Blocks) || pc < fn.Blocks[to].Start || pc >= block.End {
				continue
			}
			if !ok || to > first || to == first && b < last {
				first, last, ok = to, b, true
			}
		}
	}
	return first, last, ok
}

// line returns the line of an instruction, in the source when that is known.
func line(inst *ir.Inst) int {
	if inst.Loc != nil {
		return inst.Loc.Line
	}
	return inst.Pos.Line
}

// Running tells where lanes run that have not ended: "at k.cu:12:5, in the loop of lines 10 to 12".
func Running(k *ir.Kernel, fn *ir.Func, pc int) string {
	s := "at " + Position(k, fn, pc)
	first, last, ok := loop(fn, pc)
	if !ok {
		return s
	}
	from, to := line(&fn.Code[pc]), 0
	for i := fn.Blocks[first].Start; i < fn.Blocks[last].End; i++ {
		if inst := &fn.Code[i]; !inst.Synthetic && (inst.Loc != nil) == (fn.Code[pc].Loc != nil) {
			from, to = min(from, line(inst)), max(to, line(inst))
		}
	}
	if to <= from {
		return fmt.Sprintf("%s, in the loop of line %d", s, from)
	}
	return fmt.Sprintf("%s, in the loop of lines %d to %d", s, from, to)
}

// Standing is where lanes of a warp are when a launch does not get on.
type Standing struct {
	Warp int
	// Lanes are those that stand there, 0 for all that the warp has left.
	Lanes uint32
	// Waits tells that they wait for something, and Where what it is and where; else they run there.
	Waits bool
	Where string
}

// mostStandings bounds how many places a message names.
const mostStandings = 4

// Standings writes in one line where lanes are. Warps at one place are named together.
func Standings(all []Standing) string {
	type place struct {
		waits bool
		where string
	}
	var places []place
	who := map[place][]string{}
	warps := map[place][]int{}
	for _, s := range all {
		p := place{s.Waits, s.Where}
		if who[p] == nil && warps[p] == nil {
			places = append(places, p)
		}
		if s.Lanes == 0 {
			warps[p] = append(warps[p], s.Warp)
		} else {
			who[p] = append(who[p], fmt.Sprintf("lanes 0x%08x of warp %d", s.Lanes, s.Warp))
		}
	}
	var parts []string
	for i, p := range places {
		if i == mostStandings {
			parts = append(parts, fmt.Sprintf("and %d more places", len(places)-i))
			break
		}
		names := who[p]
		verb := "run"
		if p.waits {
			verb = "wait"
		}
		if list := warps[p]; len(list) > 0 {
			names = append([]string{named(list)}, names...)
			if len(list) == 1 && len(names) == 1 {
				verb += "s"
			}
		}
		if len(names) > mostStandings {
			names = append(names[:mostStandings], "others")
		}
		parts = append(parts, strings.Join(names, ", ")+" "+verb+" "+p.where)
	}
	return strings.Join(parts, "; ")
}

// named names warps: "warp 3", "warps 0 to 7", "warps 0, 2, 4 and others".
func named(list []int) string {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	n := len(list)
	switch {
	case n == 1:
		return fmt.Sprintf("warp %d", list[0])
	case list[n-1]-list[0] == n-1:
		return fmt.Sprintf("warps %d to %d", list[0], list[n-1])
	}
	var s []string
	for _, w := range list[:min(n, mostStandings)] {
		s = append(s, fmt.Sprint(w))
	}
	if n > mostStandings {
		return fmt.Sprintf("warps %s and others", strings.Join(s, ", "))
	}
	return "warps " + strings.Join(s, ", ")
}

// TimeLimit is the cause with which a launch's context ends when the launch may take no longer.
type TimeLimit time.Duration

func (t TimeLimit) Error() string { return fmt.Sprintf("the time limit of %v", time.Duration(t)) }

// ErrInterrupted is the cause with which a launch's context ends when the user ends the program.
var ErrInterrupted = errors.New("the interruption")

// Stopped tells whether a cause is one for which a launch that ends tells where its warps are.
func Stopped(cause error) bool {
	var limit TimeLimit
	return errors.As(cause, &limit) || errors.Is(cause, ErrInterrupted)
}

// Unfinished is a launch that used up its limit of instructions or of time: it wraps ErrLimit.
type Unfinished struct {
	Launch *Launch
	Cause  error  // a TimeLimit or ErrInterrupted; nil when it was the limit of instructions
	Block  *Dim3  // the first that has begun and not ended; nil between blocks
	At     string // a position in it
	Where  string // the places of its warps, as Standings writes them; "" where none has begun
}

// NewUnfinished tells of a launch that stands at the beginning of a block, or between blocks; who knows more sets At and Where.
func NewUnfinished(l *Launch, cause error, block *Dim3) *Unfinished {
	return &Unfinished{Launch: l, Cause: cause, Block: block, At: Position(l.Kernel, l.Kernel.Funcs[0], 0)}
}

// Error gives one line that starts with a position.
func (u *Unfinished) Error() string {
	var limit TimeLimit
	what := fmt.Sprintf("did not finish within %d warp instructions", u.Launch.MaxInstructions)
	switch {
	case errors.As(u.Cause, &limit):
		what = fmt.Sprintf("did not finish within %v", time.Duration(limit))
	case u.Cause != nil:
		what = "was interrupted"
	}
	text := fmt.Sprintf("%s: %s %s", u.At, u.Launch.Kernel.Name, what)
	if u.Block != nil {
		text += fmt.Sprintf(", block %s", u.Block)
	}
	if u.Where == "" {
		return fmt.Sprintf("%s: it has %d blocks", text, u.Launch.Grid.Count())
	}
	return text + ": " + u.Where
}

// Unwrap returns ErrLimit.
func (u *Unfinished) Unwrap() error { return ErrLimit }
