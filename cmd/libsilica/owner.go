package main

import (
	"strings"

	"silica/driver"
)

// A call that names a stream works in that stream's context, and one that names an event, module or function in that one's, whichever
// context is current: a thread without one may use them. As an H200 answers, a launch, a record and an elapsed time take only what is in
// one context.

// handleTypes are the types of parameters that decide, the first that a function has.
var handleTypes = [][]string{
	{"CUstream", "cudaStream_t"}, {"CUevent", "cudaEvent_t"}, {"CUmodule"}, {"CUfunction"}, {"CUgraphExec", "cudaGraphExec_t"}, {"CUgraph"}, {"CUgraphNode"},
}

// ownerArgument returns which argument of a function decides in which context it works, -1 when none does.
func ownerArgument(parameters string) int {
	list := strings.Split(parameters, ", ")
	for _, types := range handleTypes {
		for i, p := range list {
			for _, t := range types {
				if strings.HasPrefix(p, t+" ") && !strings.ContainsAny(p, "*") {
					return i
				}
			}
		}
	}
	return -1
}

// ownerOf returns the context to which a handle belongs, when it is not the current one c, which may be nil. A handle of a destroyed
// context is an error; one that is not known belongs to c.
func (l *library) ownerOf(c *context, handle uint64) (*context, error) {
	if handle <= streamPerThread || c != nil && c.has(handle) {
		return c, nil
	}
	l.mu.Lock()
	ended := l.ended[handle]
	l.mu.Unlock()
	if ended {
		return nil, errDestroyed
	}
	owner := c
	l.eachContext(func(other *context) {
		if other.has(handle) {
			owner = other
		}
	})
	return owner, nil
}

func (c *context) has(handle uint64) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.handles[handle]
	return ok
}

// end remembers the streams and events of a context that ends.
func (l *library) end(c *context) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	for handle, v := range c.handles {
		switch v.(type) {
		case *driver.Stream, *driver.Event:
			l.ended[handle] = true
		}
	}
}
