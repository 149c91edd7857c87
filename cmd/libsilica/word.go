package main

// #include <stdlib.h>
// #include <cuda.h>
import "C"

import (
	"unsafe"

	"silica/driver"
)

// cuWords are the functions by which streams write words of memory and wait for them.
var cuWords = works{
	"cuStreamWriteValue32_v2": ofStream(oneWord(4, write)),
	"cuStreamWriteValue64_v2": ofStream(oneWord(8, write)),
	"cuStreamWaitValue32_v2":  ofStream(oneWord(4, wait)),
	"cuStreamWaitValue64_v2":  ofStream(oneWord(8, wait)),
	"cuStreamBatchMemOp_v2":   ofStream(batchOfWords),
}

// mostWords is how many operations a batch may have: as an H200 answers.
const mostWords = 255

// oneWord makes a function whose arguments are a stream, an address, a value and flags.
func oneWord(bytes int, operation func(bytes int, address, value uint64, flags uint32) (driver.WordOperation, error)) func(s *driver.Stream, a args) error {
	return func(s *driver.Stream, a args) error {
		value := a.size(2)
		if bytes == 4 {
			value = uint64(a.uint(2))
		}
		w, err := operation(bytes, a.size(1), value, a.uint(3))
		if err != nil {
			return err
		}
		return s.Submit(driver.WordOperations{w}, false)
	}
}

func write(bytes int, address, value uint64, flags uint32) (driver.WordOperation, error) {
	if flags != 0 { // an H200 has no writes without a barrier
		return driver.WordOperation{}, driver.Fail(driver.InvalidValue, "a write with the flags 0x%x", flags)
	}
	return driver.WordOperation{Kind: driver.WriteWord, Address: address, Bytes: bytes, Value: value}, nil
}

// wait has conditions numbered as its flags. A flush of what other devices wrote is not supported, as an H200 answers.
func wait(bytes int, address, value uint64, flags uint32) (driver.WordOperation, error) {
	if flags&C.CU_STREAM_WAIT_VALUE_FLUSH != 0 {
		return driver.WordOperation{}, driver.Fail(driver.NotSupported, "a wait that flushes remote writes")
	}
	if flags > C.CU_STREAM_WAIT_VALUE_NOR {
		return driver.WordOperation{}, driver.Fail(driver.InvalidValue, "a wait with the flags 0x%x", flags)
	}
	return driver.WordOperation{Kind: driver.WaitGreaterOrEqual + driver.WordKind(flags), Address: address, Bytes: bytes, Value: value}, nil
}

func batchOfWords(s *driver.Stream, a args) error {
	if a.uint(3) != 0 {
		return driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", a.uint(3))
	}
	o, err := wordOperations(a.size(2), a.uint(1))
	if err != nil {
		return err
	}
	return s.Submit(o, false)
}

// wordOperations reads n operations. A barrier has no effect: all writes are seen in order.
func wordOperations(list uint64, n uint32) (driver.WordOperations, error) {
	if n > mostWords || n > 0 && list < lowestAddress {
		return nil, driver.Fail(driver.InvalidValue, "a batch of %d operations at 0x%x; there are up to %d", n, list, mostWords)
	}
	all := driver.WordOperations{}
	for _, p := range unsafe.Slice((*C.CUstreamBatchMemOpParams)(pointer(list)), n) {
		u := (*C.struct_CUstreamMemOpWaitValueParams_st)(unsafe.Pointer(&p))
		value := *(*uint64)(unsafe.Pointer(&u.anon0))
		bytes, operation := 4, write
		switch u.operation {
		case C.CU_STREAM_MEM_OP_WRITE_VALUE_32:
		case C.CU_STREAM_MEM_OP_WRITE_VALUE_64:
			bytes = 8
		case C.CU_STREAM_MEM_OP_WAIT_VALUE_32:
			operation = wait
		case C.CU_STREAM_MEM_OP_WAIT_VALUE_64:
			bytes, operation = 8, wait
		case C.CU_STREAM_MEM_OP_BARRIER:
			if flags := (*C.struct_CUstreamMemOpMemoryBarrierParams_st)(unsafe.Pointer(&p)).flags; flags > C.CU_STREAM_MEMORY_BARRIER_TYPE_GPU {
				return nil, driver.Fail(driver.InvalidValue, "a barrier with the flags 0x%x", flags)
			}
			continue
		case C.CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
			return nil, driver.Fail(driver.NotSupported, "a flush of remote writes")
		default:
			return nil, driver.Fail(driver.InvalidValue, "there is no operation %d on words", u.operation)
		}
		if bytes == 4 {
			value = uint64(uint32(value))
		}
		w, err := operation(bytes, uint64(u.address), value, uint32(u.flags))
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

func wordOperationsAt(_ *context, p *C.CUDA_BATCH_MEM_OP_NODE_PARAMS) (driver.Operation, error) {
	if p.flags != 0 {
		return nil, driver.Fail(driver.InvalidValue, "flags are 0, not 0x%x", p.flags)
	}
	o, err := wordOperations(uint64(uintptr(unsafe.Pointer(p.paramArray))), uint32(p.count))
	return o, err
}

// getWordOperations answers a list in memory that is the node's.
func getWordOperations(c *context, n *driver.Node, a args) error {
	o, ok := n.Operation().(driver.WordOperations)
	if !ok {
		return errOtherNode
	}
	p, err := in[C.CUDA_BATCH_MEM_OP_NODE_PARAMS](a, 1)
	if err != nil {
		return err
	}
	c.mu.Lock()
	C.free(c.graph.params[n])
	list := C.calloc(C.size_t(len(o)), C.sizeof_CUstreamBatchMemOpParams)
	c.graph.params[n] = list
	c.mu.Unlock()
	for i, w := range o {
		u := (*C.struct_CUstreamMemOpWaitValueParams_st)(unsafe.Add(list, i*C.sizeof_CUstreamBatchMemOpParams))
		u.operation = C.CU_STREAM_MEM_OP_WAIT_VALUE_32
		if w.Kind == driver.WriteWord {
			u.operation = C.CU_STREAM_MEM_OP_WRITE_VALUE_32
		} else {
			u.flags = C.uint(w.Kind - driver.WaitGreaterOrEqual)
		}
		if w.Bytes == 8 {
			u.operation += C.CU_STREAM_MEM_OP_WAIT_VALUE_64 - C.CU_STREAM_MEM_OP_WAIT_VALUE_32
		}
		u.address = C.CUdeviceptr(w.Address)
		*(*uint64)(unsafe.Pointer(&u.anon0)) = w.Value
	}
	*p = C.CUDA_BATCH_MEM_OP_NODE_PARAMS{count: C.uint(len(o))}
	*(*unsafe.Pointer)(unsafe.Pointer(&p.paramArray)) = list
	*(*uint64)(unsafe.Pointer(&p.ctx)) = c.handle
	return nil
}
