package sass

import (
	"math"

	"silica/internal/exec"
)

// Executed adds up the machine instructions that warps execute in a launch with the given counts, by name with modifiers.
func (p *Program) Executed(stats *exec.Stats) map[string]float64 {
	out := map[string]float64{}
	for f, fn := range p.Funcs {
		for _, b := range fn.Blocks {
			runs := p.Runs(f, b, stats)
			for _, in := range b.Code {
				out[in.Name()] += runs
			}
		}
	}
	return out
}

// Instructions is how many machine instructions warps execute in a launch with the given counts.
func (p *Program) Instructions(stats *exec.Stats) (n float64) {
	for f, fn := range p.Funcs {
		for _, b := range fn.Blocks {
			n += p.Runs(f, b, stats) * float64(len(b.Code))
		}
	}
	return n
}

// Runs is how often warps run a block of function f.
func (p *Program) Runs(f int, b *Block, stats *exec.Stats) float64 {
	of := func(block int) float64 {
		return float64(stats.Funcs[f][p.Kernel.Funcs[f].Blocks[block].Start].Warps)
	}
	runs := of(b.Source)
	if len(b.Entries) == 0 {
		return runs
	}
	var entries float64
	for _, e := range b.Entries {
		entries += of(e)
	}
	entries = min(entries, runs)
	if b.Part == 0 || entries == 0 {
		return entries
	}
	each := runs / entries
	main := math.Floor(each / unrollFactor)
	pair := math.Floor((each - main*unrollFactor) / (unrollFactor / 2))
	rest := each - main*unrollFactor - pair*unrollFactor/2
	if b.Apart && each != math.Floor(each) { // some lane runs each of them
		pair, rest = min(1, each/(unrollFactor/2)), min(1, each)
	}
	switch b.Part {
	case unrollFactor:
		return entries * main
	case 1:
		return entries * rest
	}
	return entries * pair
}
