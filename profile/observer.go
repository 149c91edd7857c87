package profile

import "silica/internal/exec"

// observer adds up the accesses that one worker makes. It allocates nothing while a kernel runs.
type observer struct {
	sites   [][]site
	traffic []Traffic
	scratch scratch
	// read and written are the sectors of global memory touched.
	read, written sectorSet
}

func (o *observer) BlockStart(int) {}
func (o *observer) BlockEnd(int)   {}

// Access adds one warp's access.
func (o *observer) Access(x *exec.Access) {
	s := &o.sites[x.Func][x.PC]
	slot := s.slot
	if slot < 0 {
		return
	}
	space := spaceIndex(x.Space)
	if s.generic {
		slot += space
	}
	t := &o.traffic[slot]
	a := access{addr: x.Addr, mask: x.Mask, size: uint64(x.Bytes)}
	kind, base := a.shape()
	lanes := a.lanes()
	t.Requests++
	t.Threads += lanes
	t.Bytes += lanes * a.size
	switch kind {
	case uniform:
		t.Uniform++
	case contiguous:
		t.Contiguous++
	default:
		t.vote(a.stride(), 1)
	}
	switch spaces[space] {
	case Global:
		o.global(t, s, a, kind, base)
	case Local:
		sectors := o.scratch.localSectors(a, kind)
		t.Sectors += sectors
		t.Ideal += a.ideal(sectorBytes, sectors)
		t.Parts += max(a.size/wordBytes, 1)
		t.Unique += o.scratch.unique(a, kind)
	case Shared, DShared:
		use := o.scratch.banks(a, s.shared, kind)
		t.Wavefronts += use.wavefronts
		t.IdealWavefronts += use.ideal
		t.PipeWavefronts += use.pipe
		t.Conflicts += use.conflicts
		if s.atomic {
			serial, _ := o.scratch.atomic(a, kind, extent{})
			t.Serial += serial
		}
	case Const, Parameter:
		t.Words += o.scratch.words(a, kind)
	}
}

func (o *observer) global(t *Traffic, s *site, a access, kind shape, base uint64) {
	touched := &o.read
	if s.writes {
		touched = &o.written
	}
	e := o.scratch.extent(a, kind, base, touched)
	t.Sectors += e.sectors
	t.Ideal += a.ideal(sectorBytes, e.sectors)
	t.Lines += e.lines
	t.Unique += e.unique
	if s.atomic {
		serial, sectors := o.scratch.atomic(a, kind, e)
		t.Serial += serial
		t.ReplaySectors += sectors - e.sectors
	}
}
