package main

// #include <stdint.h>
import "C"

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"silica/driver"
)

// oldLaunch is what a program sets before it launches a function as it was done before cuLaunchKernel.
type oldLaunch struct {
	mu     sync.Mutex
	block  driver.Dim3
	shared uint64
	params []byte
}

// cuOld are functions of the first versions of the driver API: launches in steps, and contexts with a count of users.
var cuOld = works{
	"cuFuncSetBlockShape": setOld(0, func(o *oldLaunch, _ *kernel, a args) error {
		o.block = driver.Dim3{X: a.int(1), Y: a.int(2), Z: a.int(3)}
		if o.block.X <= 0 || o.block.Y <= 0 || o.block.Z <= 0 {
			return driver.Fail(driver.InvalidValue, "a block of %d by %d by %d threads", o.block.X, o.block.Y, o.block.Z)
		}
		return nil
	}),
	"cuFuncSetSharedSize": setOld(0, func(o *oldLaunch, _ *kernel, a args) error { o.shared = uint64(a.uint(1)); return nil }),
	"cuParamSetSize": setOld(0, func(o *oldLaunch, k *kernel, a args) error {
		if int(a.uint(1)) > k.Kernel.ParamBytes {
			return driver.Fail(driver.InvalidValue, "%d bytes of parameters; the kernel takes %d", a.uint(1), k.Kernel.ParamBytes)
		}
		return nil
	}),
	"cuParamSeti": setOld(0, setParamWord),
	"cuParamSetf": setOld(0, setParamWord),
	"cuParamSetv": setOld(0, func(o *oldLaunch, k *kernel, a args) error {
		if a.size(2) < lowestAddress {
			return errNull
		}
		return o.set(k, a.int(1), unsafe.Slice((*byte)(a.pointer(2)), a.uint(3)))
	}),
	"cuLaunch":          func(c *context, a args) error { return launchOld(c, a, 1, 1, 0) },
	"cuLaunchGrid":      func(c *context, a args) error { return launchOld(c, a, a.int(1), a.int(2), 0) },
	"cuLaunchGridAsync": func(c *context, a args) error { return launchOld(c, a, a.int(1), a.int(2), a.size(3)) },
	"cuCtxAttach": func(c *context, a args) error {
		if a.uint(1) != 0 {
			return driver.Fail(driver.InvalidValue, "flags %#x", a.uint(1))
		}
		if err := out(a, 0, c.handle); err != nil {
			return err
		}
		c.users.Add(1)
		return nil
	},
	"cuCtxDetach": func(c *context, a args) error {
		switch {
		case a.size(0) != c.handle:
			return errHandle
		case c.users.Add(-1) >= 0:
			return nil
		}
		return destroyContext(c.library, a)
	},
}

// setOld makes a function that sets a part of the old launch of argument i, a function's handle.
func setOld(i int, set func(o *oldLaunch, k *kernel, a args) error) work {
	return ofHandle(i, func(k *kernel, a args) error {
		k.old.mu.Lock()
		defer k.old.mu.Unlock()
		return set(&k.old, k, a)
	})
}

// set puts bytes at an offset of the parameters.
func (o *oldLaunch) set(k *kernel, offset int, value []byte) error {
	if offset < 0 || offset+len(value) > k.Kernel.ParamBytes {
		return driver.Fail(driver.InvalidValue, "%d bytes at %d of the parameters; the kernel takes %d", len(value), offset, k.Kernel.ParamBytes)
	}
	if o.params == nil {
		o.params = make([]byte, k.Kernel.ParamBytes)
	}
	copy(o.params[offset:], value)
	return nil
}

// setParamWord sets an integer, or the bits of a float.
func setParamWord(o *oldLaunch, k *kernel, a args) error {
	return o.set(k, a.int(1), binary.LittleEndian.AppendUint32(nil, a.uint(2)))
}

// launchOld launches the function of argument 0 with what was set for it.
func launchOld(c *context, a args, x, y int, stream uint64) error {
	k, err := get[*kernel](c, a.size(0))
	if err != nil {
		return err
	}
	k.old.mu.Lock()
	defer k.old.mu.Unlock()
	values := make([]byte, k.Kernel.ParamBytes)
	copy(values, k.old.params)
	return c.launch(k.Function, launch{grid: driver.Dim3{X: x, Y: y, Z: 1}, block: k.old.block, shared: k.old.shared, stream: stream, values: values})
}
