package sass

import "container/heap"

// compaction places the instructions of a piece from its end. Of those that nothing is in front of any more, the one that leaves the fewest registers live
// is next, of equal ones the last in the program.
type compaction struct {
	*scheduler
	before   [][]*node // of each node, by place
	behind   []int     // successors of each that are not placed; -1 when it is placed itself
	live     map[int]bool
	readers  map[int][]*node
	writers  map[int][]*node
	unplaced map[int]int // writers of each web: it ends with the first
	ready    candidates
}

func newCompaction(s *scheduler) *compaction {
	c := &compaction{scheduler: s, before: make([][]*node, len(s.nodes)), behind: make([]int, len(s.nodes)), live: map[int]bool{},
		readers: map[int][]*node{}, writers: map[int][]*node{}, unplaced: map[int]int{}}
	for _, n := range s.nodes {
		for _, e := range n.next {
			c.before[e.to.place] = append(c.before[e.to.place], n)
			c.behind[n.place]++
		}
		for _, u := range n.reads {
			c.readers[u.web] = append(c.readers[u.web], n)
		}
		for _, u := range n.writes {
			c.writers[u.web] = append(c.writers[u.web], n)
			c.unplaced[u.web]++
		}
	}
	s.after.each(func(r int) { c.live[r] = true })
	for _, in := range s.code[s.last:] {
		for _, r := range s.named[in].reads {
			c.live[r] = true
		}
	}
	for _, n := range s.nodes {
		if c.behind[n.place] == 0 {
			c.offer(n)
		}
	}
	return c
}

// candidate is an instruction that could be next, and by how many registers it changes what is live.
type candidate struct {
	node *node
	cost int
}

// candidates is a heap. A node is offered again when it costs less; where it costs more it is found when its turn comes.
type candidates []candidate

func (c candidates) Len() int { return len(c) }

func (c candidates) Less(i, j int) bool {
	if c[i].cost != c[j].cost {
		return c[i].cost < c[j].cost
	}
	return c[i].node.place > c[j].node.place
}

func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }

func (c *candidates) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}

func (c *compaction) offer(n *node) { heap.Push(&c.ready, candidate{n, c.cost(n)}) }

// cost is by how many registers an instruction changes what is live before it.
func (c *compaction) cost(n *node) int {
	cost := 0
	for _, u := range n.writes {
		if c.ends(u.web) {
			cost -= c.words[u.web]
		}
	}
	for _, u := range n.reads {
		if !c.live[u.web] {
			cost += c.words[u.web]
		}
	}
	return cost
}

// ends tells whether a web is live and the instruction that is placed next could be the one that begins it.
func (c *compaction) ends(web int) bool {
	return c.live[web] && c.unplaced[web] == 1 && !c.scheduler.before.has(web)
}

// next takes the best instruction.
func (c *compaction) next() *node {
	for {
		x := heap.Pop(&c.ready).(candidate)
		if c.behind[x.node.place] < 0 {
			continue
		}
		if cost := c.cost(x.node); cost > x.cost {
			heap.Push(&c.ready, candidate{x.node, cost})
			continue
		}
		return x.node
	}
}

// place puts an instruction before those that are placed.
func (c *compaction) place(n *node) {
	c.behind[n.place] = -1
	again := func(list []*node) {
		for _, m := range list {
			if c.behind[m.place] == 0 {
				c.offer(m)
			}
		}
	}
	for _, u := range n.writes {
		c.unplaced[u.web]--
		if c.unplaced[u.web] == 0 && !c.scheduler.before.has(u.web) {
			delete(c.live, u.web)
		}
		if c.unplaced[u.web] == 1 {
			again(c.writers[u.web])
		}
	}
	for _, u := range n.reads {
		if !c.live[u.web] {
			c.live[u.web] = true
			again(c.readers[u.web])
			again(c.writers[u.web])
		}
	}
	for _, b := range c.before[n.place] {
		if c.behind[b.place]--; c.behind[b.place] == 0 {
			c.offer(b)
		}
	}
}
