package randptx

import (
	"fmt"
	"strings"
)

// Program is a kernel named k with its launch. Its parameters are the address of the input (InputBytes), the address of the
// output (OutputBytes) and a block of blobBytes bytes.
type Program struct {
	Seed        uint64
	Grid, Block int // in x
	Cluster     int // blocks of a cluster in x
	Source      string
}

// header is the first line of a program's text.
const header = "// random program %d: %d blocks of %d threads, clusters of %d"

// Text returns the program as a PTX file that Parse reads.
func (p *Program) Text() string {
	return fmt.Sprintf(header, p.Seed, p.Grid, p.Block, p.Cluster) + "\n" + p.Source
}

// Parse reads what Text wrote.
func Parse(text string) (*Program, error) {
	first, source, _ := strings.Cut(text, "\n")
	p := &Program{Source: source}
	if _, err := fmt.Sscanf(first, header, &p.Seed, &p.Grid, &p.Block, &p.Cluster); err != nil {
		return nil, fmt.Errorf("line 1 is not %q", header)
	}
	if p.Grid < 1 || p.Block < 1 || p.Block > mostThreads || p.Grid > mostBlocks || p.Cluster < 1 || p.Grid%p.Cluster != 0 {
		return nil, fmt.Errorf("%d blocks of %d threads in clusters of %d are not a launch of a random program", p.Grid, p.Block, p.Cluster)
	}
	return p, nil
}

// The memory of a program. The output starts with words that all threads add to, then each thread has a part of its own: its registers
// at the end, its slot of shared memory at the end, memory to work in, and memory whose contents do not count. Each
// warp has a part at the end.
const (
	InputBytes = 4096
	blobBytes  = 64

	commonBytes   = 256
	registerBytes = 320
	slotBytes     = 64 // of shared memory, for each thread
	scratchBytes  = 128
	voidBytes     = 128
	scratchAt     = registerBytes + slotBytes
	voidAt        = scratchAt + scratchBytes
	threadBytes   = voidAt + voidBytes

	warpBytes  = 2048 // of the output, for matrices of a warp
	localBytes = 64
	tableBytes = 256 // of the constant table and the global one

	mostThreads, mostBlocks = 256, 4
)

// OutputBytes returns the size of the output.
func (p *Program) OutputBytes() int {
	return commonBytes + p.Grid*p.Block*threadBytes + p.Grid*((p.Block+31)/32)*warpBytes
}

// forget clears what of an output does not count.
func (p *Program) forget(output []byte) {
	for i := range p.Grid * p.Block {
		clear(output[commonBytes+i*threadBytes:][voidAt:threadBytes])
	}
}
