package ir

import (
	"container/heap"
	"slices"
)

// space hands out rows in aligned groups of 1, 2 and 4: a buddy allocator that takes the lowest free
// group of the right size, and grows at the end.
type space struct {
	size int // rows handed out so far
	end  int // rows split into groups so far, a multiple of 4
	// free holds the first rows of the free groups of 1<<i rows, some of which are stale: isFree knows.
	free   [3]intHeap
	isFree [3]map[int]bool
	// waiting holds the registers in a hole of their range, by first row.
	waiting map[int][]int
}

// take returns the first of n rows, n being 1, 2 or 4, aligned to n.
func (s *space) take(n int) int {
	at := s.pop(n / 2) // 1, 2, 4 -> 0, 1, 2
	s.size = max(s.size, at+n)
	return at
}

// takeWhere is take with a condition on the place. After a number of tries it takes new rows at the end.
func (s *space) takeWhere(n int, fits func(at int) bool) int {
	var refused []int
	size := s.size
	at := s.take(n)
	for !fits(at) {
		refused = append(refused, at)
		if len(refused) == tries {
			at = s.grow(n / 2)
			break
		}
		at = s.take(n)
	}
	for _, r := range refused {
		s.release(r, n)
	}
	s.size = max(size, at+n)
	return at
}

// pop removes the lowest free group of an order, splitting a larger one when there is none.
func (s *space) pop(order int) int {
	for len(s.free[order]) > 0 {
		at := heap.Pop(&s.free[order]).(int)
		if s.isFree[order][at] {
			delete(s.isFree[order], at)
			return at
		}
	}
	if order == 2 {
		s.end += 4
		return s.end - 4
	}
	at := s.pop(order + 1)
	s.push(order, at+1<<order)
	return at
}

// grow returns a group of rows that nobody has had yet.
func (s *space) grow(order int) int {
	at := s.end
	s.end += 4
	for o := 1; o >= order; o-- {
		s.push(o, at+1<<o)
	}
	return at
}

// hasFree tells whether n rows at a place are free.
func (s *space) hasFree(at, n int) bool {
	for o := n / 2; o < 3; o++ {
		if s.isFree[o][at&^(1<<o-1)] {
			return true
		}
	}
	return false
}

// reserve takes n rows at a place, which are free.
func (s *space) reserve(at, n int) {
	order := n / 2
	for o := order; o < 3; o++ {
		group := at &^ (1<<o - 1)
		if !s.isFree[o][group] {
			continue
		}
		delete(s.isFree[o], group)
		for o > order { // give back the half that is not wanted
			o--
			half := at &^ (1<<o - 1)
			s.push(o, half^1<<o)
		}
		return
	}
}

// release gives n rows back and joins them with their buddy as far as it is free.
func (s *space) release(at, n int) {
	order := n / 2
	for order < 2 {
		buddy := at ^ 1<<order
		if !s.isFree[order][buddy] {
			break
		}
		delete(s.isFree[order], buddy)
		at = min(at, buddy)
		order++
	}
	s.push(order, at)
}

func (s *space) push(order, at int) {
	if s.isFree[order] == nil {
		s.isFree[order] = map[int]bool{}
	}
	s.isFree[order][at] = true
	heap.Push(&s.free[order], at)
}

// remember notes a register that will want its row back; forget ends that.
func (s *space) remember(at, register int) {
	if s.waiting == nil {
		s.waiting = map[int][]int{}
	}
	s.waiting[at] = append(s.waiting[at], register)
}

func (s *space) forget(at, register int) {
	i := slices.Index(s.waiting[at], register)
	s.waiting[at] = slices.Delete(s.waiting[at], i, i+1)
}
