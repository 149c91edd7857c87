package timing

// State is what a warp does in a cycle, as Nsight Compute names it.
type State uint8

// The states of a warp.
const (
	Selected State = iota
	NotSelected
	Wait
	ShortScoreboard
	LongScoreboard
	MathPipeThrottle
	MIOThrottle
	LGThrottle
	TexThrottle
	Barrier
	Membar
	BranchResolving
	NoInstruction
	Sleeping
	IMCMiss
	GMMA
	Drain
	DispatchStall
	States int = iota
)

var stateNames = [States]string{
	"selected", "not_selected", "wait", "short_scoreboard", "long_scoreboard", "math_pipe_throttle", "mio_throttle", "lg_throttle", "tex_throttle",
	"barrier", "membar", "branch_resolving", "no_instruction", "sleeping", "imc_miss", "gmma", "drain", "dispatch_stall",
}

// String is the name in Nsight Compute's metrics.
func (s State) String() string { return stateNames[s] }
