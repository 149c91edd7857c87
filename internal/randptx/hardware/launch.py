"""Launches kernels of random programs on the first GPU, through the driver API.

Argument: the file with the input. Each line read is "CUBIN BLOCKS THREADS BYTES OUTPUT"; the kernel k of the
cubin is launched, and its output of that many bytes written to the file. Each line written is the driver's
result code of the launch: 0, or else the process ends, as no launch works after a fault.
"""
import ctypes
import sys

INPUT_BYTES = 4096
STACK_BYTES = 16384  # of a thread: programs call themselves
STACK_SIZE_LIMIT = 0

cuda = ctypes.CDLL("libcuda.so.1")


class Failed(Exception):
    pass


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        raise Failed(code)


def allocate(size):
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
    return address


def main():
    contents = open(sys.argv[1], "rb").read()
    context, device = ctypes.c_void_p(), ctypes.c_int()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuCtxSetLimit", STACK_SIZE_LIMIT, ctypes.c_size_t(STACK_BYTES))
    input, output = allocate(INPUT_BYTES), allocate(1 << 20)
    call("cuMemcpyHtoD_v2", input, contents[:INPUT_BYTES], ctypes.c_size_t(INPUT_BYTES))
    block = ctypes.create_string_buffer(contents[INPUT_BYTES:])
    parameters = (ctypes.c_void_p * 3)(*(ctypes.addressof(p) for p in (input, output, block)))
    for line in sys.stdin:
        cubin, blocks, threads, size, file = line.split()
        size = int(size)
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuMemsetD8_v2", output, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        call("cuModuleLoadData", ctypes.byref(module), open(cubin, "rb").read())
        call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
        call("cuLaunchKernel", function, int(blocks), 1, 1, int(threads), 1, 1, 0, None, parameters, None)
        call("cuCtxSynchronize")
        result = ctypes.create_string_buffer(size)
        call("cuMemcpyDtoH_v2", result, output, ctypes.c_size_t(size))
        call("cuModuleUnload", module)
        with open(file, "wb") as f:
            f.write(result.raw)
        print(0, flush=True)


try:
    main()
except Failed as failure:
    print(failure, flush=True)
