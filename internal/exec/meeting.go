package exec

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"silica/internal/ir"
)

// WorkspaceBytes is the size of Launch.Workspace: its size, then the word that counts the arrivals of blocks
// at the barrier of the grid, as nvcc's code and ours use it.
const WorkspaceBytes = 8

// Meeting watches the barrier of a cooperative grid. Nobody but the grid's blocks changes its word, so that
// when all of them wait for it, they do so for ever.
type Meeting struct {
	launch *Launch
	word   *uint32
	// stuck holds, for each worker, the word that all its blocks wait with: 0 when they do not.
	stuck []atomic.Uint64
}

const (
	isStuck = 1 << 32
	hasLeft = 1 << 33
)

// NewMeeting returns the meeting of a launch on some workers, nil for one that is not cooperative.
func NewMeeting(l *Launch, workers int) *Meeting {
	if l.Workspace == 0 {
		return nil
	}
	b, err := l.Memory.Bytes(l.Workspace, WorkspaceBytes)
	if err != nil {
		return nil
	}
	return &Meeting{launch: l, word: (*uint32)(unsafe.Pointer(&b[4])), stuck: make([]atomic.Uint64, workers)}
}

// Place tells whether an address is the barrier's.
func (m *Meeting) Place(addr uint64) bool { return addr-m.launch.Workspace < WorkspaceBytes }

// Attendance is what one worker does at a meeting.
type Attendance struct {
	Meeting *Meeting // nil when there is none
	Worker  int
	turns   int
	word    uint32
}

// Turn notes the turn of one of the worker's clusters. waiting tells that all its threads waited for the
// barrier from the turn's beginning to its end. The result tells that the whole grid waits for ever.
func (a *Attendance) Turn(waiting bool, clusters int) bool {
	m := a.Meeting
	word := atomic.LoadUint32(m.word)
	if !waiting || word != a.word {
		a.turns, a.word = 0, word
		m.stuck[a.Worker].Store(0)
		return false
	}
	// Each cluster has had a turn in which it saw the word.
	if a.turns++; a.turns <= clusters {
		return false
	}
	stuck := isStuck | uint64(word)
	m.stuck[a.Worker].Store(stuck)
	for i := range m.stuck {
		if s := m.stuck[i].Load(); s != stuck && s != hasLeft {
			return false
		}
	}
	return atomic.LoadUint32(m.word) == word
}

// Leave tells that the worker has no more blocks.
func (a *Attendance) Leave() {
	if a.Meeting != nil {
		a.Meeting.stuck[a.Worker].Store(hasLeft)
	}
}

// Absent returns the fault of a grid that waits for ever, of whose blocks some have exited.
func (m *Meeting) Absent(exited int) *Fault {
	return &Fault{Kind: Deadlock, Detail: fmt.Sprintf("the block waits at the barrier of the grid for all %d blocks, %d have exited", m.launch.Grid.Count(), exited)}
}

// LoopCode returns the code of the innermost loop around an instruction, Code[start:end], nothing outside of
// loops.
func LoopCode(fn *ir.Func, pc int) (start, end int) {
	first, last, ok := loop(fn, pc)
	if !ok {
		return pc, pc
	}
	return fn.Blocks[first].Start, fn.Blocks[last].End
}
