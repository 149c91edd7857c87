package profile

// Space is a kind of memory, as far as counters tell them apart.
type Space string

// The spaces.
const (
	Global    Space = "global"
	Local     Space = "local"
	Shared    Space = "shared"
	DShared   Space = "dshared" // shared memory of another block of the cluster
	Const     Space = "const"
	Parameter Space = "param" // of the kernel, or of a device function
)

// Traffic is what an instruction, or several, asked of one space. What does not apply to the space is 0.
type Traffic struct {
	Space Space `json:"space"`
	// Requests counts executions by a warp with at least one lane that reached the space.
	Requests uint64 `json:"requests"`
	Threads  uint64 `json:"threads"` // lanes that reached it
	Bytes    uint64 `json:"bytes"`   // that these lanes moved
	// Unique sums the different bytes of each request to global or local memory.
	Unique uint64 `json:"unique,omitempty"`

	// Sectors, Ideal and Lines are of global and local memory: sectors of 32 bytes touched, the fewest that would do,
	// lines of 128 bytes touched.
	Sectors uint64 `json:"sectors,omitempty"`
	Ideal   uint64 `json:"ideal_sectors,omitempty"`
	Lines   uint64 `json:"lines,omitempty"`
	// ReplaySectors are the sectors that the atomic operations of a request need beyond Sectors, because lanes that
	// change one address come one after another.
	ReplaySectors uint64 `json:"replay_sectors,omitempty"`
	// Parts counts what the hardware calls requests of local memory: one for each word of 4 bytes.
	Parts uint64 `json:"parts,omitempty"`

	// The use of the banks of shared memory; see bankUse.
	Wavefronts      uint64 `json:"wavefronts,omitempty"`
	IdealWavefronts uint64 `json:"ideal_wavefronts,omitempty"`
	PipeWavefronts  uint64 `json:"pipe_wavefronts,omitempty"`
	Conflicts       uint64 `json:"conflicts,omitempty"`

	// Serial sums, for atomic operations, how many lanes of each request wanted the same address.
	Serial uint64 `json:"serial,omitempty"`
	// Words counts the different words of each request to constant memory, which are read one after another.
	Words uint64 `json:"words,omitempty"`

	// Uniform and Contiguous count the requests whose lanes all had one address, or each the one next to the lane below.
	Uniform    uint64 `json:"uniform,omitempty"`
	Contiguous uint64 `json:"contiguous,omitempty"`
	// Stride is the distance in bytes between neighbouring lanes that most of the other requests had, if
	// StrideVotes is more than half of them.
	Stride      int64  `json:"stride,omitempty"`
	StrideVotes uint64 `json:"stride_votes,omitempty"`
}

// add adds the traffic of o. The stride stays that of the larger part.
func (t *Traffic) add(o *Traffic) {
	t.Requests += o.Requests
	t.Threads += o.Threads
	t.Bytes += o.Bytes
	t.Unique += o.Unique
	t.Sectors += o.Sectors
	t.Ideal += o.Ideal
	t.Lines += o.Lines
	t.ReplaySectors += o.ReplaySectors
	t.Parts += o.Parts
	t.Wavefronts += o.Wavefronts
	t.IdealWavefronts += o.IdealWavefronts
	t.PipeWavefronts += o.PipeWavefronts
	t.Conflicts += o.Conflicts
	t.Serial += o.Serial
	t.Words += o.Words
	t.Uniform += o.Uniform
	t.Contiguous += o.Contiguous
	t.vote(o.Stride, o.StrideVotes)
}

// vote keeps the stride that most requests have, if one has more than half (Boyer and Moore's majority vote).
func (t *Traffic) vote(stride int64, votes uint64) {
	switch {
	case votes == 0:
	case t.Stride == stride:
		t.StrideVotes += votes
	case t.StrideVotes >= votes:
		t.StrideVotes -= votes
	default:
		t.Stride, t.StrideVotes = stride, votes-t.StrideVotes
	}
}
