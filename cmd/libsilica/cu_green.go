package main

// #include <cuda.h>
import "C"

import (
	"math"

	"silica/driver"
)

// Green contexts are views of a GPU's primary context whose streams have a part of its multiprocessors: their kernels see as many, and
// cooperative launches fill them. What is allocated and loaded in one is the primary context's.

// cuGreen are the functions of green contexts and of what they are made of.
var cuGreen = functions{
	"cuDeviceGetDevResource":      onDevice(0, deviceResource),
	"cuDevSmResourceSplitByCount": splitResource,
	"cuDevResourceGenerateDesc":   describeResources,
	"cuGreenCtxCreate":            onDevice(2, createGreen),
	"cuGreenCtxDestroy":           destroyGreen,
	"cuGreenCtxGetDevResource":    ofGreen(0, func(g *greenContext, a args) error { return writeResource(a, g.multiprocessors) }),
	"cuGreenCtxGetId":             ofGreen(0, func(g *greenContext, a args) error { return out(a, 1, g.id) }),
	"cuGreenCtxStreamCreate":      ofGreen(1, createGreenStream),
	"cuGreenCtxRecordEvent":       ofGreen(0, recordGreenEvent),
	"cuGreenCtxWaitEvent":         ofGreen(0, waitGreenEvent),
	"cuCtxFromGreenCtx":           ofGreen(1, func(g *greenContext, a args) error { return out(a, 0, g.context) }),
	"cuCtxGetDevResource":         contextResource,
}

// greenContext is a green context.
type greenContext struct {
	handle, context uint64 // as a green context, and as a context
	id              uint64
	multiprocessors int
	primary         *context
	streams         []*driver.Stream
}

// resource is a CUdevResource of multiprocessors: how many, the fewest of a part, and what parts are a multiple of.
type resource struct {
	kind                         int32
	_                            [92]byte
	multiprocessors, least, unit uint32
	_                            [36]byte
}

// A resource is of multiprocessors; 0 is no resource.
const multiprocessorResource = 1

// What parts are a multiple of: for the clusters of Hopper and later, and where the program does not need them.
const (
	partOfClusters = 8
	smallestPart   = 2
)

var errResource = driver.Fail(driver.InvalidResourceType, "a resource that is not of multiprocessors")

// writeResource answers multiprocessors in argument 1; argument 2 is the type that is asked for.
func writeResource(a args, multiprocessors int) error {
	if a.int(2) != multiprocessorResource {
		return errResource
	}
	return out(a, 1, newResource(multiprocessors))
}

func newResource(multiprocessors int) resource {
	if multiprocessors == 0 {
		return resource{}
	}
	return resource{kind: multiprocessorResource, multiprocessors: uint32(multiprocessors), least: partOfClusters, unit: partOfClusters}
}

func deviceResource(l *library, a args) error {
	s, err := l.settings()
	if err != nil {
		return errNoDevice
	}
	return writeResource(a, s.gpus[a.int(0)].Chip.SMs)
}

// contextResource answers what a context, green or not, has.
func contextResource(l *library, a args) error {
	l.mu.Lock()
	c, err := l.live(a.size(0))
	g := l.green[a.size(0)]
	l.mu.Unlock()
	switch {
	case err != nil:
		return errNoContext
	case g != nil:
		return writeResource(a, g.multiprocessors)
	}
	return writeResource(a, c.device.GPU.Chip.SMs)
}

// splitResource makes parts of some multiprocessors at least, as many as argument 1 asks for and fit, and answers how many these are.
// Without room for parts it answers how many fit.
func splitResource(_ *library, a args) error {
	const ignoreClusters, most = 1, 3
	n, err := in[uint32](a, 1)
	if err != nil {
		return err
	}
	from, err := in[resource](a, 2)
	if err != nil {
		return err
	}
	flags, least := a.uint(4), a.uint(5)
	switch {
	case from.kind != multiprocessorResource:
		return errResource
	case flags > most:
		return driver.Fail(driver.InvalidValue, "there are no flags 0x%x", flags)
	case least > from.multiprocessors:
		return driver.Fail(driver.InvalidResourceConfiguration, "parts of %d multiprocessors of %d", least, from.multiprocessors)
	}
	unit := uint32(partOfClusters)
	if flags&ignoreClusters != 0 {
		unit = smallestPart
	}
	size := min((max(least, 1)+unit-1)/unit*unit, from.multiprocessors)
	fit := from.multiprocessors / size
	if a.size(0) == 0 {
		*n = fit
		return nil
	}
	*n = min(*n, fit)
	parts, err := list[resource](a, 0, uint64(*n))
	if err != nil {
		return err
	}
	rest := from.multiprocessors - *n*size
	for i := range parts {
		parts[i] = newResource(int(size))
	}
	if a.size(3) != 0 {
		return out(a, 3, newResource(int(rest)))
	}
	return nil
}

// describeResources answers a handle for resources, of which a green context can be made.
func describeResources(l *library, a args) error {
	all, err := list[resource](a, 1, uint64(a.uint(2)))
	if err != nil {
		return err
	}
	total := 0
	for _, r := range all {
		if r.kind != multiprocessorResource {
			return errResource
		}
		total += int(min(r.multiprocessors, math.MaxInt16))
	}
	return allocate(a, 0, func() (uint64, error) {
		h := l.newHandle()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.described[h] = total
		return h, nil
	})
}

// createGreen makes a green context. Its flag, for a default stream, has to be given.
func createGreen(l *library, a args) error {
	const defaultStream = 1
	if a.uint(3) != defaultStream {
		return driver.Fail(driver.InvalidValue, "a green context with the flags 0x%x", a.uint(3))
	}
	return allocate(a, 0, func() (uint64, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		multiprocessors, ok := l.described[a.size(1)]
		if !ok {
			return 0, driver.Fail(driver.InvalidValue, "0x%x does not describe resources", a.size(1))
		}
		c, err := l.primaryContext(a.int(2))
		if err != nil {
			return 0, err
		}
		if multiprocessors > c.device.GPU.Chip.SMs {
			return 0, driver.Fail(driver.InvalidResourceConfiguration, "%d multiprocessors of %d", multiprocessors, c.device.GPU.Chip.SMs)
		}
		g := &greenContext{handle: l.newHandle(), context: l.newHandle(), id: l.contexts.Add(1), multiprocessors: multiprocessors, primary: c}
		l.green[g.handle], l.green[g.context] = g, g
		return g.handle, nil
	})
}

// ofGreen makes a function of one whose argument i is a green context.
func ofGreen(i int, f func(g *greenContext, a args) error) function {
	return func(l *library, a args) error {
		l.mu.Lock()
		g := l.green[a.size(i)]
		l.mu.Unlock()
		if g == nil || g.handle != a.size(i) {
			return driver.Fail(driver.InvalidContext, "0x%x is not a green context", a.size(i))
		}
		return f(g, a)
	}
}

// destroyGreen ends a green context; what was allocated and loaded in it stays, as it is the primary context's.
func destroyGreen(l *library, a args) error {
	return ofGreen(0, func(g *greenContext, _ args) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.green, g.handle)
		delete(l.green, g.context)
		l.gone[g.context] = true
		return nil
	})(l, a)
}

func createGreenStream(g *greenContext, a args) error {
	if a.uint(2) != uint32(driver.NonBlocking) {
		return driver.Fail(driver.InvalidValue, "a stream of a green context waits for no legacy stream: its flags are 1, not 0x%x", a.uint(2))
	}
	return allocate(a, 0, func() (uint64, error) {
		c := g.primary
		s := c.device.NewStream(driver.NonBlocking, a.int(3))
		s.Multiprocessors = g.multiprocessors
		l := c.library
		l.mu.Lock()
		g.streams = append(g.streams, s)
		l.mu.Unlock()
		return c.add(s), nil
	})
}

// greenOf returns the green context of a stream, nil when there is none.
func (l *library) greenOf(s *driver.Stream) *greenContext {
	if s.Multiprocessors == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.green {
		for _, of := range g.streams {
			if of == s {
				return g
			}
		}
	}
	return nil
}

func recordGreenEvent(g *greenContext, a args) error {
	e, err := get[*driver.Event](g.primary, a.size(1))
	if err != nil {
		return err
	}
	return e.RecordAll(g.primary.device, g.streams...)
}

func waitGreenEvent(g *greenContext, a args) error {
	owner, err := g.primary.library.ownerOf(g.primary, a.size(1))
	if err != nil {
		return err
	}
	e, err := get[*driver.Event](owner, a.size(1))
	if err != nil {
		return err
	}
	return e.HoldAll(g.primary.device, g.streams...)
}
