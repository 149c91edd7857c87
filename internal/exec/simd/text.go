package simd

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// text is the native code of a program. It is unmapped when the program is no longer in use.
type text struct {
	mu     sync.Mutex
	pieces *pieces
	// ready counts the pieces. Workers come to code, and to the notes that it names, by machine code: whoever reads this sees what was written before,
	// by Go's rules too.
	ready atomic.Int64
}

type pieces struct{ mapped [][]byte }

// mostPieces bounds the mappings of a program.
const mostPieces = 1024

// add makes code executable and returns its address.
func (t *text) add(code []byte) (uintptr, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pieces == nil {
		t.pieces = &pieces{}
		runtime.AddCleanup(t, func(p *pieces) {
			for _, m := range p.mapped {
				unmapText(m)
			}
		}, t.pieces)
	}
	if len(t.pieces.mapped) >= mostPieces {
		return 0, errNoText
	}
	m, err := mapText(code)
	if err != nil {
		return 0, err
	}
	t.pieces.mapped = append(t.pieces.mapped, m)
	t.ready.Add(1)
	return addressOf(m), nil
}
