"""Memory of the GPU for Triton kernels, without PyTorch: to Triton, a pointer is any object with data_ptr() and dtype."""

import ctypes

import numpy as np
import triton

cuda = ctypes.CDLL("libcuda.so.1")


class CudaError(RuntimeError):
    """A call of the driver that failed, with the code that it answered."""


def check(code):
    if code:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(code, ctypes.byref(name))
        raise CudaError(name.value.decode())


class Array:
    """A NumPy array's copy in the GPU's memory."""

    def __init__(self, host):
        host = np.ascontiguousarray(host)
        self.shape, self.dtype, self.nbytes = host.shape, host.dtype, host.nbytes
        triton.runtime.driver.active.get_current_device()  # makes the primary context current
        self.pointer = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(self.pointer), ctypes.c_size_t(self.nbytes)))
        check(cuda.cuMemcpyHtoD_v2(self.pointer, ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(self.nbytes)))

    def data_ptr(self):
        return self.pointer.value

    def stride(self):
        """The strides in elements, as PyTorch counts them."""
        return [int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape))]

    def numpy(self):
        host = np.empty(self.shape, self.dtype)
        check(cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(host.ctypes.data), self.pointer, ctypes.c_size_t(self.nbytes)))
        return host

    def __del__(self):
        cuda.cuMemFree_v2(self.pointer)


def zeros(shape, dtype):
    return Array(np.zeros(shape, dtype))


def synchronize():
    check(cuda.cuCtxSynchronize())


def allocate(size, alignment, stream):
    """What triton.set_allocator wants, for kernels that make tensor descriptors themselves. Memory is aligned to 256 bytes."""
    return zeros(size, np.int8)
