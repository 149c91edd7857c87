"""cuda.core on the driver API: programs, launches, memory resources, streams, graphs, textures, views."""

import ctypes
import gc
import multiprocessing
import os
import pickle
import threading
import uuid

import numpy as np
import pytest
from cuda.core import (
    Buffer,
    Context,
    ContextOptions,
    Device,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    EventOptions,
    GraphMemoryResource,
    Host,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    ManagedMemoryResource,
    ManagedMemoryResourceOptions,
    ObjectCode,
    PinnedMemoryResource,
    PinnedMemoryResourceOptions,
    Program,
    ProgramOptions,
    SMResourceOptions,
    Stream,
    StreamOptions,
    VirtualMemoryResource,
    launch,
    system,
)
from cuda.core.graph import GraphCompleteOptions, GraphDefinition
from cuda.core.texture import MipmappedArrayOptions, OpaqueArrayOptions, ResourceDescriptor, TextureObjectOptions
from cuda.core.utils import StridedMemoryView, args_viewable_as_strided_memory, copy_batch

KERNELS = r"""
extern "C" __global__ void scale(float *x, float by, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] *= by;
}

template <class T> __global__ void saxpy(T a, const T *x, T *y, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void kinds(double *out, bool flag, signed char c, short s, int i, long long l, float f, double d, double2 z)
{
    double all[] = {(double)flag, (double)c, (double)s, (double)i, (double)l, f, d, z.x, z.y};
    for (int k = 0; k < 9; ++k)
        out[k] = all[k];
}

extern "C" __global__ void add(int *x, int n) { atomicAdd(x, n); }

extern "C" __global__ void reverse(int *x)
{
    extern __shared__ int row[];
    row[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void wait(volatile int *flag)
{
    while (!*flag)
        ;
}

extern "C" __global__ void ranks(unsigned *out)
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    out[blockIdx.x] = rank;
}

extern "C" __global__ void gather(cudaTextureObject_t t, float *out)
{
    out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

extern "C" __global__ void paint(cudaSurfaceObject_t s) { surf2Dwrite(threadIdx.y * 10.0f + threadIdx.x, s, threadIdx.x * 4, threadIdx.y); }
"""

CONDITIONS = r"""
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);

extern "C" __global__ void set(cudaGraphConditionalHandle c, unsigned value) { cudaGraphSetConditional(c, value); }

extern "C" __global__ void countdown(cudaGraphConditionalHandle c, int *n) { cudaGraphSetConditional(c, --*n > 0); }
"""


@pytest.fixture
def device():
    d = Device()
    d.set_current()
    return d


@pytest.fixture
def stream(device):
    return device.create_stream()


@pytest.fixture(scope="module")
def module():
    Device().set_current()
    program = Program(KERNELS, "c++", ProgramOptions(std="c++17", arch="sm_90"))
    return program.compile("ptx", name_expressions=("saxpy<float>", "saxpy<double>"))


@pytest.fixture(scope="module")
def conditions():
    Device().set_current()
    return Program(CONDITIONS, "c++", ProgramOptions(arch="sm_90")).compile("ptx")


@pytest.fixture
def pinned(device):
    """Memory of the host, as int32."""
    buffer = LegacyPinnedMemoryResource().allocate(256, stream=device.default_stream)
    view = np.from_dlpack(buffer).view(np.int32)
    view[:] = 0
    return view


def host(buffer, dtype, stream):
    """The contents of a buffer."""
    copy = LegacyPinnedMemoryResource().allocate(buffer.size, stream=stream)
    buffer.copy_to(copy, stream=stream)
    stream.sync()
    return np.from_dlpack(copy).view(dtype).copy()


def filled(device, stream, array):
    """A buffer with the contents of an array."""
    staging = LegacyPinnedMemoryResource().allocate(array.nbytes, stream=stream)
    np.from_dlpack(staging).view(array.dtype)[:] = array.ravel()
    buffer = device.allocate(array.nbytes, stream=stream)
    buffer.copy_from(staging, stream=stream)
    stream.sync()
    return buffer


ONE = LaunchConfig(grid=1, block=1)


class TestDevice:
    def test_identity(self, device):
        assert device.name == "NVIDIA H200"
        assert device.compute_capability == (9, 0)
        assert device.arch == "90"
        assert Device.get_all_devices()[0] == device
        assert len(device.uuid) == 36

    def test_bus(self, device):
        assert device.pci_bus_id.startswith("0000:")

    def test_every_property(self, device):
        names = [n for n in dir(device.properties) if not n.startswith("_")]
        values = {n: getattr(device.properties, n) for n in names}
        assert values["multiprocessor_count"] == 132
        assert values["max_shared_memory_per_block_optin"] == 232448
        assert values["warp_size"] == 32

    def test_threads(self, device):
        seen = []

        def work():
            d = Device(0)
            d.set_current()
            s = d.create_stream()
            b = d.allocate(16, stream=s)
            b.fill(7, stream=s)
            seen.append(host(b, np.uint8, s).tolist())

        t = threading.Thread(target=work)
        t.start()
        t.join()
        assert seen == [[7] * 16]

    def test_contexts(self, device):
        context = device.context
        assert isinstance(context, Context)
        assert not context.is_green
        assert device.set_current(context) is not None

    def test_sync(self, device):
        device.sync()


class TestPrograms:
    def test_ptx_and_names(self, module, device, stream):
        assert module.code_type == "ptx"
        x, y = np.arange(100.0), np.ones(100)
        a, b = filled(device, stream, x), filled(device, stream, y)
        launch(stream, LaunchConfig(grid=3, block=32), module.get_kernel("saxpy<double>"), np.float64(3), a, b, np.uint64(100))
        assert (host(b, np.float64, stream) == 3 * x + 1).all()

    def test_both_instances_of_a_template(self, module, device, stream):
        x, y = np.arange(64, dtype=np.float32), np.ones(64, np.float32)
        a, b = filled(device, stream, x), filled(device, stream, y)
        launch(stream, LaunchConfig(grid=(2, 1, 1), block=(32, 1, 1)), module.get_kernel("saxpy<float>"), np.float32(2), a, b, np.uint64(64))
        assert (host(b, np.float32, stream) == 2 * x + 1).all()

    def test_from_ptx(self, module, device, stream):
        code = bytes(module.code)
        again = ObjectCode.from_ptx(code, name="again")
        b = filled(device, stream, np.array([5], np.int32))
        launch(stream, ONE, again.get_kernel("add"), b, 4)
        assert host(b, np.int32, stream).tolist() == [9]

    def test_from_a_file(self, module, device, stream, tmp_path):
        file = tmp_path / "code.ptx"
        file.write_bytes(bytes(module.code))
        assert ObjectCode.from_ptx(str(file)).get_kernel("add").num_arguments == 2

    def test_ptx_program(self, module, device, stream):
        program = Program(bytes(module.code).rstrip(b"\0").decode(), "ptx", ProgramOptions(arch="sm_90"))
        assert program.backend == "driver"
        linked = program.compile("cubin")
        b = filled(device, stream, np.array([5], np.int32))
        launch(stream, ONE, linked.get_kernel("add"), b, 4)
        assert host(b, np.int32, stream).tolist() == [9]

    def test_a_cubin_has_no_ptx(self, device):
        code = Program('extern "C" __global__ void f() {}', "c++", ProgramOptions(arch="sm_90")).compile("cubin")
        with pytest.raises(Exception, match="CUDA_ERROR_NO_BINARY_FOR_GPU|INVALID_IMAGE|NOT_SUPPORTED"):
            code.get_kernel("f")

    def test_unknown_kernel(self, module):
        with pytest.raises(Exception, match="NOT_FOUND"):
            module.get_kernel("nothing")

    def test_bad_ptx(self, device):
        with pytest.raises(Exception, match="INVALID_PTX"):
            ObjectCode.from_ptx(b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f() { frob; }\n").get_kernel("f")

    def test_attributes(self, module):
        k = module.get_kernel("reverse")
        a = k.attributes
        assert a.max_threads_per_block == 1024
        assert a.shared_size_bytes == 0
        assert a.num_regs > 0
        assert a.ptx_version >= 75
        assert a.max_dynamic_shared_size_bytes == 49152
        assert {n for n in dir(a) if not n.startswith("_") and getattr(a, n) is None} == set()

    def test_arguments(self, module):
        k = module.get_kernel("kinds")
        assert k.num_arguments == 9
        assert [(i.offset, i.size) for i in k.arguments_info] == [
            (0, 8), (8, 1), (9, 1), (10, 2), (12, 4), (16, 8), (24, 4), (32, 8), (48, 16),
        ]

    def test_occupancy(self, module, stream):
        o = module.get_kernel("reverse").occupancy
        assert o.max_active_blocks_per_multiprocessor(128, 0) == 16
        assert o.max_active_blocks_per_multiprocessor(1024, 40000) == 2
        grid, block = o.max_potential_block_size(0, 0)
        assert grid * block == 132 * 2048
        assert o.available_dynamic_shared_memory_per_block(32, 64) == 7296
        assert o.max_potential_cluster_size(LaunchConfig(grid=16, block=128), stream=stream) == 8
        assert o.max_active_clusters(LaunchConfig(grid=16, block=128, cluster=2), stream=stream) >= 132 // 2

    def test_pickle(self, module):
        again = pickle.loads(pickle.dumps(module))
        assert again.get_kernel("saxpy<float>").num_arguments == 4


class TestLinker:
    A = 'extern "C" __device__ int twice(int); extern "C" __global__ void f(int *p) { *p = twice(*p); }'
    B = 'extern "C" __device__ int twice(int n) { return 2 * n; }'

    def compiled(self, *sources):
        return [Program(s, "c++", ProgramOptions(arch="sm_90", relocatable_device_code=True)).compile("ptx") for s in sources]

    def test_links_ptx(self, device, stream):
        linker = Linker(*self.compiled(self.A, self.B), options=LinkerOptions(arch="sm_90"))
        code = linker.link("cubin")
        b = filled(device, stream, np.array([21], np.int32))
        launch(stream, ONE, code.get_kernel("f"), b)
        assert host(b, np.int32, stream).tolist() == [42]

    def test_undefined(self, device):
        linker = Linker(*self.compiled(self.A), options=LinkerOptions(arch="sm_90"))
        with pytest.raises(Exception, match="twice|CUDA_ERROR"):
            linker.link("cubin")
        assert "twice" in linker.get_error_log()

    def test_options(self, device, stream):
        options = LinkerOptions(arch="sm_90", max_register_count=32, debug=False, lineinfo=True, optimization_level=2, verbose=True, no_cache=True)
        assert Linker(*self.compiled(self.A, self.B), options=options).link("cubin").get_kernel("f").attributes.num_regs <= 32

    def test_differing_declarations(self, device):
        wrong = 'extern "C" __device__ double twice(double n) { return 2 * n; }'
        with pytest.raises(Exception):
            Linker(*self.compiled(self.A, wrong), options=LinkerOptions(arch="sm_90")).link("cubin").get_kernel("f")


class TestLaunch:
    def test_kinds_of_arguments(self, module, device, stream):
        out = device.allocate(72, stream=stream)
        launch(stream, ONE, module.get_kernel("kinds"), out, True, np.int8(-3), np.int16(-4), np.int32(-5), 1 << 40, np.float32(1.5), 2.25, 3 + 4j)
        assert host(out, np.float64, stream).tolist() == [1, -3, -4, -5, 1 << 40, 1.5, 2.25, 3, 4]

    def test_ctypes_arguments(self, module, device, stream):
        b = filled(device, stream, np.ones(8, np.float32))
        launch(stream, LaunchConfig(grid=1, block=8), module.get_kernel("scale"), ctypes.c_uint64(int(b.handle)), ctypes.c_float(3), ctypes.c_int(8))
        assert host(b, np.float32, stream).tolist() == [3] * 8

    def test_shared_memory(self, module, device, stream):
        b = filled(device, stream, np.arange(64, dtype=np.int32))
        launch(stream, LaunchConfig(grid=1, block=64, shmem_size=256), module.get_kernel("reverse"), b)
        assert host(b, np.int32, stream).tolist() == list(range(63, -1, -1))

    def test_clusters(self, module, device, stream):
        b = device.allocate(32, stream=stream)
        launch(stream, LaunchConfig(grid=2, cluster=4, block=32), module.get_kernel("ranks"), b)
        assert host(b, np.uint32, stream).tolist() == [0, 1, 2, 3, 0, 1, 2, 3]

    def test_cooperative(self, module, device, stream):
        b = filled(device, stream, np.array([0], np.int32))
        launch(stream, LaunchConfig(grid=4, block=32, is_cooperative=True), module.get_kernel("add"), b, 1)
        assert host(b, np.int32, stream).tolist() == [128]

    def test_programmatic(self, module, device, stream):
        b = filled(device, stream, np.array([0], np.int32))
        for _ in range(3):
            launch(stream, LaunchConfig(grid=1, block=32, programmatic_stream_serialization=True), module.get_kernel("add"), b, 1)
        assert host(b, np.int32, stream).tolist() == [96]

    def test_too_large_a_block(self, module, stream):
        with pytest.raises(Exception, match="INVALID_VALUE|LAUNCH_OUT_OF_RESOURCES"):
            launch(stream, LaunchConfig(grid=1, block=2048), module.get_kernel("ranks"), 0)


class TestStreams:
    def test_order_across_streams(self, module, device, pinned):
        first, second = device.create_stream(), device.create_stream(options=StreamOptions(priority=-1))
        assert second.priority == -1
        launch(first, ONE, module.get_kernel("wait"), pinned.ctypes.data)
        event = first.record()
        second.wait(event)
        launch(second, ONE, module.get_kernel("add"), pinned.ctypes.data + 4, 1)
        assert not event.is_done
        assert pinned[1] == 0
        pinned[0] = 1
        second.sync()
        assert event.is_done
        assert pinned[1] == 1

    def test_wait_for_a_stream(self, module, device, pinned):
        first, second = device.create_stream(), device.create_stream()
        launch(first, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        second.wait(first)
        second.sync()
        assert pinned[0] == 1

    def test_timing(self, module, device, stream, pinned):
        options = EventOptions(timing_enabled=True)
        start, end = device.create_event(options), device.create_event(options)
        stream.record(start)
        launch(stream, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        stream.record(end)
        end.sync()
        assert end - start >= 0
        assert end.is_timing_enabled

    def test_no_timing(self, device, stream):
        a, b = stream.record(), stream.record()
        b.sync()
        with pytest.raises(RuntimeError, match="[Tt]iming"):
            b - a

    def test_protocol(self, device):
        class Foreign:
            def __init__(self, s):
                self.s = s

            def __cuda_stream__(self):
                return (0, int(self.s.handle))

        s = device.create_stream()
        other = device.create_stream(Foreign(s))
        assert int(other.handle) == int(s.handle)
        assert int(Stream.from_handle(int(s.handle)).handle) == int(s.handle)
        assert s.device == device
        assert s.is_nonblocking
        assert s.context is not None

    def test_default_stream(self, module, device, pinned):
        launch(device.default_stream, ONE, module.get_kernel("add"), pinned.ctypes.data, 5)
        device.default_stream.sync()
        assert pinned[0] == 5

    def test_close(self, device):
        s = device.create_stream()
        s.close()
        assert s.is_closed


class TestMemory:
    def resource(self, device, kind):
        return {
            "device": lambda: DeviceMemoryResource(device),
            "limited": lambda: DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 20)),
            "pinned": lambda: PinnedMemoryResource(),
            "numa": lambda: PinnedMemoryResource(PinnedMemoryResourceOptions(numa_id=0)),
            "legacy": lambda: LegacyPinnedMemoryResource(),
            "managed": lambda: ManagedMemoryResource(),
            "preferred": lambda: ManagedMemoryResource(ManagedMemoryResourceOptions(preferred_location=0, preferred_location_type="device")),
            "virtual": lambda: VirtualMemoryResource(device),
        }[kind]()

    @pytest.mark.parametrize("kind", ["device", "limited", "pinned", "numa", "legacy", "managed", "preferred", "virtual"])
    def test_resource(self, module, device, stream, kind):
        mr = self.resource(device, kind)
        size = 4096 if kind != "virtual" else 2 << 20
        b = mr.allocate(size, stream=stream)
        assert b.size == size
        assert b.is_device_accessible
        assert b.is_host_accessible == (kind in ("pinned", "numa", "legacy", "managed", "preferred"))
        assert b.memory_resource is mr
        b.fill(np.float32(1.5), stream=stream)
        launch(stream, LaunchConfig(grid=4, block=64), module.get_kernel("scale"), b, np.float32(2), 1024)
        assert (host(b, np.float32, stream)[:1024] == 3).all()
        b.close(stream)
        assert b.is_closed

    @pytest.mark.parametrize("value", [7, b"\x12\x34", b"\x01\x02\x03\x04"])
    def test_fill(self, device, stream, value):
        b = device.allocate(64, stream=stream)
        b.fill(value, stream=stream)
        want = bytes([value]) * 64 if isinstance(value, int) else value * (64 // len(value))
        assert host(b, np.uint8, stream).tobytes() == want

    def test_copies(self, device, stream):
        a = filled(device, stream, np.arange(32, dtype=np.int32))
        b = a.copy_to(stream=stream)
        c = device.allocate(128, stream=stream)
        c.copy_from(b, stream=stream)
        assert host(c, np.int32, stream).tolist() == list(range(32))
        with pytest.raises(ValueError):
            c.copy_to(device.allocate(64, stream=stream), stream=stream)

    def test_copy_batch(self, device, stream):
        sources = [filled(device, stream, np.full(16, i, np.int32)) for i in range(4)]
        targets = [device.allocate(64, stream=stream) for _ in sources]
        copy_batch(stream, sources, targets)
        assert [host(t, np.int32, stream)[5] for t in targets] == [0, 1, 2, 3]

    def test_pool_attributes(self, device, stream):
        mr = DeviceMemoryResource(device, DeviceMemoryResourceOptions())
        before = mr.attributes.used_mem_current
        b = mr.allocate(1 << 16, stream=stream)
        assert mr.attributes.used_mem_current == before + (1 << 16)
        b.close(stream)
        stream.sync()
        assert mr.attributes.used_mem_current == before
        assert mr.attributes.reuse_follow_event_dependencies
        assert {n for n in dir(mr.attributes) if not n.startswith("_") and getattr(mr.attributes, n) is None} == set()

    def test_limit_of_a_pool(self, device, stream):
        mr = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 21))
        with pytest.raises(Exception, match="OUT_OF_MEMORY"):
            mr.allocate(1 << 26, stream=stream)

    def test_managed_advice(self, device, stream):
        b = ManagedMemoryResource().allocate(1 << 16, stream=stream)
        b.read_mostly = True
        assert b.read_mostly
        b.preferred_location = Host()
        assert b.preferred_location == Host()
        b.preferred_location = device
        assert b.preferred_location == device
        b.accessed_by.add(device)
        assert set(b.accessed_by) == {device}
        b.prefetch(device, stream=stream)
        b.prefetch(Host(), stream=stream)
        b.discard(stream=stream)
        stream.sync()

    def test_virtual_memory_grows(self, device, stream):
        mr = VirtualMemoryResource(device)
        b = mr.allocate(2 << 20, stream=stream)
        b.fill(9, stream=stream)
        stream.sync()
        larger = mr.modify_allocation(b, 4 << 20)
        assert larger.size >= 4 << 20
        assert (host(larger, np.uint8, stream)[: 2 << 20] == 9).all()

    def test_dlpack_of_the_host(self, device, stream):
        b = PinnedMemoryResource().allocate(64, stream=stream)
        stream.sync()
        np.from_dlpack(b)[:] = 3
        c = b.copy_to(device.allocate(64, stream=stream), stream=stream)
        assert host(c, np.uint8, stream).tolist() == [3] * 64
        assert c.__dlpack_device__()[0] == 2

    def test_handles(self, device, stream):
        b = device.allocate(64, stream=stream)
        view = Buffer.from_handle(int(b.handle), 32, owner=b)
        view.fill(1, stream=stream)
        assert host(b, np.uint8, stream)[:32].tolist() == [1] * 32
        assert view.device_id == 0

    def test_collected(self, device, stream):
        mr = DeviceMemoryResource(device, DeviceMemoryResourceOptions())
        before = mr.attributes.used_mem_current
        buffers = [mr.allocate(4096, stream=stream) for _ in range(10)]
        assert mr.attributes.used_mem_current > before
        del buffers
        gc.collect()
        stream.sync()
        assert mr.attributes.used_mem_current == before


def child(mr, queue):
    """Fills the parent's buffer in another process."""
    device = Device()
    device.set_current()
    stream = device.create_stream()
    b = queue.get(timeout=60)
    b.fill(5, stream=stream)
    stream.sync()
    b.close()


class TestProcesses:
    @pytest.mark.parametrize("resource", [DeviceMemoryResource, PinnedMemoryResource])
    def test_shared_pool(self, device, stream, resource):
        if resource is DeviceMemoryResource:
            mr = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 21, ipc_enabled=True))
        else:
            mr = PinnedMemoryResource(PinnedMemoryResourceOptions(max_size=1 << 21, ipc_enabled=True))
        assert mr.is_ipc_enabled
        b = mr.allocate(64, stream=stream)
        b.fill(1, stream=stream)
        stream.sync()
        context = multiprocessing.get_context("spawn")
        there = context.Queue()
        p = context.Process(target=child, args=(mr, there))
        p.start()
        there.put(b)
        p.join(timeout=90)
        assert p.exitcode == 0
        assert host(b, np.uint8, stream).tolist() == [5] * 64

    def test_registry(self, device):
        mr = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 21, ipc_enabled=True))
        assert mr.uuid is None or isinstance(mr.uuid, uuid.UUID)
        assert mr.allocation_handle is not None
        other = DeviceMemoryResource.from_allocation_handle(device, mr.allocation_handle)
        assert other.is_mapped


class TestGraphs:
    def test_builder(self, module, device, stream, pinned):
        builder = device.create_graph_builder().begin_building()
        for _ in range(3):
            launch(builder, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        graph = builder.end_building().complete()
        graph.upload(stream)
        graph.launch(stream)
        graph.launch(stream)
        stream.sync()
        assert pinned[0] == 6

    def test_split_and_join(self, module, device, stream, pinned):
        builder = device.create_graph_builder().begin_building()
        launch(builder, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        left, right = builder.split(2)
        launch(left, ONE, module.get_kernel("add"), pinned.ctypes.data + 4, 10)
        launch(right, ONE, module.get_kernel("add"), pinned.ctypes.data + 8, 20)
        builder = type(builder).join(left, right)
        launch(builder, ONE, module.get_kernel("add"), pinned.ctypes.data, 2)
        builder.end_building().complete().launch(stream)
        stream.sync()
        assert pinned[:3].tolist() == [3, 10, 20]

    def test_from_a_stream(self, module, device, stream, pinned):
        builder = stream.create_graph_builder().begin_building("thread_local")
        launch(builder, ONE, module.get_kernel("add"), pinned.ctypes.data, 4)
        graph = builder.end_building().complete(GraphCompleteOptions(auto_free_on_launch=True))
        assert pinned[0] == 0
        graph.launch(stream)
        stream.sync()
        assert pinned[0] == 4

    @pytest.mark.parametrize("value", [0, 1])
    def test_if(self, module, conditions, device, stream, pinned, value):
        builder = device.create_graph_builder().begin_building()
        condition = builder.create_condition(0)
        launch(builder, ONE, conditions.get_kernel("set"), condition, np.uint32(value))
        then = builder.if_then(condition).begin_building()
        launch(then, ONE, module.get_kernel("add"), pinned.ctypes.data, 7)
        then.end_building()
        builder.end_building().complete().launch(stream)
        stream.sync()
        assert pinned[0] == 7 * value

    @pytest.mark.parametrize("value", [0, 1])
    def test_if_else(self, module, conditions, device, stream, pinned, value):
        builder = device.create_graph_builder().begin_building()
        condition = builder.create_condition()
        launch(builder, ONE, conditions.get_kernel("set"), condition, np.uint32(value))
        for n, branch in enumerate(builder.if_else(condition)):
            branch.begin_building()
            launch(branch, ONE, module.get_kernel("add"), pinned.ctypes.data, n + 1)
            branch.end_building()
        builder.end_building().complete().launch(stream)
        stream.sync()
        assert pinned[0] == (1 if value else 2)

    @pytest.mark.parametrize("value", [0, 1, 2, 9])
    def test_switch(self, module, conditions, device, stream, pinned, value):
        builder = device.create_graph_builder().begin_building()
        condition = builder.create_condition()
        launch(builder, ONE, conditions.get_kernel("set"), condition, np.uint32(value))
        for n, branch in enumerate(builder.switch(condition, 3)):
            branch.begin_building()
            launch(branch, ONE, module.get_kernel("add"), pinned.ctypes.data, n + 1)
            branch.end_building()
        builder.end_building().complete().launch(stream)
        stream.sync()
        assert pinned[0] == (value + 1 if value < 3 else 0)

    def test_while(self, module, conditions, device, stream, pinned):
        pinned[1] = 5
        builder = device.create_graph_builder().begin_building()
        condition = builder.create_condition(1)
        body = builder.while_loop(condition).begin_building()
        launch(body, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        launch(body, ONE, conditions.get_kernel("countdown"), condition, pinned.ctypes.data + 4)
        body.end_building()
        builder.end_building().complete().launch(stream)
        stream.sync()
        assert pinned[0] == 5

    def test_child(self, module, device, stream, pinned):
        child = device.create_graph_builder().begin_building()
        launch(child, ONE, module.get_kernel("add"), pinned.ctypes.data, 3)
        child.end_building()
        builder = device.create_graph_builder().begin_building()
        launch(builder, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        builder.embed(child)
        builder.embed(child)
        builder.end_building().complete().launch(stream)
        stream.sync()
        assert pinned[0] == 7

    def test_callback(self, module, device, stream, pinned):
        seen = []
        builder = device.create_graph_builder().begin_building()
        launch(builder, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        builder.callback(lambda: seen.append(int(pinned[0])))
        launch(builder, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        graph = builder.end_building().complete()
        graph.launch(stream)
        stream.sync()
        graph.launch(stream)
        stream.sync()
        assert seen == [1, 3]

    def test_update(self, module, device, stream, pinned):
        def build(n):
            builder = device.create_graph_builder().begin_building()
            launch(builder, ONE, module.get_kernel("add"), pinned.ctypes.data, n)
            return builder.end_building()

        graph = build(1).complete()
        graph.launch(stream)
        graph.update(build(10))
        graph.launch(stream)
        stream.sync()
        assert pinned[0] == 11

    def test_memory_of_graphs(self, module, device, stream, pinned):
        mr = GraphMemoryResource(device)
        builder = device.create_graph_builder().begin_building()
        b = mr.allocate(64, stream=builder)
        b.fill(3, stream=builder)
        launch(builder, ONE, module.get_kernel("add"), b, 1)
        b.copy_to(Buffer.from_handle(pinned.ctypes.data, 64, owner=pinned), stream=builder)
        b.close(builder)
        graph = builder.end_building().complete()
        graph.launch(stream)
        stream.sync()
        assert pinned[0] == 0x03030304
        assert mr.attributes.used_mem_high >= 64
        mr.trim()

    def test_definition(self, module, device, stream, pinned):
        g = GraphDefinition()
        first = g.memset(pinned.ctypes.data, 1, 16)
        second = first.launch(ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        third = g.launch(ONE, module.get_kernel("add"), pinned.ctypes.data + 64, 5)
        seen = []
        last = g.join(second, third).callback(lambda: seen.append(pinned[[0, 16]].tolist()))
        assert len(g.nodes()) == 5
        assert len(g.edges()) == 4
        assert set(last.pred) and set(first.succ) == {second}
        g.instantiate().launch(stream)
        stream.sync()
        assert seen == [[0x01010102, 5]]

    def test_definition_with_memory(self, module, device, stream, pinned):
        g = GraphDefinition()
        a = g.allocate(64)
        copy = a.memset(a.dptr, 2, 64).launch(ONE, module.get_kernel("add"), a.dptr, 1).memcpy(pinned.ctypes.data, a.dptr, 64)
        copy.deallocate(a.dptr)
        graph = g.instantiate()
        for _ in range(2):
            graph.launch(stream)
        stream.sync()
        assert pinned[0] == 0x02020203

    def test_definition_of_conditions(self, module, conditions, device, stream, pinned):
        pinned[1] = 4
        g = GraphDefinition()
        condition = g.create_condition(1)
        loop = g.while_loop(condition)
        loop.body.launch(ONE, module.get_kernel("add"), pinned.ctypes.data, 1).launch(
            ONE, conditions.get_kernel("countdown"), condition, pinned.ctypes.data + 4
        )
        g.instantiate().launch(stream)
        stream.sync()
        assert pinned[0] == 4

    def test_events(self, module, device, stream, pinned):
        event = device.create_event()
        g = GraphDefinition()
        g.launch(ONE, module.get_kernel("add"), pinned.ctypes.data, 1).record(event)
        g.instantiate().launch(stream)
        event.sync()
        assert pinned[0] == 1

    def test_drawing(self, module, device, pinned, tmp_path):
        g = GraphDefinition()
        g.launch(ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        file = tmp_path / "graph.dot"
        g.debug_dot_print(str(file))
        assert "digraph" in file.read_text()


class TestTextures:
    def test_array(self, module, device, stream):
        texels = np.arange(32, dtype=np.float32)
        array = device.create_opaque_array(OpaqueArrayOptions(shape=(8, 4), format="float32", num_channels=1))
        array.copy_from(texels, stream=stream)
        back = np.zeros(32, np.float32)
        array.copy_to(back, stream=stream)
        stream.sync()
        assert (back == texels).all()
        texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=TextureObjectOptions(filter_mode="linear"))
        out = device.allocate(128, stream=stream)
        launch(stream, LaunchConfig(grid=1, block=(8, 4)), module.get_kernel("gather"), np.uint64(int(texture.handle)), out)
        assert (host(out, np.float32, stream) == texels).all()

    def test_pitched(self, module, device, stream):
        texels = np.zeros((4, 128), np.float32)
        texels[:, :8] = np.arange(32).reshape(4, 8)
        b = filled(device, stream, texels)
        resource = ResourceDescriptor.from_pitch2d(b, format="float32", num_channels=1, width=8, height=4, pitch_bytes=512)
        texture = device.create_texture_object(resource=resource, options=TextureObjectOptions(address_mode="border"))
        out = device.allocate(128, stream=stream)
        launch(stream, LaunchConfig(grid=1, block=(8, 4)), module.get_kernel("gather"), np.uint64(int(texture.handle)), out)
        assert (host(out, np.float32, stream) == np.arange(32)).all()

    def test_surface(self, module, device, stream):
        array = device.create_opaque_array(OpaqueArrayOptions(shape=(8, 4), format="float32", num_channels=1, is_surface_load_store=True))
        surface = device.create_surface_object(resource=ResourceDescriptor.from_opaque_array(array))
        launch(stream, LaunchConfig(grid=1, block=(8, 4)), module.get_kernel("paint"), np.uint64(int(surface.handle)))
        back = np.zeros((4, 8), np.float32)
        array.copy_to(back, stream=stream)
        stream.sync()
        assert (back == np.arange(4)[:, None] * 10 + np.arange(8)).all()

    def test_mipmaps(self, device):
        m = device.create_mipmapped_array(MipmappedArrayOptions(shape=(16, 16), format="float32", num_channels=1, num_levels=3))
        assert tuple(m.get_level(1).shape) == (8, 8)


class TestViews:
    def test_buffer(self, device, stream):
        b = filled(device, stream, np.arange(12, dtype=np.int32))
        v = StridedMemoryView.from_buffer(b, (3, 4), dtype=np.dtype(np.int32))
        assert v.shape == (3, 4)
        assert v.ptr == int(b.handle)
        assert v.is_device_accessible

    def test_dlpack(self, device, stream):
        b = device.allocate(64, stream=stream)
        v = StridedMemoryView.from_dlpack(b, stream_ptr=int(stream.handle))
        assert v.device_id == 0
        assert v.shape == (64,)

    def test_cuda_array_interface(self, device, stream):
        b = filled(device, stream, np.arange(12, dtype=np.int32))

        class Foreign:
            __cuda_array_interface__ = {"shape": (12,), "typestr": "<i4", "data": (int(b.handle), False), "version": 3, "stream": int(stream.handle)}

        v = StridedMemoryView.from_cuda_array_interface(Foreign(), stream_ptr=-1)
        assert v.dtype == np.int32 and v.ptr == int(b.handle)

    def test_decorator(self):
        @args_viewable_as_strided_memory((0,))
        def f(x):
            return x.view(-1).shape

        assert f(np.zeros((2, 3))) == (2, 3)

    def test_tensor_map(self, device, stream):
        tile = Program(
            r"""
            struct alignas(64) Map { unsigned long long words[16]; };
            extern "C" __global__ void tile(const __grid_constant__ Map map, int x, int y, float *out)
            {
                __shared__ alignas(128) float box[4][8];
                __shared__ alignas(8) unsigned long long bar;
                unsigned b = (unsigned)__cvta_generic_to_shared(&bar), s = (unsigned)__cvta_generic_to_shared(box);
                if (threadIdx.x == 0) {
                    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b));
                    asm volatile("fence.proxy.async.shared::cta;");
                    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" :: "r"(b));
                    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                                 :: "r"(s), "l"(&map), "r"(x), "r"(y), "r"(b) : "memory");
                }
                __syncthreads();
                asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" :: "r"(b) : "memory");
                out[threadIdx.x] = box[threadIdx.x / 8][threadIdx.x % 8];
            }""",
            "c++",
            ProgramOptions(arch="sm_90"),
        ).compile("ptx")
        values = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)
        b = filled(device, stream, values)
        tensor = StridedMemoryView.from_buffer(b, (16, 32), dtype=np.dtype(np.float32)).as_tensor_map(box_dim=(4, 8))
        out = device.allocate(128, stream=stream)
        launch(stream, LaunchConfig(grid=1, block=32), tile.get_kernel("tile"), tensor, 16, 4, out)
        assert (host(out, np.float32, stream).reshape(4, 8) == values[4:8, 16:24]).all()


class TestResources:
    def test_multiprocessors(self, device):
        sm = device.resources.sm
        assert sm.sm_count == 132

    def test_green_context(self, module, device, pinned):
        groups, rest = device.resources.sm.split(SMResourceOptions(count=16))
        assert groups[0].sm_count == 16
        context = device.create_context(ContextOptions(resources=groups))
        assert context.is_green
        s = context.create_stream()
        launch(s, ONE, module.get_kernel("add"), pinned.ctypes.data, 1)
        s.sync()
        assert pinned[0] == 1


class TestSystem:
    def test_devices(self):
        assert system.get_num_devices() >= 1
        assert system.get_user_mode_driver_version()[0] >= 12

    def test_fork(self, device):
        pid = os.fork()
        if pid == 0:
            try:
                Device(0).create_stream()
            except Exception:
                os._exit(3)
            os._exit(0)
        assert os.waitpid(pid, 0)[1] >> 8 == 3
