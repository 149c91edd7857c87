package main

import (
	"errors"

	"silica/driver"
)

// A function is the work of one C function.
type function func(l *library, a args) error

// A table holds functions by their name in C.
type table map[string]function

// row is a function of the headers.
type row struct {
	name string
	call function
	// code turns an error into what the C function returns.
	code func(error) driver.Code
}

// functions are those of functionNames.
var functions = rows(
	join(registration, devices, peers, memory, copies, symbols, pools, streams, events, launches, attributes, occupancy),
)

// rows gives each function of the headers its row.
func rows(runtime table) []row {
	all := make([]row, len(functionNames))
	for i, name := range functionNames {
		all[i] = row{name, notSupported, runtimeCode}
		if f, ok := runtime[name]; ok {
			all[i].call = f
		}
	}
	return all
}

// notSupported is the work of functions that the library does not have.
func notSupported(*library, args) error { return errNotSupported }

var errNotSupported = driver.Fail(driver.NotSupported, "not supported")

// join joins tables.
func join(tables ...table) table {
	all := table{}
	for _, t := range tables {
		for name, f := range t {
			all[name] = f
		}
	}
	return all
}

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

// onContext makes a function of one that works in the thread's current context. It is not called when the context can
// not be had or has ended with a fault. What kernels printed before appears first.
func onContext(f func(c *context, a args) error) function {
	return func(l *library, a args) error {
		c, err := l.context(a)
		if err != nil {
			return err
		}
		l.output.flush()
		if err := c.device.Status(); err != nil {
			return err
		}
		return f(c, a)
	}
}
