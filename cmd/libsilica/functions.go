package main

import (
	"errors"
	"maps"

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
	name string
	call function
	// code turns an error into what the C function returns.
	code func(error) driver.Code
}

// rows are the functions of functionNames.
var rows = joinRows()

func joinRows() []row {
	all := map[string]row{}
	for _, f := range []functions{registration, devices, peers, addresses} {
		for name, call := range f {
			all[name] = row{name, call, runtimeCode}
		}
	}
	for _, w := range []works{contexts, memory, copies, symbols, pools, streams, events, graphs, graphExecs, launches, attributes, occupancy, arrays, textures} {
		for name, f := range w {
			all[name] = row{name, inContext(f), runtimeCode}
		}
	}
	maps.Copy(all, driverRows())
	list := make([]row, len(functionNames))
	for i, name := range functionNames {
		var ok bool
		if list[i], ok = all[name]; !ok {
			list[i] = row{name, notSupported(name), runtimeCode}
		}
	}
	return list
}

// notSupported makes the answer of a function that the library does not have. It is reported, since what follows is seldom
// what the program expects.
func notSupported(name string) function {
	return func(*library, args) error {
		report(name + " is not supported")
		return errNotSupported
	}
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
func inContext(f work) function {
	return func(l *library, a args) error {
		c, err := l.runtimeContext(a)
		if err != nil {
			return err
		}
		return c.do(f, a)
	}
}

// do works in the context, unless a fault has ended it. What kernels have printed by then, and by its end, appears.
func (c *context) do(f work, a args) error {
	c.library.output.flush()
	defer c.library.output.flush()
	if err := c.device.Status(); err != nil {
		return err
	}
	return f(c, a)
}
