package main

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"sync/atomic"

	"silica/driver"
)

// A function is what one C function does.
type function func(l *library, a args) error

// Work is what a C function does in the thread's current context.
type work func(c *context, a args) error

// Functions and works hold functions by their name in C.
type (
	functions map[string]function
	works     map[string]work
)

// row is a function of the headers.
type row struct {
	name   string
	absent bool // the library does not have it
	call   function
	// code turns an error into what the C function returns.
	code func(error) driver.Code
	// warned is set when an error of the function was said; nil for a function whose errors programs look at.
	warned *atomic.Bool
}

// seldomChecked are the functions of which programs seldom look at the answer: asynchronous copies, fills and frees.
var seldomChecked = regexp.MustCompile(`^cu.*(Memcpy|Memset|Free).*Async`)

// declaration is a function as a header declares it.
type declaration struct{ name, parameters string }

// isDeclared tells whether a header declares the function.
func isDeclared(name string) bool {
	return slices.ContainsFunc(declared[:], func(d declaration) bool { return d.name == name })
}

// parametersOf returns the parameters of a declared function.
func parametersOf(name string) string {
	i := slices.IndexFunc(declared[:], func(d declaration) bool { return d.name == name })
	if i < 0 {
		return ""
	}
	return declared[i].parameters
}

// The functions of the runtime API that need no context, and those that do.
var (
	runtimeFunctions = []functions{registration, devices, peers, addresses, runtimeLogs}
	runtimeWorks     = []works{
		contexts, peerContexts, ipc, managed, graphMemory, graphMemoryOfDevices, memory, copies, batches, symbols, pools,
		streams, events, graphs, graphExecs, graphEdges, graphNodes, launches, attributes, runtimeLibraries,
		occupancy, arrays, textures,
	}
)

// rows are the functions of declared and absent.
var rows = joinRows()

func joinRows() []row {
	all := map[string]row{}
	for _, f := range runtimeFunctions {
		for name, call := range f {
			all[name] = row{name: name, call: call, code: runtimeCode}
		}
	}
	for _, w := range runtimeWorks {
		for name, f := range w {
			all[name] = row{name: name, call: inContext(name, f), code: runtimeCode}
		}
	}
	maps.Copy(all, driverRows())
	var list []row
	for _, d := range declared {
		r, ok := all[d.name]
		if !ok {
			r = absentRow(d.name)
		}
		if ok && seldomChecked.MatchString(d.name) {
			r.warned = new(atomic.Bool)
		}
		list = append(list, r)
	}
	for _, name := range absent {
		list = append(list, absentRow(name))
	}
	return list
}

// absentRow makes the row of a function that the library does not have. A call is reported, since what follows is seldom what the
// program expects.
func absentRow(name string) row {
	return row{name: name, absent: true, code: runtimeCode, call: func(*library, args) error {
		warn("silica: " + name + " is not supported")
		return errNotSupported
	}}
}

var errNotSupported = driver.Fail(driver.NotSupported, "not supported")

// runtimeCode is what a function of the runtime API returns.
func runtimeCode(err error) driver.Code {
	if err == nil {
		return driver.Success
	}
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return driver.Unknown
}

// driverCode is what a function of the driver API returns.
func driverCode(err error) driver.Code { return runtimeCode(err).Driver() }

// inContext makes a function of the runtime API: where the thread has no current context, it gets the primary one.
func inContext(name string, f work) function {
	owner := ownerArgument(parametersOf(name))
	return func(l *library, a args) error {
		c, err := l.runtimeContext(a)
		if err != nil {
			return err
		}
		if owner >= 0 {
			if c, err = l.ownerOf(c, a.size(owner)); err != nil {
				return err
			}
		}
		return c.do(f, a)
	}
}

// do works in the context, unless a fault has ended it. What kernels have printed by then, and by its end, appears.
func (c *context) do(f work, a args) error {
	c.library.output.flush()
	defer c.library.output.flush()
	if err := c.status(); err != nil {
		return err
	}
	return f(c, a)
}
