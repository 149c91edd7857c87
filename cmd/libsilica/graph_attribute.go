package main

// #include <cuda_runtime_api.h>
import "C"

import (
	"maps"
	"slices"
	"unsafe"

	"silica/driver"
)

// advice is what a program says of a launch that has no effect here, by attribute.
type advice map[C.cudaLaunchAttributeID]C.cudaLaunchAttributeValue

// attributeSizes are the bytes of a value that streams and kernel nodes tell, and no more: as an H200 answers.
var attributeSizes = map[C.cudaLaunchAttributeID]int{
	C.cudaLaunchAttributeAccessPolicyWindow: 32, C.cudaLaunchAttributeCooperative: 4, C.cudaLaunchAttributeSynchronizationPolicy: 4,
	C.cudaLaunchAttributeClusterDimension: 12, C.cudaLaunchAttributeClusterSchedulingPolicyPreference: 4, C.cudaLaunchAttributePriority: 4,
	C.cudaLaunchAttributeMemSyncDomainMap: 2, C.cudaLaunchAttributeMemSyncDomain: 4, C.cudaLaunchAttributePreferredSharedMemoryCarveout: 4,
}

// kernelAttributes are the attributes of kernel nodes.
var kernelAttributes = []C.cudaLaunchAttributeID{
	C.cudaLaunchAttributeAccessPolicyWindow, C.cudaLaunchAttributeCooperative, C.cudaLaunchAttributeClusterDimension,
	C.cudaLaunchAttributeClusterSchedulingPolicyPreference, C.cudaLaunchAttributePriority, C.cudaLaunchAttributeMemSyncDomainMap,
	C.cudaLaunchAttributeMemSyncDomain, C.cudaLaunchAttributePreferredSharedMemoryCarveout,
}

// defaultAttribute is what an H200 answers of an attribute that was not set.
func defaultAttribute(id C.cudaLaunchAttributeID) (value C.cudaLaunchAttributeValue) {
	p := unsafe.Pointer(&value)
	switch id {
	case C.cudaLaunchAttributeSynchronizationPolicy:
		*(*int32)(p) = -1
	case C.cudaLaunchAttributeMemSyncDomainMap:
		*(*[2]byte)(p) = [2]byte{0, 1}
	}
	return value
}

// copyAttribute writes a value without the bytes that the attribute does not have.
func copyAttribute(id C.cudaLaunchAttributeID, p *C.cudaLaunchAttributeValue, value C.cudaLaunchAttributeValue) {
	n := attributeSizes[id]
	copy(unsafe.Slice((*byte)(unsafe.Pointer(p)), n), unsafe.Slice((*byte)(unsafe.Pointer(&value)), n))
}

// attributeOfNode checks a kernel node, the attribute and the pointer to its value: arguments 1 and 2.
func attributeOfNode(n *driver.Node, a args) (o driver.KernelLaunch, id C.cudaLaunchAttributeID, p *C.cudaLaunchAttributeValue, err error) {
	if o, err = kernelOf(n); err != nil {
		return o, id, nil, err
	}
	if id = C.cudaLaunchAttributeID(a.uint(1)); !slices.Contains(kernelAttributes, id) {
		return o, id, nil, driver.Fail(driver.InvalidValue, "kernel nodes have no attribute %d", id)
	}
	p, err = in[C.cudaLaunchAttributeValue](a, 2)
	return o, id, p, err
}

func getKernelAttribute(_ *context, n *driver.Node, a args) error {
	o, id, p, err := attributeOfNode(n, a)
	if err != nil {
		return err
	}
	given, _ := o.Advice.(advice)
	answer, ok := given[id]
	if !ok {
		answer = defaultAttribute(id)
	}
	value := unsafe.Pointer(&answer)
	switch id {
	case C.cudaLaunchAttributeCooperative:
		*(*C.int)(value) = 0
		if o.Launch.Cooperative {
			*(*C.int)(value) = 1
		}
	case C.cudaLaunchAttributeClusterDimension:
		d := o.Launch.Cluster
		*(*C.struct_dim3)(value) = C.struct_dim3{C.uint(d.X), C.uint(d.Y), C.uint(d.Z)}
	}
	copyAttribute(id, p, answer)
	return nil
}

func setKernelAttribute(_ *context, n *driver.Node, a args) error {
	o, id, p, err := attributeOfNode(n, a)
	if err != nil {
		return err
	}
	l := launch{cluster: o.Launch.Cluster, cooperative: o.Launch.Cooperative}
	given, _ := o.Advice.(advice)
	l.advice = maps.Clone(given)
	if err := l.set(&C.cudaLaunchAttribute{id: id, val: *p}); err != nil {
		return err
	}
	o.Launch.Cluster, o.Launch.Cooperative, o.Advice = l.cluster, l.cooperative, l.advice
	return n.Set(o)
}

func copyKernelAttributes(c *context, n *driver.Node, a args) error {
	from, err := get[*driver.Node](c, a.size(1))
	if err != nil {
		return errNode
	}
	o, err := kernelOf(from)
	if err != nil {
		return err
	}
	to, err := kernelOf(n)
	if err != nil {
		return err
	}
	return n.Set(withAttributes(o, to))
}

// withAttributes returns an operation with the attributes of another, if both launch kernels.
func withAttributes(from, to driver.Operation) driver.Operation {
	o, ok := from.(driver.KernelLaunch)
	k, both := to.(driver.KernelLaunch)
	if !ok || !both {
		return to
	}
	k.Launch.Cluster, k.Launch.Cooperative, k.Advice = o.Launch.Cluster, o.Launch.Cooperative, o.Advice
	return k
}
