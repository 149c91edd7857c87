package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"errors"
	"unsafe"

	"silica/driver"
)

var launches = works{
	"cudaLaunchKernel": func(c *context, a args) error {
		return launchSymbol(c, a.size(0), launch{grid: dim3(a, 1), block: dim3(a, 2), arguments: a.size(3), shared: a.size(4), stream: a.stream(5)})
	},
	"cudaLaunchCooperativeKernel": func(c *context, a args) error {
		return launchSymbol(c, a.size(0), launch{grid: dim3(a, 1), block: dim3(a, 2), arguments: a.size(3), shared: a.size(4), stream: a.stream(5), cooperative: true})
	},
	"cudaLaunchKernelExC": launchEx,
}

// launch is a launch as C describes it.
type launch struct {
	grid, block, cluster driver.Dim3
	shared               uint64
	stream               uint64
	cooperative          bool
	arguments            uint64   // address of an array of addresses, one for each parameter
	buffer               uint64   // or address of the extra options of cuLaunchKernel
	values               []byte   // or the parameters themselves
	after                []uint64 // events to record after the launch
	advice               advice
}

// dim3 reads a dim3 that is passed by value.
func dim3(a args, i int) driver.Dim3 {
	return dim3At((*C.struct_dim3)(a.pointer(i)))
}

func dim3At(d *C.struct_dim3) driver.Dim3 { return driver.Dim3{X: int(d.x), Y: int(d.y), Z: int(d.z)} }

func launchEx(c *context, a args) error {
	l, err := configuration(a, 0)
	if err != nil {
		return err
	}
	l.arguments = a.size(2)
	return launchSymbol(c, a.size(1), l)
}

// configuration reads the cudaLaunchConfig_t of argument i. Attributes that only advise a GPU have no effect.
func configuration(a args, i int) (launch, error) {
	config, err := in[C.cudaLaunchConfig_t](a, i)
	if err != nil {
		return launch{}, err
	}
	l := launch{
		grid: dim3At(&config.gridDim), block: dim3At(&config.blockDim), shared: uint64(config.dynamicSmemBytes),
		stream: a.streamOf(*(*uint64)(unsafe.Pointer(&config.stream))),
	}
	return l, l.setAll(config.attrs, config.numAttrs)
}

// setAll takes over n launch attributes.
func (l *launch) setAll(attributes *C.cudaLaunchAttribute, n C.uint) error {
	if attributes == nil {
		return nil
	}
	list := unsafe.Slice(attributes, n)
	for i := range list {
		if err := l.set(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// set takes over a launch attribute.
func (l *launch) set(attribute *C.cudaLaunchAttribute) error {
	value := unsafe.Pointer(&attribute.val)
	switch attribute.id {
	case C.cudaLaunchAttributeClusterDimension:
		l.cluster = dim3At((*C.struct_dim3)(value))
	case C.cudaLaunchAttributeCooperative:
		l.cooperative = *(*C.int)(value) != 0
	case C.cudaLaunchAttributeProgrammaticEvent, C.cudaLaunchAttributeLaunchCompletionEvent:
		l.after = append(l.after, *(*uint64)(value))
	case C.cudaLaunchAttributeIgnore, C.cudaLaunchAttributeAccessPolicyWindow, C.cudaLaunchAttributeSynchronizationPolicy,
		C.cudaLaunchAttributeClusterSchedulingPolicyPreference, C.cudaLaunchAttributeProgrammaticStreamSerialization,
		C.cudaLaunchAttributePriority, C.cudaLaunchAttributeMemSyncDomainMap, C.cudaLaunchAttributeMemSyncDomain,
		C.cudaLaunchAttributePreferredClusterDimension, C.cudaLaunchAttributePreferredSharedMemoryCarveout:
		if l.advice == nil {
			l.advice = advice{}
		}
		l.advice[attribute.id] = attribute.val
	default:
		return driver.Fail(driver.NotSupported, "there is no launch attribute %d", attribute.id)
	}
	return nil
}

// launchSymbol launches the kernel that a function of the host stands for.
func launchSymbol(c *context, host uint64, l launch) error {
	f, err := c.function(host)
	if err != nil {
		return err
	}
	err = c.launch(f, l)
	var e *driver.Error
	if errors.As(err, &e) && e.Code == driver.InvalidValue && !c.allows(l) {
		return driver.Fail(driver.InvalidConfiguration, "%s", e.Msg)
	}
	return err
}

// allows tells whether the extents of a launch are within the GPU's limits.
func (c *context) allows(l launch) bool {
	limits := driver.Limits(c.device.GPU, 0)
	within := func(d, most driver.Dim3) bool {
		return d.X > 0 && d.Y > 0 && d.Z > 0 && d.X <= most.X && d.Y <= most.Y && d.Z <= most.Z
	}
	return within(l.grid, limits.Grid) && within(l.block, limits.Block) && l.block.Count() <= limits.ThreadsPerBlock
}

// params returns the parameter buffer of a launch.
func (l *launch) params(f *driver.Function) ([]byte, error) {
	if l.values != nil {
		return l.values, nil
	}
	b := make([]byte, f.Kernel.ParamBytes)
	if l.buffer != 0 {
		return b, l.copyBuffer(b)
	}
	if len(f.Kernel.Params) > 0 && l.arguments < lowestAddress {
		return nil, errNull
	}
	for i, p := range f.Kernel.Params {
		argument := *(*uint64)(pointer(l.arguments + uint64(i)*8))
		if argument < lowestAddress {
			return nil, errNull
		}
		copy(b[p.Offset:][:p.Size], unsafe.Slice((*byte)(pointer(argument)), p.Size))
	}
	return b, nil
}

// copyBuffer copies the parameter buffer that the options of cuLaunchKernel give: (key, value) pairs. A GPU takes a short one.
func (l *launch) copyBuffer(b []byte) error {
	const end, bufferPointer, bufferSize = 0, 1, 2
	if l.arguments != 0 {
		return driver.Fail(driver.InvalidValue, "arguments are given twice")
	}
	var from, size uint64
	for at := l.buffer; ; at += 16 {
		pair := (*[2]uint64)(pointer(at))
		switch pair[0] {
		case end:
			if from == 0 && size > 0 {
				return errNull
			}
			if size > uint64(len(b)) {
				return driver.Fail(driver.LaunchOutOfResources, "%d bytes of parameters; the kernel takes %d", size, len(b))
			}
			copy(b, unsafe.Slice((*byte)(pointer(from)), size))
			return nil
		case bufferPointer:
			from = pair[1]
		case bufferSize:
			size = *(*uint64)(pointer(pair[1]))
		default:
			return driver.Fail(driver.InvalidValue, "there is no launch option %d", pair[0])
		}
	}
}

// operation returns the launch of a kernel.
func (l *launch) operation(f *driver.Function) (driver.Operation, error) {
	params, err := l.params(f)
	if err != nil {
		return nil, err
	}
	o := driver.KernelLaunch{Function: f, Launch: driver.Launch{
		Grid: l.grid, Block: l.block, Cluster: l.cluster, Shared: int(min(l.shared, maxShared)), Cooperative: l.cooperative, Params: params,
	}}
	if l.advice != nil {
		o.Advice = l.advice
	}
	return o, nil
}

// launch puts a kernel into its stream. Why the GPU refuses a launch is reported here, whether or not the program looks at
// errors. As on a GPU, a fault is the answer of the calls that follow, unless the program asks to wait for every launch.
func (c *context) launch(f *driver.Function, l launch) error {
	s, err := c.stream(l.stream)
	if err != nil {
		return err
	}
	o, err := l.operation(f)
	if err != nil {
		return err
	}
	settings, err := c.library.settings()
	if err != nil {
		return err
	}
	if err := s.Submit(o, settings.blocking); err != nil {
		if !errors.Is(err, driver.ErrUnloaded) { // a thread may launch while the process ends
			refuse(err)
		}
		return err
	}
	for _, handle := range l.after {
		e, err := get[*driver.Event](c, handle)
		if err != nil {
			return err
		}
		if err := e.Record(s); err != nil {
			return err
		}
	}
	return nil
}

// maxShared is more shared memory than any GPU has: too much in any case.
const maxShared = 1 << 30
