package timeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"silica/driver"
	"silica/internal/cppname"
)

// Timeline is what a program did. It is plain data: Write and Read keep all of it. Times are in nanoseconds since its
// beginning, by the clock of the machine that ran Silica.
type Timeline struct {
	GPUs       []string   `json:"gpus"` // by the ordinal of the device, as gpu.Load takes them
	Calls      []Call     `json:"calls"`
	Activities []Activity `json:"activities"`
	// Omitted counts the calls and activities that were too many to keep.
	Omitted int `json:"omitted,omitempty"`
}

// Call is a call of the API by a thread of the host. Calls are in the order in which they began.
type Call struct {
	Name   string `json:"name"`
	Code   int    `json:"code,omitempty"` // the error it returned
	Thread int    `json:"thread"`
	Begin  int64  `json:"begin"`
	End    int64  `json:"end"`
	// Host is how long the thread's own code took since its call before, without what Silica's kernels cost it.
	Host int64 `json:"host"`
	// Source is where the program has the call, nil when that is not known.
	Source *Source `json:"source,omitempty"`
	// Note is what the program says about itself here, with NVTX, and no call to CUDA; nil for a call.
	Note *Note `json:"note,omitempty"`
}

// Note is a place in a thread of the program that NVTX marks: the begin or the end of a range, or a mark.
type Note struct {
	Kind   NoteKind `json:"kind"`
	Domain string   `json:"domain,omitempty"` // "" for the one of the process
	Text   string   `json:"text,omitempty"`
	ID     uint64   `json:"id,omitempty"` // of a range from Start to End
}

// NoteKind is what a note does.
type NoteKind string

// The kinds: Push begins a range that the next Pop of the thread and domain ends, Start one that End with the same ID does.
const (
	Push  NoteKind = "push"
	Pop   NoteKind = "pop"
	Start NoteKind = "start"
	End   NoteKind = "end"
	Mark  NoteKind = "mark"
)

// Activity is a piece of work of a device, in the order of submission.
type Activity struct {
	ID         uint64      `json:"id"`
	Kind       Kind        `json:"kind"`
	Name       string      `json:"name,omitempty"` // the kernel's, mangled
	Context    int         `json:"context"`
	Device     int         `json:"device"`
	Peer       bool        `json:"peer,omitempty"`   // a copy between devices
	Stream     uint64      `json:"stream,omitempty"` // 0 in a graph
	Graph      uint64      `json:"graph,omitempty"`  // the activity with which the graph's launch began
	Thread     int         `json:"thread"`
	Call       int         `json:"call"` // index in Timeline.Calls, -1 for none
	After      []uint64    `json:"after,omitempty"`
	Waited     bool        `json:"waited,omitempty"` // the caller waited for the end
	Bytes      uint64      `json:"bytes,omitempty"`
	Rows       uint64      `json:"rows,omitempty"`
	From       Memory      `json:"from,omitempty"`
	To         Memory      `json:"to,omitempty"`
	Grid       uint64      `json:"grid,omitempty"`
	Migrations []Migration `json:"migrations,omitempty"`

	Submitted int64 `json:"submitted"`
	Begin     int64 `json:"begin"`
	End       int64 `json:"end"`
}

// Migration is managed memory that moved.
type Migration struct {
	Device int    `json:"device"`
	ToHost bool   `json:"to_host,omitempty"`
	Fault  bool   `json:"fault,omitempty"` // an access asked for it, not a prefetch
	Pages  uint64 `json:"pages"`
	Bytes  uint64 `json:"bytes"`
}

// Kind tells what an activity does.
type Kind string

// The kinds.
const (
	Place   Kind = "" // nothing: a place in the order of the work
	Kernel  Kind = "kernel"
	Copy    Kind = "copy"
	Set     Kind = "set"
	Host    Kind = "host function"
	Free    Kind = "free"
	Record  Kind = "event record"
	Wait    Kind = "event wait"
	Graph   Kind = "graph launch"
	Migrate Kind = "migration"
	Sync    Kind = "synchronization"
)

// kinds are those of package driver.
var kinds = map[driver.ActivityKind]Kind{
	driver.PlaceActivity: Place, driver.KernelActivity: Kernel, driver.CopyActivity: Copy, driver.SetActivity: Set, driver.HostActivity: Host,
	driver.FreeActivity: Free, driver.RecordActivity: Record, driver.WaitActivity: Wait, driver.GraphActivity: Graph,
	driver.MigrateActivity: Migrate, driver.SyncActivity: Sync,
}

// Memory is whose memory one side of a copy is, in the words of Nsight Systems.
type Memory string

// The kinds of memory.
const (
	Pageable Memory = "Pageable"
	Device   Memory = "Device"
	Managed  Memory = "Managed"
	Pinned   Memory = "Pinned"
)

// memories are those of package driver.
var memories = map[driver.MemoryKind]Memory{
	driver.UnknownMemory: Pageable, driver.DeviceMemory: Device, driver.ManagedMemory: Managed, driver.PinnedMemory: Pinned,
	driver.RegisteredMemory: Pinned,
}

func (m Memory) onHost() bool { return m == Pageable || m == Pinned }

// ErrFormat is returned, wrapped, by Read for what is no timeline, or one of another version.
var ErrFormat = errors.New("not a timeline of this version")

// format names the form that Write gives timelines; a change that Read can not bear gets another number.
const format = "silica timeline 1"

type file struct {
	Format   string    `json:"format"`
	Timeline *Timeline `json:"timeline"`
}

// Write writes a timeline so that Read gives it back.
func Write(w io.Writer, t *Timeline) error {
	if err := json.NewEncoder(w).Encode(file{format, t}); err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	return nil
}

// Read reads what Write wrote.
func Read(r io.Reader) (*Timeline, error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("timeline: %w: %w", ErrFormat, err)
	}
	if f.Format != format || f.Timeline == nil || len(f.Timeline.GPUs) == 0 {
		return nil, fmt.Errorf("timeline: %w: it says %q, want %q", ErrFormat, f.Format, format)
	}
	for i, a := range f.Timeline.Activities {
		if a.Call < -1 || a.Call >= len(f.Timeline.Calls) || a.Device < 0 || i > 0 && a.ID <= f.Timeline.Activities[i-1].ID {
			return nil, fmt.Errorf("timeline: %w: activity %d is out of order, or of a call or device that does not exist", ErrFormat, a.ID)
		}
	}
	return f.Timeline, nil
}

// find returns the index of the activity of an ID, -1 when it was not kept.
func (t *Timeline) find(id uint64) int {
	i, ok := slices.BinarySearchFunc(t.Activities, id, func(a Activity, id uint64) int {
		switch {
		case a.ID < id:
			return -1
		case a.ID > id:
			return 1
		}
		return 0
	})
	if !ok {
		return -1
	}
	return i
}

// ToCUDA tells whether it is a call that the program makes to CUDA: no note, and nothing that the compiler put in to register
// device code.
func (c *Call) ToCUDA() bool { return c.Note == nil && !strings.HasPrefix(c.Name, "__") }

// Title is what Nsight Systems calls an activity; a kernel has its readable name.
func (a *Activity) Title() string {
	switch a.Kind {
	case Kernel:
		return cppname.Short(a.Name)
	case Copy:
		if a.Peer {
			return "[CUDA memcpy Peer-to-Peer]"
		}
		return "[CUDA memcpy " + a.From.place() + "-to-" + a.To.place() + "]"
	case Set:
		return "[CUDA memset]"
	case Migrate:
		if len(a.Migrations) > 0 {
			return a.Migrations[0].Title()
		}
	}
	return "[" + string(a.Kind) + "]"
}

// Title is what Nsight Systems calls a migration.
func (m Migration) Title() string {
	if m.ToHost {
		return "[CUDA Unified Memory memcpy DtoH]"
	}
	return "[CUDA Unified Memory memcpy HtoD]"
}

func (m Memory) place() string {
	if m.onHost() {
		return "Host"
	}
	return "Device"
}
