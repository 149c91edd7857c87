package sass

import (
	"slices"
	"sort"
)

// rematerialRounds is how often values are looked for that may be made anew.
const rematerialRounds = 4

// rematerialise makes cheap values anew in the blocks that read them, those that are alive over blocks where more than so many registers are
// taken, until no block takes more or none is left. It tells whether it found any.
func (fn *Func) rematerialise(most int, level []int) bool {
	found := false
	for range rematerialRounds {
		r := rematerialiser{pressure: fn.live(Register), most: most, level: level}
		if !r.tight() || !r.round() {
			break
		}
		found = true
	}
	return found
}

// rematerialiser is one round: what is taken where, and what may be made anew.
type rematerialiser struct {
	*pressure
	most  int
	level []int
	over  []int // by block, how many registers too many are live at a time
	// relief is how many registers tight blocks would be rid of, by web.
	relief []int
	defs   map[int]*Inst
	count  map[int]int // instructions that write a web
	users  [][]int     // the blocks that read each web
	home   []int       // the block that writes it
}

// tight finds the blocks where too many registers are live.
func (r *rematerialiser) tight() bool {
	any := false
	r.over = make([]int, len(r.fn.Blocks))
	for i, b := range r.fn.Blocks {
		live := slices.Clone(r.out[i])
		for j := len(b.Code) - 1; j >= 0; j-- {
			r.back(live, b.Code[j])
			taken := 0
			live.each(func(w int) { taken += r.words[w] })
			r.over[i] = max(r.over[i], taken-r.most)
		}
		any = any || r.over[i] > 0
	}
	return any
}

// remaking is a web that may be made anew, and what that is worth.
type remaking struct {
	web   int
	worth float64
}

// round makes values anew whose sources are alive anyway where they are read.
func (r *rematerialiser) round() bool {
	r.survey()
	var list []remaking
	for w := range r.webs {
		if worth := r.worth(w); worth > 0 {
			list = append(list, remaking{w, worth})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].worth > list[j].worth })
	taken := newSet(len(r.webs)) // what was moved, and what that reads
	done := false
	for _, c := range list {
		if taken.has(c.web) || !r.relieves(c.web) {
			continue
		}
		in := r.defs[c.web]
		reads := r.named[in].reads
		if slices.ContainsFunc(reads, taken.has) {
			continue
		}
		taken.add(c.web)
		for _, s := range reads {
			taken.add(s)
		}
		for i := range r.fn.Blocks {
			if r.over[i] > 0 && r.through(c.web, i) {
				r.over[i] -= r.words[c.web]
			}
		}
		r.again(c.web)
		done = true
	}
	return done
}

// survey finds what writes and reads each web.
func (r *rematerialiser) survey() {
	r.defs, r.count = map[int]*Inst{}, map[int]int{}
	r.users, r.home = make([][]int, len(r.webs)), make([]int, len(r.webs))
	for i, b := range r.fn.Blocks {
		for _, in := range b.Code {
			for _, w := range r.named[in].writes {
				r.defs[w], r.home[w] = in, i
				r.count[w]++
			}
			for _, w := range r.named[in].reads {
				if n := len(r.users[w]); n == 0 || r.users[w][n-1] != i {
					r.users[w] = append(r.users[w], i)
				}
			}
		}
	}
	r.relief = make([]int, len(r.webs))
	for i := range r.fn.Blocks {
		if r.over[i] > 0 {
			r.out[i].each(func(w int) {
				if r.through(w, i) {
					r.relief[w] += r.words[w]
				}
			})
		}
	}
}

// relieves tells whether a web is alive all through a block that is still tight.
func (r *rematerialiser) relieves(w int) bool {
	for i := range r.fn.Blocks {
		if r.over[i] > 0 && r.through(w, i) {
			return true
		}
	}
	return false
}

// through tells whether a web is alive all through a block that does not name it, or where it can be loaded again without a register.
func (r *rematerialiser) through(w, block int) bool {
	if !r.in[block].has(w) || !r.out[block].has(w) {
		return false
	}
	if in := r.defs[w]; in != nil && r.count[w] == 1 && in.Op.Name == "LDC" && len(r.named[in].reads) == 0 {
		return true
	}
	_, named := slices.BinarySearch(r.users[w], block)
	return !named
}

// worth is what making a web anew is worth: the registers that tight blocks are rid of, for how often it is made; 0 when it can not be.
func (r *rematerialiser) worth(w int) float64 {
	in := r.defs[w]
	if r.relief[w] == 0 || in == nil || r.count[w] != 1 || !cheap(in) || len(in.Dst) != 1 {
		return 0
	}
	var cost float64
	for _, b := range r.users[w] {
		if b == r.home[w] {
			continue
		}
		for _, s := range r.named[in].reads {
			if r.count[s] != 1 || !r.in[b].has(s) {
				return 0
			}
		}
		cost += weight(r.level[b])
	}
	if cost == 0 {
		return 0
	}
	return float64(r.relief[w]) / cost
}

// cheap tells whether an instruction is one that is executed again rather than its result kept.
func cheap(in *Inst) bool {
	if in.Guard.Kind != NoOperand {
		return false
	}
	switch in.Op.Name {
	case "MOV", "S2R", "IADD3", "LEA", "LOP3", "SHF", "IMAD", "VIADD":
		for _, o := range in.Src {
			if o.Kind == Predicate && o.Reg >= 0 {
				return false
			}
		}
		return true
	case "LDC":
		return len(in.Src) > 0 && in.Src[0].Kind == ConstantBank
	}
	return false
}

// again makes a web anew in every other block that reads it.
func (r *rematerialiser) again(w int) {
	for _, i := range r.users[w] {
		if i == r.home[w] {
			continue
		}
		b := r.fn.Blocks[i]
		register := r.fn.newRegister(r.words[w])
		at := -1
		for j, in := range b.Code {
			if !slices.Contains(r.named[in].reads, w) {
				continue
			}
			if at < 0 {
				at = j
			}
			for k := range in.Src {
				if o := &in.Src[k]; (o.Kind == Register || o.Kind == Address) && o.Reg >= 0 && r.fn.webs.find(o.Reg) == r.webs[w] {
					o.Reg = register
				}
			}
		}
		clone := *r.defs[w]
		clone.Src = slices.Clone(clone.Src)
		clone.Dst = slices.Clone(clone.Dst)
		clone.Dst[0].Reg = register
		b.Code = slices.Insert(b.Code, at, &clone)
	}
}
