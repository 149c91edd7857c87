package simd

import (
	"silica/internal/exec"
	"silica/internal/isa"
	"silica/internal/mma"
)

// workspace is what a worker uses for instructions and need not allocate. A worker that has ended leaves it to one of another launch.
type workspace struct {
	laneIO    isa.Lane
	warpIO    isa.Warp
	matrixIO  exec.Matrix
	warpgroup warpgroup
	textureIO exec.Texture
	reached   exec.Reached
	addresses [gangWarps][warpLanes]uint64
	spans     [gangWarps]exec.Span
	scratch   *mma.Scratch // nil until a program needs it
	// suspension is where native code leaves off to ask Go.
	suspension *suspension
	journal    []uint64    // of accesses that native code makes; nil before any are observed
	runs       []maskedRun // of notes, by their numbers
}

func newWorkspace() *workspace { return &workspace{suspension: newSuspension()} }

// leave forgets the launch.
func (x *workspace) leave() {
	x.suspension.suspended = 0
	x.matrixIO.Memory, x.matrixIO.Report, x.matrixIO.ReportUnits = nil, nil, nil
	x.warpgroup.product.Memory, x.warpgroup.product.Report = nil, nil
	x.textureIO.Memory, x.textureIO.Launch = nil, nil
}
