"""Kernels around tl.dot: pipelined products of all types, tensor descriptors, persistent and warp-specialized products, attention."""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from device import Array, allocate, zeros


@triton.jit
def matmul(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr, PRECISION: tl.constexpr, ACCUMULATOR: tl.constexpr, RELU: tl.constexpr):
    block = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = block // (GROUP * columns) * GROUP
    size = min(rows - first, GROUP)
    pm, pn = first + block % (GROUP * columns) % size, block % (GROUP * columns) // size
    rm, rn, rk = (pm * BM + tl.arange(0, BM)) % M, (pn * BN + tl.arange(0, BN)) % N, tl.arange(0, BK)
    pa, pb = a + rm[:, None] * stride_am + rk[None, :] * stride_ak, b + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((BM, BN), ACCUMULATOR)
    for k in range(0, tl.cdiv(K, BK)):
        va, vb = tl.load(pa, mask=rk[None, :] < K - k * BK, other=0.0), tl.load(pb, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(va, vb, acc, input_precision=PRECISION, out_dtype=ACCUMULATOR)
        pa += BK * stride_ak
        pb += BK * stride_bk
    if RELU:
        acc = tl.maximum(acc, 0)
    rm, rn = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    tl.store(c + N * rm[:, None] + rn[None, :], acc.to(c.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N))


def run_matmul(a, b, out_dtype, bm=64, bn=64, bk=32, stages=3, warps=4, transposed=False, precision="tf32", accumulator=tl.float32, relu=False):
    (m, k), n = a.shape, b.shape[1]
    c = zeros((m, n), out_dtype)
    B = Array(b.T.copy() if transposed else b)
    grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn),)
    matmul[grid](Array(a), B, c, m, n, k, k, 1, *((1, k) if transposed else (n, 1)), BM=bm, BN=bn, BK=bk, GROUP=4, PRECISION=precision,
                 ACCUMULATOR=accumulator, RELU=relu, num_stages=stages, num_warps=warps)
    return c.numpy()


FP8 = {ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2}


def matrix(rng, shape, dtype):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-20 if np.dtype(dtype).kind == "i" else 0, 20, shape).astype(dtype)
    return rng.standard_normal(shape).astype(np.float32).astype(dtype)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype, out, bk", [
    (np.float16, np.float16, 32), (np.float16, np.float32, 64), (ml_dtypes.bfloat16, np.float32, 64), (np.float32, np.float32, 32),
    (ml_dtypes.float8_e4m3fn, np.float32, 64), (ml_dtypes.float8_e5m2, np.float16, 128), (np.int8, np.int32, 64),
])
def test_matmul(dtype, out, bk, transposed, rng, capability):
    if dtype == ml_dtypes.float8_e4m3fn and capability < 89:
        pytest.skip("Triton has float8e4nv from compute capability 8.9 on")
    a, b = matrix(rng, (100, 200), dtype), matrix(rng, (200, 136), dtype)
    got = run_matmul(a, b, out, bk=bk, transposed=transposed, accumulator=tl.int32 if out == np.int32 else tl.float32)
    want = a.astype(np.float64) @ b.astype(np.float64)
    scale = {np.float32: 2e-3, np.float16: 1e-3, np.int32: 0}[out] if dtype not in FP8 else 2e-2
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=scale, atol=scale * np.abs(want).max())


@pytest.mark.parametrize("precision, error", [("ieee", 1e-6), ("tf32x3", 3e-6), ("tf32", 2e-3)])
def test_precision_of_f32(precision, error, rng):
    a, b = matrix(rng, (64, 128), np.float32), matrix(rng, (128, 64), np.float32)
    got = run_matmul(a, b, np.float32, precision=precision)
    want = a.astype(np.float64) @ b.astype(np.float64)
    assert np.abs(got - want).max() < error * np.abs(want).max() * 2


@pytest.mark.parametrize("bm, bn, bk, stages, warps", [(128, 128, 64, 4, 8), (128, 64, 32, 2, 4), (16, 32, 64, 5, 2), (64, 256, 16, 1, 4), (32, 16, 128, 2, 1)])
def test_tiles(bm, bn, bk, stages, warps, rng):
    a, b = matrix(rng, (130, 160), np.float16), matrix(rng, (160, 260), np.float16)
    got = run_matmul(a, b, np.float16, bm=bm, bn=bn, bk=bk, stages=stages, warps=warps, relu=True)
    want = np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0)
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=2e-3, atol=2e-2)


def test_half_accumulator(rng):
    a, b = matrix(rng, (64, 64), np.float16), matrix(rng, (64, 64), np.float16)
    got = run_matmul(a, b, np.float16, accumulator=tl.float16)
    np.testing.assert_allclose(got.astype(np.float64), a.astype(np.float64) @ b.astype(np.float64), atol=0.1)


@triton.jit
def small_dots(a, b, c, BATCH: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, m, n, k = tl.arange(0, BATCH)[:, None, None], tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i * M * K + m[None, :, None] * K + k[None, None, :])
    y = tl.load(b + i * K * N + k[None, :, None] * N + n[None, None, :])
    tl.store(c + i * M * N + m[None, :, None] * N + n[None, None, :], tl.dot(x, y))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_batched_dot(dtype, rng):
    a, b = matrix(rng, (4, 32, 16), dtype), matrix(rng, (4, 16, 32), dtype)
    c = zeros((4, 32, 32), np.float32)
    small_dots[(1,)](Array(a), Array(b), c, BATCH=4, M=32, N=32, K=16)
    np.testing.assert_allclose(c.numpy(), a.astype(np.float64) @ b.astype(np.float64), atol=2e-2)


@triton.jit
def double_dot(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c + i, tl.dot(tl.load(a + i), tl.load(b + i), out_dtype=tl.float64))


def test_dot_of_doubles(rng):
    a, b = rng.standard_normal((32, 32)), rng.standard_normal((32, 32))
    c = zeros((32, 32), np.float64)
    double_dot[(1,)](Array(a), Array(b), c, N=32)
    np.testing.assert_allclose(c.numpy(), a @ b, rtol=1e-12, atol=1e-12)


@triton.jit
def int4_matmul(a, b, scales, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """b holds two weights of 4 bits a byte, along K."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 2)
    packed = tl.load(b + k[:, None] * N + n[None, :])
    low, high = (packed << 4).to(tl.int8) >> 4, packed.to(tl.int8) >> 4
    w = tl.join(low, high).permute(0, 2, 1).reshape(K, N).to(tl.float16)
    x = tl.load(a + m[:, None] * K + tl.arange(0, K)[None, :])
    tl.store(c + m[:, None] * N + n[None, :], tl.dot(x, w) * tl.load(scales + n)[None, :])


def test_weights_of_4_bits(rng):
    M, N, K = 32, 64, 128
    a, w, scales = matrix(rng, (M, K), np.float16), rng.integers(-8, 8, (K, N)), rng.uniform(0.5, 2, N).astype(np.float32)
    packed = ((w[0::2] & 15) | (w[1::2] & 15) << 4).astype(np.uint8).view(np.int8)
    c = zeros((M, N), np.float32)
    int4_matmul[(1,)](Array(a), Array(packed), Array(scales), c, M=M, N=N, K=K)
    np.testing.assert_allclose(c.numpy(), a.astype(np.float64) @ w * scales, rtol=1e-3, atol=1e-2)


@triton.jit
def scaled_dot(a, sa, b, sb, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FA: tl.constexpr, FB: tl.constexpr):
    """Microscaling: a scale of 8 exponent bits for 32 elements along K; e2m1 has two elements a byte."""
    PA: tl.constexpr = 2 if FA == "e2m1" else 1
    PB: tl.constexpr = 2 if FB == "e2m1" else 1
    m, n, ks = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * (K // PA) + tl.arange(0, K // PA)[None, :])
    y = tl.load(b + tl.arange(0, K // PB)[:, None] * N + n[None, :])
    xs, ys = tl.load(sa + m[:, None] * (K // 32) + ks[None, :]), tl.load(sb + n[:, None] * (K // 32) + ks[None, :])
    tl.store(c + m[:, None] * N + n[None, :], tl.dot_scaled(x, xs, FA, y, ys, FB))


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def scaled_operand(rng, rows, k, form):
    """Values, bytes (packed along k) and scales of a matrix of rows by k."""
    scales = rng.integers(124, 131, (rows, k // 32)).astype(np.uint8)
    if form == "e2m1":
        codes = rng.integers(0, 16, (rows, k))
        values, data = E2M1[codes], (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)
    else:
        dtype = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[form]
        x = rng.standard_normal((rows, k)).astype(dtype)
        values, data = x.astype(np.float64), x
    return values * np.repeat(2.0 ** (scales.astype(int) - 127), 32, axis=1), data, scales


@pytest.mark.parametrize("fa, fb", [("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e2m1", "e2m1"), ("e4m3", "e2m1")])
def test_scaled_dot(fa, fb, rng, capability):
    if capability < 89 and "e4m3" in (fa, fb):
        pytest.skip("Triton has float8e4nv from compute capability 8.9 on")
    M, N, K = 128, 128, 128
    a, da, sa = scaled_operand(rng, M, K, fa)
    b, db, sb = scaled_operand(rng, N, K, fb)
    c = zeros((M, N), np.float32)
    scaled_dot[(1,)](Array(da), Array(sa), Array(db.T.copy()), Array(sb), c, M=M, N=N, K=K, FA=fa, FB=fb)
    want = a @ b.T
    np.testing.assert_allclose(c.numpy(), want, rtol=1e-2, atol=1e-2 * np.abs(want).max())


@triton.jit
def descriptor_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPECIALIZED: tl.constexpr):
    """A persistent product of a and the transposed b, whose blocks move by descriptors from the host."""
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, tl.num_programs(0), flatten=not SPECIALIZED, warp_specialize=SPECIALIZED):
        m, n = tile // columns * BM, tile % columns * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            acc = tl.dot(a.load([m, k * BK]), b.load([n, k * BK]).T, acc)
        c.store([m, n], acc.to(c.dtype))


@pytest.mark.parametrize("specialized", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
def test_persistent_matmul_with_host_descriptors(dtype, specialized, rng):
    M, N, K, BM, BN, BK = 256, 384, 192, 64 if specialized else 128, 128, 64
    a, b = matrix(rng, (M, K), dtype), matrix(rng, (N, K), dtype)
    A, B, C = Array(a), Array(b), zeros((M, N), np.float16)
    descriptors = [TensorDescriptor(x, list(x.shape), x.stride(), block) for x, block in [(A, [BM, BK]), (B, [BN, BK]), (C, [BM, BN])]]
    descriptor_matmul[(3,)](*descriptors, M, N, K, BM=BM, BN=BN, BK=BK, SPECIALIZED=specialized, num_warps=4, num_stages=3)
    want = a.astype(np.float64) @ b.astype(np.float64).T
    scale = 2e-2 if dtype in FP8 else 2e-3
    np.testing.assert_allclose(C.numpy().astype(np.float64), want, rtol=scale, atol=scale * np.abs(want).max())


@triton.jit
def device_descriptor_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    A = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    B = tl.make_tensor_descriptor(b, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    C = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(A.load([m, k]), B.load([k, n]), acc)
    C.store([m, n], acc.to(c.dtype.element_ty))


def test_matmul_with_device_descriptors(rng):
    triton.set_allocator(allocate)
    M, N, K = 200, 160, 96  # the descriptors cut what is outside
    a, b = matrix(rng, (M, K), np.float16), matrix(rng, (K, N), np.float16)
    c = zeros((M, N), np.float32)
    device_descriptor_matmul[(2, 2)](Array(a), Array(b), c, M, N, K, BM=128, BN=128, BK=64)
    np.testing.assert_allclose(c.numpy(), a.astype(np.float64) @ b.astype(np.float64), rtol=2e-3, atol=2e-2)


@triton.jit
def descriptor_moves(x, out, rows, n, M: tl.constexpr, N: tl.constexpr):
    X = tl.make_tensor_descriptor(x, shape=[rows, n], strides=[n, 1], block_shape=[M, N])
    O = tl.make_tensor_descriptor(out, shape=[rows, n], strides=[n, 1], block_shape=[M, N])
    at = [tl.program_id(0) * M, tl.program_id(1) * N]
    O.atomic_add(at, X.load(at) * 2)


def test_reduction_by_descriptor(rng):
    triton.set_allocator(allocate)
    x, start = (rng.integers(0, 100, (40, 64)).astype(np.int32) for _ in range(2))
    out = Array(start)  # the last blocks are partly outside
    descriptor_moves[(3, 2)](Array(x), out, 40, 64, M=16, N=32)
    np.testing.assert_array_equal(out.numpy(), start + 2 * x)


@triton.jit
def gather_rows(x, i, out, rows, n, COUNT: tl.constexpr, N: tl.constexpr):
    X = tl.make_tensor_descriptor(x, shape=[rows, n], strides=[n, 1], block_shape=[1, N])
    v = X.gather(tl.load(i + tl.arange(0, COUNT)), 0)
    tl.store(out + tl.arange(0, COUNT)[:, None] * N + tl.arange(0, N)[None, :], v)


def test_gather_by_descriptor(rng, capability):
    if capability // 10 != 10:
        pytest.skip("Triton gathers rows by descriptors on compute capability 10.x")
    triton.set_allocator(allocate)
    x, i = rng.standard_normal((64, 64)).astype(np.float32), rng.integers(0, 64, 32).astype(np.int32)
    out = zeros((32, 32), np.float32)
    gather_rows[(1,)](Array(x), Array(i), out, 64, 64, COUNT=32, N=32)
    np.testing.assert_array_equal(out.numpy(), x[i, :32])


@triton.jit
def attention(q, k, v, out, length, scale, DIM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    start, head = tl.program_id(0) * BM, tl.program_id(1) * length * DIM
    rows, d = start + tl.arange(0, BM), tl.arange(0, DIM)
    Q = tl.load(q + head + rows[:, None] * DIM + d[None, :])
    most = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, DIM], tl.float32)
    scale *= 1.44269504  # exp2 is the chip's own
    end = start + BM if CAUSAL else length
    for n in range(0, end, BN):
        columns = n + tl.arange(0, BN)
        K = tl.load(k + head + columns[None, :] * DIM + d[:, None])
        s = tl.dot(Q, K) * scale
        if CAUSAL:
            s = tl.where(rows[:, None] >= columns[None, :], s, -1e6)
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        old = tl.exp2(most - now)
        total = total * old + tl.sum(p, 1)
        V = tl.load(v + head + columns[:, None] * DIM + d[None, :])
        acc = tl.dot(p.to(V.dtype), V, acc * old[:, None])
        most = now
    tl.store(out + head + rows[:, None] * DIM + d[None, :], (acc / total[:, None]).to(out.dtype.element_ty))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype, dim", [(np.float16, 64), (ml_dtypes.bfloat16, 32), (np.float16, 128)])
def test_attention(dtype, dim, causal, rng):
    heads, length = 2, 256
    q, k, v = (matrix(rng, (heads, length, dim), dtype) for _ in range(3))
    out = zeros(q.shape, np.float32)
    attention[(length // 64, heads)](Array(q), Array(k), Array(v), out, length, dim**-0.5, DIM=dim, BM=64, BN=64, CAUSAL=causal)
    s = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * dim**-0.5
    if causal:
        s[:, np.triu(np.ones((length, length), bool), 1)] = -np.inf
    p = np.exp(s - s.max(2, keepdims=True))
    want = p / p.sum(2, keepdims=True) @ v.astype(np.float64)
    np.testing.assert_allclose(out.numpy(), want, atol=2e-2 if dtype == ml_dtypes.bfloat16 else 4e-3)


@triton.autotune(configs=[triton.Config({"BM": 32, "BN": 32}, num_warps=2), triton.Config({"BM": 64, "BN": 64}, num_warps=4)], key=["n"],
                 do_bench=lambda call, quantiles: [call() or 1.0] * 3)
@triton.jit
def outer(x, y, out, n, BM: tl.constexpr, BN: tl.constexpr):
    m, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(out + m[:, None] * n + k[None, :], tl.load(x + m)[:, None] * tl.load(y + k)[None, :])


def test_autotuning(rng):
    x, y = rng.standard_normal(128).astype(np.float32), rng.standard_normal(128).astype(np.float32)
    out = zeros((128, 128), np.float32)
    outer[lambda c: (128 // c["BM"], 128 // c["BN"])](Array(x), Array(y), out, 128)
    np.testing.assert_allclose(out.numpy(), np.outer(x, y), rtol=1e-6)


def test_compiled_kernel_tells_its_resources(rng):
    a = Array(matrix(rng, (128, 64), np.float16))
    kernel = matmul.warmup(a, a, zeros((128, 128), np.float16), 128, 128, 64, 64, 1, 128, 1, BM=128, BN=128, BK=64, GROUP=4, PRECISION="tf32",
                           ACCUMULATOR=tl.float32, RELU=False, grid=(1,))
    kernel._init_handles()
    assert kernel.metadata.shared > 32768 and 16 <= kernel.n_regs <= 255 and kernel.n_spills == 0 and kernel.n_max_threads == 1024
