"""The bindings of the driver API, from initialisation to graphs."""

import ctypes
import threading

import numpy as np
import pytest
from cuda.bindings import driver
from support import (FLOAT, INT, POINTER, SIZE, Module, check, context, fails, kernels, launch, ptx, to_device, to_host)  # noqa: F401

N = 1000


def test_init_takes_no_flags():
    check(driver.cuInit(0))
    with fails("INVALID_VALUE"):
        check(driver.cuInit(1))


def test_driver_version_serves_the_bindings():
    assert check(driver.cuDriverGetVersion()) >= 12000


@pytest.mark.parametrize("code", list(driver.CUresult), ids=lambda code: code.name)
def test_error_names_and_texts(code):
    """Every code the bindings know has its own name and a text."""
    result, name = driver.cuGetErrorName(code)
    if result == driver.CUresult.CUDA_ERROR_INVALID_VALUE:
        pytest.skip("of a later version than the driver")
    assert name.decode() == code.name
    assert check(driver.cuGetErrorString(code))


class TestDevice:
    def test_count_and_handles(self):
        check(driver.cuInit(0))
        count = check(driver.cuDeviceGetCount())
        assert count >= 1
        assert [int(check(driver.cuDeviceGet(i))) for i in range(count)] == list(range(count))
        with fails("INVALID_DEVICE"):
            check(driver.cuDeviceGet(count))

    def test_identity(self):
        device = check(driver.cuDeviceGet(0))
        assert b"NVIDIA" in check(driver.cuDeviceGetName(64, device))
        assert len(check(driver.cuDeviceGetUuid(device)).bytes) == 16
        bus = check(driver.cuDeviceGetPCIBusId(20, device)).split(b"\0")[0]
        assert int(check(driver.cuDeviceGetByPCIBusId(bus))) == int(device)
        assert check(driver.cuDeviceTotalMem(device)) > 1 << 30

    @pytest.mark.parametrize("name, low, high", [
        ("MAX_THREADS_PER_BLOCK", 1024, 1024), ("WARP_SIZE", 32, 32), ("MULTIPROCESSOR_COUNT", 1, 1000),
        ("COMPUTE_CAPABILITY_MAJOR", 5, 20), ("MAX_GRID_DIM_X", 2**31 - 1, 2**31 - 1), ("UNIFIED_ADDRESSING", 1, 1),
        ("MEMORY_POOLS_SUPPORTED", 1, 1), ("MANAGED_MEMORY", 1, 1), ("COOPERATIVE_LAUNCH", 1, 1),
        ("VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", 0, 1), ("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", 48 << 10, 1 << 20)])
    def test_attribute(self, name, low, high):
        device = check(driver.cuDeviceGet(0))
        attribute = getattr(driver.CUdevice_attribute, "CU_DEVICE_ATTRIBUTE_" + name)
        assert low <= check(driver.cuDeviceGetAttribute(attribute, device)) <= high


class TestContext:
    def test_stack(self, context):
        assert int(check(driver.cuCtxGetCurrent())) == int(context)
        assert int(check(driver.cuCtxPopCurrent())) == int(context)
        assert int(check(driver.cuCtxGetCurrent())) == 0
        with fails("INVALID_CONTEXT"):
            check(driver.cuMemAlloc(16))
        check(driver.cuCtxPushCurrent(context))
        check(driver.cuMemFree(check(driver.cuMemAlloc(16))))

    def test_each_thread_has_its_own_current_context(self, context):
        seen = []
        thread = threading.Thread(target=lambda: seen.append(int(check(driver.cuCtxGetCurrent()))))
        thread.start()
        thread.join()
        assert seen == [0]

    def test_primary_context_is_counted(self):
        device = check(driver.cuDeviceGet(0))
        first = check(driver.cuDevicePrimaryCtxRetain(device))
        second = check(driver.cuDevicePrimaryCtxRetain(device))
        assert int(first) == int(second)
        assert check(driver.cuDevicePrimaryCtxGetState(device))[1] == 1
        check(driver.cuDevicePrimaryCtxRelease(device))
        assert check(driver.cuDevicePrimaryCtxGetState(device))[1] == 1
        check(driver.cuDevicePrimaryCtxRelease(device))
        assert check(driver.cuDevicePrimaryCtxGetState(device))[1] == 0

    def test_limits(self, context):
        stack = driver.CUlimit.CU_LIMIT_STACK_SIZE
        check(driver.cuCtxSetLimit(stack, 4096))
        assert check(driver.cuCtxGetLimit(stack)) >= 4096

    def test_device_and_api_version(self, context):
        assert int(check(driver.cuCtxGetDevice())) == 0
        assert check(driver.cuCtxGetApiVersion(context)) > 0
        low, high = check(driver.cuCtxGetStreamPriorityRange())
        assert high <= low


class TestMemory:
    def test_copies_go_around(self, context):
        data = np.arange(N, dtype=np.int32)
        a = to_device(data)
        b = check(driver.cuMemAlloc(data.nbytes))
        check(driver.cuMemcpyDtoD(b, a, data.nbytes))
        check(driver.cuMemcpy(a, b, data.nbytes))
        assert (to_host(a, N, np.int32) == data).all()

    @pytest.mark.parametrize("width, value", [(8, 0x5A), (16, 0x1234), (32, 0xDEADBEEF)])
    def test_fills(self, context, width, value):
        pointer = check(driver.cuMemAlloc(N * width // 8))
        check(getattr(driver, f"cuMemsetD{width}")(pointer, value, N))
        assert (to_host(pointer, N, f"u{width // 8}") == value).all()

    def test_pitched_copy(self, context):
        rows, columns = 7, 33
        data = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
        pointer, pitch = check(driver.cuMemAllocPitch(columns * 4, rows, 4))
        assert pitch >= columns * 4 and pitch % 32 == 0
        back = np.zeros_like(data)
        for to_the_device in (True, False):
            copy = driver.CUDA_MEMCPY2D()
            copy.WidthInBytes, copy.Height = columns * 4, rows
            device, host = ("dst", "src") if to_the_device else ("src", "dst")
            setattr(copy, device + "MemoryType", driver.CUmemorytype.CU_MEMORYTYPE_DEVICE)
            setattr(copy, device + "Device", pointer)
            setattr(copy, device + "Pitch", pitch)
            setattr(copy, host + "MemoryType", driver.CUmemorytype.CU_MEMORYTYPE_HOST)
            setattr(copy, host + "Host", (data if to_the_device else back).ctypes.data)
            setattr(copy, host + "Pitch", columns * 4)
            check(driver.cuMemcpy2D(copy))
        assert (back == data).all()

    def test_address_range_and_attributes(self, context):
        pointer = check(driver.cuMemAlloc(4096))
        base, size = check(driver.cuMemGetAddressRange(int(pointer) + 100))
        assert int(base) == int(pointer) and size == 4096
        attribute = driver.CUpointer_attribute
        kind = check(driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer))
        assert int(kind) == int(driver.CUmemorytype.CU_MEMORYTYPE_DEVICE)
        wanted = [attribute.CU_POINTER_ATTRIBUTE_CONTEXT, attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                  attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                  attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED, attribute.CU_POINTER_ATTRIBUTE_MAPPED]
        together = check(driver.cuPointerGetAttributes(len(wanted), wanted, pointer))
        alone = [check(driver.cuPointerGetAttribute(a, pointer)) for a in wanted]
        assert [str(v) for v in together] == [str(v) for v in alone]
        assert int(alone[0]) == int(context)

    def test_host_memory(self, kernels):
        flags = driver.CU_MEMHOSTALLOC_DEVICEMAP
        host = check(driver.cuMemHostAlloc(N * 4, flags))
        assert check(driver.cuMemHostGetFlags(host)) & flags
        launch(kernels["fill"], (4, 1, 1), (256, 1, 1), (check(driver.cuMemHostGetDevicePointer(host, 0)), N, 5), (POINTER, INT, INT))
        check(driver.cuCtxSynchronize())
        assert (np.ctypeslib.as_array((ctypes.c_int * N).from_address(int(host))) == 15).all()
        check(driver.cuMemFreeHost(host))

    def test_registered_memory(self, kernels):
        memory = np.zeros(4096, np.int32)
        check(driver.cuMemHostRegister(memory.ctypes.data, memory.nbytes, 0))
        with fails("HOST_MEMORY_ALREADY_REGISTERED"):
            check(driver.cuMemHostRegister(memory.ctypes.data, memory.nbytes, 0))
        pointer = check(driver.cuMemHostGetDevicePointer(memory.ctypes.data, 0))
        launch(kernels["fill"], (16, 1, 1), (256, 1, 1), (pointer, 4096, 2), (POINTER, INT, INT))
        check(driver.cuCtxSynchronize())
        assert (memory == 6).all()
        check(driver.cuMemHostUnregister(memory.ctypes.data))

    def test_managed_memory(self, kernels):
        pointer = check(driver.cuMemAllocManaged(N * 4, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL.value))
        launch(kernels["fill"], (4, 1, 1), (256, 1, 1), (pointer, N, 1), (POINTER, INT, INT))
        check(driver.cuCtxSynchronize())
        assert (np.ctypeslib.as_array((ctypes.c_int * N).from_address(int(pointer))) == 3).all()

    def test_misuse(self, context):
        pointer = check(driver.cuMemAlloc(64))
        check(driver.cuMemFree(pointer))
        with fails("INVALID_VALUE"):
            check(driver.cuMemFree(pointer))
        with fails("INVALID_VALUE"):
            check(driver.cuMemAlloc(0))
        with fails("OUT_OF_MEMORY"):
            check(driver.cuMemAlloc(1 << 50))


class TestPools:
    @pytest.fixture
    def pool(self, context):
        properties = driver.CUmemPoolProps()
        properties.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        properties.location.id = 0
        pool = check(driver.cuMemPoolCreate(properties))
        yield pool
        check(driver.cuMemPoolDestroy(pool))

    def test_attributes(self, pool):
        attribute = driver.CUmemPool_attribute
        check(driver.cuMemPoolSetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, driver.cuuint64_t(9)))
        assert int(check(driver.cuMemPoolGetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD))) == 9
        check(driver.cuMemPoolSetAttribute(pool, attribute.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 0))
        assert check(driver.cuMemPoolGetAttribute(pool, attribute.CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC)) == 0

    def test_use_is_counted(self, pool):
        used = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT
        stream = check(driver.cuStreamCreate(0))
        pointer = check(driver.cuMemAllocFromPoolAsync(1 << 20, pool, stream))
        check(driver.cuStreamSynchronize(stream))
        assert int(check(driver.cuMemPoolGetAttribute(pool, used))) >= 1 << 20
        check(driver.cuMemFreeAsync(pointer, stream))
        check(driver.cuStreamSynchronize(stream))
        assert int(check(driver.cuMemPoolGetAttribute(pool, used))) == 0
        check(driver.cuMemPoolTrimTo(pool, 0))

    def test_default_pool(self, kernels):
        device = check(driver.cuDeviceGet(0))
        assert int(check(driver.cuDeviceGetDefaultMemPool(device))) == int(check(driver.cuDeviceGetMemPool(device)))
        pointer = check(driver.cuMemAllocAsync(N * 4, 0))
        launch(kernels["fill"], (4, 1, 1), (256, 1, 1), (pointer, N, 7), (POINTER, INT, INT))
        assert (to_host(pointer, N, np.int32) == 21).all()
        check(driver.cuMemFreeAsync(pointer, 0))


class TestModules:
    def test_launch(self, kernels):
        x, y = np.arange(N, dtype=np.float32), np.ones(N, np.float32)
        px, py = to_device(x), to_device(y)
        launch(kernels["saxpy"], (4, 1, 1), (64, 1, 1), (2.0, px, py, N), (FLOAT, POINTER, POINTER, SIZE))
        assert (to_host(py, N, np.float32) == 2 * x + y).all()

    def test_launch_with_packed_parameters(self, kernels):
        """The parameters as an array of addresses, as C passes them."""
        pointer = check(driver.cuMemAlloc(N * 4))
        values = [np.array(int(pointer), np.uint64), np.array(N, np.int32), np.array(4, np.int32)]
        addresses = np.array([v.ctypes.data for v in values], np.uint64)
        check(driver.cuLaunchKernel(kernels["fill"], 4, 1, 1, 256, 1, 1, 0, 0, addresses.ctypes.data, 0))
        assert (to_host(pointer, N, np.int32) == 12).all()

    def test_globals(self, kernels):
        address, size = check(driver.cuModuleGetGlobal(kernels.handle, b"counter"))
        assert size == 4
        check(driver.cuMemsetD32(address, 0, 1))
        launch(kernels["count"], (5, 1, 1), (33, 1, 1), (), ())
        assert to_host(address, 1, np.int32)[0] == 5 * 33
        with fails("NOT_FOUND"):
            check(driver.cuModuleGetGlobal(kernels.handle, b"absent"))

    def test_functions_are_counted_and_named(self, kernels):
        count = check(driver.cuModuleGetFunctionCount(kernels.handle))
        functions = check(driver.cuModuleEnumerateFunctions(count, kernels.handle))
        names = {check(driver.cuFuncGetName(f)) for f in functions}
        assert names == {b"saxpy", b"fill", b"count", b"reverse", b"spin", b"fault"}

    def test_unknown_function(self, kernels):
        with fails("NOT_FOUND"):
            kernels["absent"]

    def test_wrong_ptx_is_explained(self, context):
        log = b" " * 4096
        options = [driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER, driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        text = b".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .u32 %r; add.banana.u32 %r, %r, 1; ret; }\0"
        with fails("INVALID_PTX"):
            check(driver.cuModuleLoadDataEx(text, 2, options, [log, len(log)]))
        assert b"banana" in log

    def test_attributes(self, kernels):
        attribute = driver.CUfunction_attribute
        f = kernels["reverse"]
        assert check(driver.cuFuncGetAttribute(attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f)) == 1024
        assert check(driver.cuFuncGetAttribute(attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, f)) > 0
        check(driver.cuFuncSetAttribute(f, attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10))
        assert check(driver.cuFuncGetAttribute(attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f)) == 100 << 10

    def test_occupancy(self, kernels):
        f = kernels["saxpy"]
        assert check(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(f, 1024, 0)) >= 1
        grid, block = check(driver.cuOccupancyMaxPotentialBlockSize(f, None, 0, 0))
        assert grid > 0 and block % 32 == 0

    def test_too_large_a_launch(self, kernels):
        with fails("INVALID_VALUE"):
            launch(kernels["count"], (1, 1, 1), (1025, 1, 1), (), ())
        with fails("INVALID_VALUE"):
            launch(kernels["count"], (0, 1, 1), (32, 1, 1), (), ())

    def test_fault_is_sticky(self, kernels):
        launch(kernels["fault"], (1, 1, 1), (1, 1, 1), (4096,), (SIZE,))
        with fails("ILLEGAL_ADDRESS"):
            check(driver.cuCtxSynchronize())
        with fails("ILLEGAL_ADDRESS"):
            check(driver.cuMemAlloc(16))


class TestLibraries:
    def test_kernels(self, context, ptx):
        library = check(driver.cuLibraryLoadData(ptx, [], [], 0, [], [], 0))
        assert check(driver.cuLibraryGetKernelCount(library)) == 6
        kernel = check(driver.cuLibraryGetKernel(library, b"fill"))
        function = check(driver.cuKernelGetFunction(kernel))
        pointer = check(driver.cuMemAlloc(N * 4))
        launch(function, (4, 1, 1), (256, 1, 1), (pointer, N, 2), (POINTER, INT, INT))
        assert (to_host(pointer, N, np.int32) == 6).all()
        assert check(driver.cuKernelGetName(kernel)) == b"fill"
        offset, size = check(driver.cuKernelGetParamInfo(kernel, 1))
        assert (offset, size) == (8, 4)
        device = check(driver.cuCtxGetDevice())
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        assert check(driver.cuKernelGetAttribute(attribute, kernel, device)) == 1024
        address, size = check(driver.cuLibraryGetGlobal(library, b"counter"))
        assert int(address) and size == 4
        check(driver.cuLibraryUnload(library))

    def test_loads_without_a_context(self, ptx):
        """A library is of all contexts, and needs none to be loaded."""
        check(driver.cuInit(0))
        assert int(check(driver.cuCtxGetCurrent())) == 0
        library = check(driver.cuLibraryLoadData(ptx, [], [], 0, [], [], 0))
        assert check(driver.cuKernelGetName(check(driver.cuLibraryGetKernel(library, b"count")))) == b"count"
        check(driver.cuLibraryUnload(library))


class TestLinker:
    CALLER = (b".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .u32 r) twice(.param .u32 x);\n"
              b".visible .entry k(.param .u64 p) {\n.reg .u64 %a; .reg .u32 %v;\nld.param.u64 %a, [p]; ld.global.u32 %v, [%a];\n"
              b"{ .param .u32 x; .param .u32 r; st.param.u32 [x], %v; call (r), twice, (x); ld.param.u32 %v, [r]; }\n"
              b"st.global.u32 [%a], %v; ret; }\0")
    CALLEE = (b".version 8.0\n.target sm_90\n.address_size 64\n.visible .func (.param .u32 r) twice(.param .u32 x) {\n"
              b".reg .u32 %v; ld.param.u32 %v, [x]; add.u32 %v, %v, %v; st.param.u32 [r], %v; ret; }\0")

    def test_two_texts(self, context):
        state = check(driver.cuLinkCreate(0, [], []))
        for name, text in ((b"caller", self.CALLER), (b"callee", self.CALLEE)):
            check(driver.cuLinkAddData(state, driver.CUjitInputType.CU_JIT_INPUT_PTX, text, len(text), name, 0, [], []))
        image, size = check(driver.cuLinkComplete(state))
        assert size > 0
        module = check(driver.cuModuleLoadData(image))
        check(driver.cuLinkDestroy(state))
        pointer = to_device(np.array([21], np.uint32))
        launch(check(driver.cuModuleGetFunction(module, b"k")), (1, 1, 1), (1, 1, 1), (pointer,), (POINTER,))
        assert to_host(pointer, 1, np.uint32)[0] == 42

    def test_missing_function(self, context):
        state = check(driver.cuLinkCreate(0, [], []))
        check(driver.cuLinkAddData(state, driver.CUjitInputType.CU_JIT_INPUT_PTX, self.CALLER, len(self.CALLER), b"caller", 0, [], []))
        with pytest.raises(RuntimeError):
            image, _ = check(driver.cuLinkComplete(state))
            check(driver.cuModuleLoadData(image))
        check(driver.cuLinkDestroy(state))


class TestLaunchAttributes:
    CLUSTER = r"""
extern "C" __global__ void rank(int *out) {
    unsigned r, n;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    out[blockIdx.x] = n * 100 + r;
}"""

    def launch(self, function, grid, block, values, types, *attributes):
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = grid
        config.blockDimX, config.blockDimY, config.blockDimZ = block
        config.hStream = 0
        config.attrs = list(attributes)
        config.numAttrs = len(attributes)
        check(driver.cuLaunchKernelEx(config, function, (tuple(values), tuple(types)), 0))

    def attribute(self, name):
        a = driver.CUlaunchAttribute()
        a.id = getattr(driver.CUlaunchAttributeID, "CU_LAUNCH_ATTRIBUTE_" + name)
        return a

    def test_cluster(self, context):
        from support import compile_ptx
        module = Module(compile_ptx(self.CLUSTER))
        a = self.attribute("CLUSTER_DIMENSION")
        a.value.clusterDim.x, a.value.clusterDim.y, a.value.clusterDim.z = 4, 1, 1
        pointer = check(driver.cuMemAlloc(8 * 4))
        self.launch(module["rank"], (8, 1, 1), (32, 1, 1), (pointer,), (POINTER,), a)
        assert to_host(pointer, 8, np.int32).tolist() == [400, 401, 402, 403] * 2

    def test_cooperative(self, kernels):
        a = self.attribute("COOPERATIVE")
        a.value.cooperative = 1
        pointer = check(driver.cuMemAlloc(N * 4))
        self.launch(kernels["fill"], (4, 1, 1), (256, 1, 1), (pointer, N, 1), (POINTER, INT, INT), a)
        assert (to_host(pointer, N, np.int32) == 3).all()
        with fails("COOPERATIVE_LAUNCH_TOO_LARGE"):
            self.launch(kernels["fill"], (100000, 1, 1), (1024, 1, 1), (pointer, N, 1), (POINTER, INT, INT), a)

    def test_priority_and_programmatic_launch(self, kernels):
        priority, serial = self.attribute("PRIORITY"), self.attribute("PROGRAMMATIC_STREAM_SERIALIZATION")
        priority.value.priority = -1
        serial.value.programmaticStreamSerializationAllowed = 1
        pointer = check(driver.cuMemAlloc(N * 4))
        self.launch(kernels["fill"], (4, 1, 1), (256, 1, 1), (pointer, N, 1), (POINTER, INT, INT), priority, serial)
        assert (to_host(pointer, N, np.int32) == 3).all()


class TestStreams:
    def test_priorities_and_flags(self, context):
        low, high = check(driver.cuCtxGetStreamPriorityRange())
        stream = check(driver.cuStreamCreateWithPriority(driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value, high))
        assert check(driver.cuStreamGetPriority(stream)) == high
        assert check(driver.cuStreamGetFlags(stream)) == driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value
        assert int(check(driver.cuStreamGetCtx(stream))) == int(context)
        check(driver.cuStreamDestroy(stream))

    def test_event_orders_two_streams(self, kernels):
        one, two = check(driver.cuStreamCreate(0)), check(driver.cuStreamCreate(0))
        event = check(driver.cuEventCreate(0))
        flag = check(driver.cuMemHostAlloc(4, driver.CU_MEMHOSTALLOC_DEVICEMAP))
        word = ctypes.c_int.from_address(int(flag))
        word.value = 0
        pointer = check(driver.cuMemAlloc(N * 4))
        launch(kernels["spin"], (1, 1, 1), (1, 1, 1), (check(driver.cuMemHostGetDevicePointer(flag, 0)),), (POINTER,), stream=one)
        check(driver.cuEventRecord(event, one))
        check(driver.cuStreamWaitEvent(two, event, 0))
        launch(kernels["fill"], (4, 1, 1), (256, 1, 1), (pointer, N, 1), (POINTER, INT, INT), stream=two)
        results = driver.cuStreamQuery(two), driver.cuEventQuery(event)
        word.value = 1
        for result in results:
            with fails("NOT_READY"):
                check(result)
        check(driver.cuStreamSynchronize(two))
        check(driver.cuEventQuery(event))

    def test_elapsed_time(self, context):
        first, second = check(driver.cuEventCreate(0)), check(driver.cuEventCreate(0))
        check(driver.cuEventRecord(first, 0))
        check(driver.cuEventRecord(second, 0))
        check(driver.cuEventSynchronize(second))
        assert check(driver.cuEventElapsedTime(first, second)) >= 0

    def test_host_function(self, context):
        stream = check(driver.cuStreamCreate(0))
        called = []
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        callback = kind(lambda data: called.append(data))
        check(driver.cuLaunchHostFunc(stream, driver.CUhostFn(ctypes.cast(callback, ctypes.c_void_p).value), 77))
        check(driver.cuStreamSynchronize(stream))
        assert called == [77]

    def test_memory_operations(self, context):
        pointer = to_device(np.zeros(2, np.uint32))
        check(driver.cuStreamWriteValue32(0, pointer, 9, 0))
        check(driver.cuStreamWaitValue32(0, pointer, 9, driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ.value))
        assert to_host(pointer, 2, np.uint32).tolist() == [9, 0]


class TestGraphs:
    def test_capture_and_replay(self, kernels):
        stream = check(driver.cuStreamCreate(0))
        x, y = to_device(np.ones(N, np.float32)), to_device(np.zeros(N, np.float32))
        check(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
        launch(kernels["saxpy"], (4, 1, 1), (64, 1, 1), (2.0, x, y, N), (FLOAT, POINTER, POINTER, SIZE), stream=stream)
        graph = check(driver.cuStreamEndCapture(stream))
        executable = check(driver.cuGraphInstantiate(graph, 0))
        for _ in range(3):
            check(driver.cuGraphLaunch(executable, stream))
        check(driver.cuStreamSynchronize(stream))
        assert (to_host(y, N, np.float32) == 6).all()
        nodes, count = check(driver.cuGraphGetNodes(graph, 8))
        assert count == 1
        assert check(driver.cuGraphNodeGetType(nodes[0])) == driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL
        check(driver.cuGraphExecDestroy(executable))
        check(driver.cuGraphDestroy(graph))

    def test_built_by_hand(self, kernels, context):
        pointer = check(driver.cuMemAlloc(N * 4))
        graph = check(driver.cuGraphCreate(0))
        fill = driver.CUDA_MEMSET_NODE_PARAMS()
        fill.dst, fill.value, fill.elementSize, fill.width, fill.height = pointer, 7, 4, N, 1
        first = check(driver.cuGraphAddMemsetNode(graph, [], 0, fill, context))
        node = driver.CUDA_KERNEL_NODE_PARAMS()
        node.func = kernels["fill"]
        node.gridDimX, node.gridDimY, node.gridDimZ = 1, 1, 1
        node.blockDimX, node.blockDimY, node.blockDimZ = 128, 1, 1
        node.kernelParams = ((pointer, N, 2), (POINTER, INT, INT))
        check(driver.cuGraphAddKernelNode(graph, [first], 1, node))
        executable = check(driver.cuGraphInstantiate(graph, 0))
        check(driver.cuGraphLaunch(executable, 0))
        result = to_host(pointer, N, np.int32)
        assert (result[:128] == 6).all() and (result[128:] == 7).all()

    def test_empty_and_host_nodes(self, context):
        graph = check(driver.cuGraphCreate(0))
        a = check(driver.cuGraphAddEmptyNode(graph, [], 0))
        called = []
        callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: called.append(1))
        host = driver.CUDA_HOST_NODE_PARAMS()
        host.fn = driver.CUhostFn(ctypes.cast(callback, ctypes.c_void_p).value)
        host.userData = 0
        check(driver.cuGraphAddHostNode(graph, [a], 1, host))
        executable = check(driver.cuGraphInstantiate(graph, 0))
        check(driver.cuGraphLaunch(executable, 0))
        check(driver.cuCtxSynchronize())
        assert called == [1]


class TestTextures:
    SOURCE = r"""
extern "C" __global__ void sample(cudaTextureObject_t t, float *out, int w) {
    int i = threadIdx.x;
    out[i] = tex2D<float>(t, i % w + 0.5f, i / w + 0.5f);
}
extern "C" __global__ void twice(cudaSurfaceObject_t s, int w) {
    int x = threadIdx.x % w, y = threadIdx.x / w;
    float v;
    surf2Dread(&v, s, x * 4, y);
    surf2Dwrite(2 * v, s, x * 4, y);
}"""

    def array(self, data, flags=0):
        descriptor = driver.CUDA_ARRAY3D_DESCRIPTOR()
        descriptor.Width, descriptor.Height, descriptor.Depth = data.shape[1], data.shape[0], 0
        descriptor.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
        descriptor.NumChannels, descriptor.Flags = 1, flags
        array = check(driver.cuArray3DCreate(descriptor))
        copy = driver.CUDA_MEMCPY2D()
        copy.srcMemoryType, copy.srcHost = driver.CUmemorytype.CU_MEMORYTYPE_HOST, data.ctypes.data
        copy.srcPitch, copy.WidthInBytes, copy.Height = data.strides[0], data.strides[0], data.shape[0]
        copy.dstMemoryType, copy.dstArray = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, array
        check(driver.cuMemcpy2D(copy))
        return array

    def resource(self, array):
        resource = driver.CUDA_RESOURCE_DESC()
        resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
        resource.res.array.hArray = array
        return resource

    def test_texture_and_surface(self, context):
        from support import compile_ptx
        module = Module(compile_ptx(self.SOURCE))
        data = np.arange(24, dtype=np.float32).reshape(4, 6)
        array = self.array(data, driver.CUDA_ARRAY3D_SURFACE_LDST)
        texture = check(driver.cuTexObjectCreate(self.resource(array), driver.CUDA_TEXTURE_DESC(), None))
        surface = check(driver.cuSurfObjectCreate(self.resource(array)))
        out = check(driver.cuMemAlloc(data.nbytes))
        launch(module["twice"], (1, 1, 1), (24, 1, 1), (int(surface), 6), (ctypes.c_uint64, INT))
        launch(module["sample"], (1, 1, 1), (24, 1, 1), (int(texture), out, 6), (ctypes.c_uint64, POINTER, INT))
        assert (to_host(out, data.shape, np.float32) == 2 * data).all()
        check(driver.cuTexObjectDestroy(texture))
        check(driver.cuSurfObjectDestroy(surface))
        check(driver.cuArrayDestroy(array))


class TestVirtualMemory:
    def test_reserve_map_use(self, kernels):
        properties = driver.CUmemAllocationProp()
        properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        properties.location.id = 0
        granularity = check(driver.cuMemGetAllocationGranularity(
            properties, driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM))
        handle = check(driver.cuMemCreate(granularity, properties, 0))
        pointer = check(driver.cuMemAddressReserve(granularity, 0, 0, 0))
        check(driver.cuMemMap(pointer, granularity, 0, handle, 0))
        access = driver.CUmemAccessDesc()
        access.location = properties.location
        access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        check(driver.cuMemSetAccess(pointer, granularity, [access], 1))
        launch(kernels["fill"], (4, 1, 1), (256, 1, 1), (pointer, N, 1), (POINTER, INT, INT))
        assert (to_host(pointer, N, np.int32) == 3).all()
        check(driver.cuMemUnmap(pointer, granularity))
        check(driver.cuMemAddressFree(pointer, granularity))
        check(driver.cuMemRelease(handle))
