"""What the tests of the bindings share: results to exceptions, and kernels."""

import ctypes

import numpy as np
import pytest
from cuda.bindings import driver, nvrtc


class CUDAError(RuntimeError):
    """A call of the driver API that did not succeed; code is its CUresult."""

    def __init__(self, code):
        super().__init__(str(code))
        self.code = code


def check(result):
    """Returns what a call of the bindings gave beside its code: nothing, a value, or a tuple."""
    code, *values = result
    if code != type(code)(0):
        raise CUDAError(code)
    return values[0] if len(values) == 1 else tuple(values)


def fails(code):
    """Expects the driver API to answer with that code, as in fails("INVALID_VALUE")."""
    wanted = getattr(driver.CUresult, "CUDA_ERROR_" + code)

    class Expectation:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, trace):
            assert isinstance(error, CUDAError), f"{wanted} was expected"
            assert error.code == wanted
            return True

    return Expectation()


def compile_ptx(source, *options, names=(), arch="compute_90"):
    """Compiles CUDA C++ with NVRTC to PTX; with names, also returns the lowered names of those expressions."""
    program = check(nvrtc.nvrtcCreateProgram(source.encode(), b"test.cu", 0, [], []))
    for name in names:
        check(nvrtc.nvrtcAddNameExpression(program, name.encode()))
    all_options = [b"--gpu-architecture=" + arch.encode(), *(o.encode() for o in options)]
    result = nvrtc.nvrtcCompileProgram(program, len(all_options), all_options)
    log = b" " * check(nvrtc.nvrtcGetProgramLogSize(program))
    check(nvrtc.nvrtcGetProgramLog(program, log))
    assert result[0] == nvrtc.nvrtcResult.NVRTC_SUCCESS, log.decode()
    ptx = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, ptx))
    lowered = {name: check(nvrtc.nvrtcGetLoweredName(program, name.encode())) for name in names}
    check(nvrtc.nvrtcDestroyProgram(program))
    return (ptx, lowered) if names else ptx


KERNELS = r"""
__constant__ int scale = 3;
__device__ int counter;

extern "C" __global__ void saxpy(float a, const float *x, float *y, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void fill(int *out, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value * scale;
}

extern "C" __global__ void count() { atomicAdd(&counter, 1); }

extern "C" __global__ void reverse(int *data)
{
    extern __shared__ int row[];
    row[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void spin(volatile int *flag) { while (!*flag) __nanosleep(1000); }

extern "C" __global__ void fault(int *p) { *p = 1; }
"""


class Module:
    """The kernels above, loaded in the current context."""

    def __init__(self, ptx):
        self.handle = check(driver.cuModuleLoadData(np.char.array(ptx)))

    def __getitem__(self, name):
        return check(driver.cuModuleGetFunction(self.handle, name.encode()))


def launch(function, grid, block, values, types, shared=0, stream=0):
    """Launches with the parameters as the bindings take them: values, and their C types."""
    check(driver.cuLaunchKernel(function, *grid, *block, shared, stream, (tuple(values), tuple(types)), 0))


def to_device(array):
    pointer = check(driver.cuMemAlloc(array.nbytes))
    check(driver.cuMemcpyHtoD(pointer, array.ctypes.data, array.nbytes))
    return pointer


def to_host(pointer, shape, dtype):
    array = np.empty(shape, dtype)
    check(driver.cuMemcpyDtoH(array.ctypes.data, pointer, array.nbytes))
    return array


@pytest.fixture(scope="session")
def ptx():
    return compile_ptx(KERNELS)


@pytest.fixture
def context():
    """A context of its own for each test, current in its thread."""
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    major = check(driver.cuDriverGetVersion()) and driver.CUDA_VERSION // 1000
    context = check(driver.cuCtxCreate(None, 0, device) if major >= 13 else driver.cuCtxCreate(0, device))
    yield context
    check(driver.cuCtxDestroy(context))


@pytest.fixture
def kernels(context, ptx):
    return Module(ptx)


INT, FLOAT, SIZE, POINTER = ctypes.c_int, ctypes.c_float, ctypes.c_size_t, None
