"""Kernels whose elements work together: reductions, scans, sorting, gathers, histograms, atomics, normalization."""

import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl

from device import Array, synchronize, zeros


@triton.jit
def reduce(x, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, KIND: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if KIND == "sum":
        r = tl.sum(v, AXIS)
    elif KIND == "max":
        r = tl.max(v, AXIS)
    elif KIND == "min":
        r = tl.min(v, AXIS)
    elif KIND == "argmax":
        r = tl.argmax(v, AXIS)
    elif KIND == "argmin":
        r = tl.argmin(v, AXIS)
    elif KIND == "xor":
        r = tl.xor_sum(v, AXIS)
    tl.store(out + tl.arange(0, M if AXIS == 1 else N), r)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind, dtype", [(k, d) for k in ["sum", "max", "min", "argmax", "argmin"] for d in [np.float32, np.int32]] +
                         [("xor", np.int32), ("sum", np.float64), ("max", np.float16), ("max", np.int64), ("min", np.uint8), ("sum", np.float16)])
def test_reduction(kind, dtype, axis, rng):
    x = (rng.standard_normal((32, 128)) * 100).astype(dtype) if dtype != np.float16 else rng.integers(-4, 5, (32, 128)).astype(dtype)
    want = np.bitwise_xor.reduce(x, axis) if kind == "xor" else getattr(np, kind)(x, axis)
    out = zeros(want.shape, np.int32 if kind.startswith("arg") else dtype)
    reduce[(1,)](Array(x), out, M=32, N=128, AXIS=axis, KIND=kind)
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-5, atol=1e-3)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def first_order(fa, xa, fb, xb):
    """Joins two steps of x <- f * x + input."""
    return fa * fb, fb * xa + xb


@triton.jit
def scan(x, f, out, N: tl.constexpr, KIND: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    if KIND == "sum":
        v = tl.cumsum(v, 0, reverse=REVERSE)
    elif KIND == "product":
        v = tl.associative_scan(v, 0, multiply, reverse=REVERSE)
    elif KIND == "recurrence":
        _, v = tl.associative_scan((tl.load(f + i), v), 0, first_order, reverse=REVERSE)
    tl.store(out + i, v)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["sum", "product", "recurrence"])
def test_scan(kind, reverse, rng):
    x, f = (rng.uniform(0.9, 1.1, (3, 512)).astype(np.float32) for _ in range(2))
    out = zeros(x.shape, np.float32)
    scan[(3,)](Array(x), Array(f), out, N=512, KIND=kind, REVERSE=reverse)
    if reverse:
        x, f = x[:, ::-1], f[:, ::-1]
    x, f = x.astype(np.float64), f.astype(np.float64)
    want = {"sum": np.cumsum, "product": np.cumprod}.get(kind, lambda v, axis: v.copy())(x, axis=1)
    if kind == "recurrence":
        for i in range(1, 512):
            want[:, i] += f[:, i] * want[:, i - 1]
    np.testing.assert_allclose(out.numpy(), want[:, ::-1] if reverse else want, rtol=2e-4)


@triton.jit
def sort(x, out, N: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.sort(tl.load(x + i), descending=DESCENDING))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.float16])
def test_sort(dtype, descending, rng):
    x = (rng.standard_normal((2, 256)) * 1000).astype(dtype)
    out = zeros(x.shape, dtype)
    sort[(2,)](Array(x), out, N=256, DESCENDING=descending)
    np.testing.assert_array_equal(out.numpy(), np.sort(x, 1)[:, ::-1] if descending else np.sort(x, 1))


@triton.jit
def argsort(x, out, N: tl.constexpr):
    """Sorts keys with their places in the low bits."""
    i = tl.arange(0, N)
    pairs = tl.load(x + i).to(tl.int64) * N + i
    tl.store(out + i, (tl.sort(pairs) & (N - 1)).to(tl.int32))


def test_argsort(rng):
    x = rng.integers(-50, 50, 512).astype(np.int32)
    out = zeros(512, np.int32)
    argsort[(1,)](Array(x), out, N=512)
    np.testing.assert_array_equal(out.numpy(), np.argsort(x, kind="stable"))


@triton.jit
def shapes(x, i, out, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    v = tl.load(x + rows * N + columns)
    tl.store(out + rows * N + columns, tl.gather(v, tl.load(i + rows * N + columns), 1))
    tl.store(out + M * N + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], tl.trans(v))
    tl.store(out + 2 * M * N + rows * N + columns, tl.flip(v, 1))
    a, b = tl.split(tl.reshape(v, (M, N // 2, 2)))
    tl.store(out + 3 * M * N + rows * N + columns, tl.join(b, a).reshape(M, N))
    tl.store(out + 4 * M * N + rows * N + columns, tl.interleave(b, a) + tl.broadcast_to(tl.max(v, 1)[:, None], (M, N)))


def test_shapes(rng):
    x = rng.standard_normal((16, 64)).astype(np.float32)
    i = rng.integers(0, 64, (16, 64)).astype(np.int32)
    out = zeros((5, 16 * 64), np.float32)
    shapes[(1,)](Array(x), Array(i), out, M=16, N=64)
    swapped = x.reshape(16, 32, 2)[:, :, ::-1].reshape(16, 64)
    want = [np.take_along_axis(x, i, 1), x.T, x[:, ::-1], swapped, swapped + x.max(1, keepdims=True)]
    np.testing.assert_array_equal(out.numpy(), [w.ravel() for w in want])


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


def test_histogram(rng):
    x = rng.integers(0, 64, 3000).astype(np.int32)
    out = zeros(64, np.int32)
    histogram[(6,)](Array(x), out, 3000, BLOCK=512, BINS=64)
    np.testing.assert_array_equal(out.numpy(), np.bincount(x, minlength=64))


@triton.jit
def atomics(x, place, out, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v, p = tl.load(x + i), out + tl.load(place + i)
    if KIND == "add":
        tl.atomic_add(p, v)
    elif KIND == "add_acq_rel":
        tl.atomic_add(p, v, sem="acq_rel", scope="sys")
    elif KIND == "max":
        tl.atomic_max(p, v)
    elif KIND == "min":
        tl.atomic_min(p, v)
    elif KIND == "and":
        tl.atomic_and(p, v)
    elif KIND == "or":
        tl.atomic_or(p, v)
    elif KIND == "xor":
        tl.atomic_xor(p, v)


ATOMICS = {"add": np.add, "add_acq_rel": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or,
           "xor": np.bitwise_xor}


@pytest.mark.parametrize("kind, dtype", [(k, np.int32) for k in ATOMICS] + [("max", np.int64), ("and", np.int64), ("max", np.uint32)] +
                         [(k, np.float32) for k in ["add", "max", "min"]] + [("add", np.float64), ("add", np.float16), ("add", ml_dtypes.bfloat16)])
def test_atomics(kind, dtype, rng, capability):
    if dtype == ml_dtypes.bfloat16 and capability < 90:
        pytest.skip("Triton has atomic additions of bfloat16 from compute capability 9.0 on")
    small = np.dtype(dtype).itemsize == 2
    x = rng.integers(0, 4 if small else 10000, 1024).astype(dtype)
    place = rng.integers(0, 37, 1024).astype(np.int32)
    start = rng.integers(0, 4 if small else 10000, 37).astype(dtype)
    out = Array(start)
    atomics[(4,)](Array(x), Array(place), out, KIND=kind, BLOCK=256)
    want = start.astype(np.float64) if start.dtype.kind not in "iu" else start.copy()
    ATOMICS[kind].at(want, place, x.astype(want.dtype))
    np.testing.assert_array_equal(out.numpy().astype(want.dtype), want)


@triton.jit
def locked_sum(x, lock, total, BLOCK: tl.constexpr):
    part = tl.sum(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)), 0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + part)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def test_lock(rng):
    x = rng.integers(0, 100, 32 * 128).astype(np.int32)
    lock, total = zeros(1, np.int32), zeros(1, np.int32)
    locked_sum[(32,)](Array(x), lock, total, BLOCK=128)
    assert total.numpy()[0] == x.sum()


@triton.jit
def softmax(x, out, stride, n, rows, BLOCK: tl.constexpr, num_stages: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=num_stages):
        i = tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
        e = tl.exp(v - tl.max(v, 0))
        tl.store(out + row * stride + i, e / tl.sum(e, 0), mask=i < n)


def normalized(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("n", [781, 1024])
def test_softmax(n, rng):
    x = rng.standard_normal((13, n)).astype(np.float32)
    out = zeros(x.shape, np.float32)
    softmax[(4,)](Array(x), out, n, n, 13, BLOCK=1024, num_stages=3)
    np.testing.assert_allclose(out.numpy(), normalized(x), rtol=1e-5, atol=1e-7)


@triton.jit
def layer_norm(x, y, w, b, mean, rstd, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * stride + i, mask=i < n, other=0.0).to(tl.float32)
    m = tl.sum(total, axis=0) / n
    square = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.where(i < n, tl.load(x + row * stride + i, mask=i < n, other=0.0).to(tl.float32) - m, 0.0)
        square += d * d
    r = 1 / tl.sqrt(tl.sum(square, axis=0) / n + eps)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + i, mask=i < n).to(tl.float32)
        out = (v - m) * r * tl.load(w + i, mask=i < n) + tl.load(b + i, mask=i < n)
        tl.store(y + row * stride + i, out, mask=i < n)


@triton.jit
def layer_norm_backward(dx, dy, dw, db, x, w, mean, rstd, locks, stride, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    ok = i < n
    v, d = tl.load(x + row * stride + i, mask=ok, other=0), tl.load(dy + row * stride + i, mask=ok, other=0)
    r = tl.load(rstd + row)
    hat = tl.where(ok, (v - tl.load(mean + row)) * r, 0.0)
    wd = tl.where(ok, tl.load(w + i, mask=ok) * d, 0.0)
    c1, c2 = tl.sum(hat * wd, axis=0) / n, tl.sum(wd, axis=0) / n
    tl.store(dx + row * stride + i, (wd - (hat * c1 + c2)) * r, mask=ok)
    # The sums over rows go to one of several buffers, under its lock; a second number tells that it has been written.
    group = row % GROUP
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    pw, pb = d * hat, d
    if tl.load(locks + GROUP + group) == 0:
        tl.atomic_xchg(locks + GROUP + group, 1)
    else:
        pw += tl.load(dw + group * n + i, mask=ok)
        pb += tl.load(db + group * n + i, mask=ok)
    tl.store(dw + group * n + i, pw, mask=ok)
    tl.store(db + group * n + i, pb, mask=ok)
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


def test_layer_norm(rng):
    rows, n, groups = 20, 200, 4
    x, dy = (rng.standard_normal((rows, n)).astype(np.float32) for _ in range(2))
    w, b = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
    X, W, mean, rstd = Array(x), Array(w), zeros(rows, np.float32), zeros(rows, np.float32)
    y = zeros(x.shape, np.float32)
    layer_norm[(rows,)](X, y, W, Array(b), mean, rstd, n, n, 1e-5, BLOCK=128)
    m, r = x.mean(1, keepdims=True), 1 / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    hat = (x - m) * r
    np.testing.assert_allclose(y.numpy(), hat * w + b, rtol=1e-4, atol=1e-5)

    dx, dw, db, locks = zeros(x.shape, np.float32), zeros((groups, n), np.float32), zeros((groups, n), np.float32), zeros(2 * groups, np.int32)
    layer_norm_backward[(rows,)](dx, Array(dy), dw, db, X, W, mean, rstd, locks, n, n, GROUP=groups, BLOCK=256)
    wd = w * dy
    want = (wd - hat * (hat * wd).mean(1, keepdims=True) - wd.mean(1, keepdims=True)) * r
    np.testing.assert_allclose(dx.numpy(), want, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(dw.numpy().sum(0), (dy * hat).sum(0), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(db.numpy().sum(0), dy.sum(0), rtol=1e-3, atol=1e-4)


@triton.jit
def welford(mean_a, square_a, weight_a, mean_b, square_b, weight_b):
    weight = weight_a + weight_b
    d = mean_b - mean_a
    return mean_a + d * weight_b / weight, square_a + square_b + d * d * weight_a * weight_b / weight, weight


@triton.jit
def moments(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    mean, square, weight = tl.reduce((v, tl.zeros_like(v), tl.full(v.shape, 1.0, tl.float32)), 0, welford)
    tl.store(out, mean)
    tl.store(out + 1, square / weight)


def test_reduction_of_tuples(rng):
    x = (rng.standard_normal(2048) + 5).astype(np.float32)
    out = zeros(2, np.float32)
    moments[(1,)](Array(x), out, N=2048)
    np.testing.assert_allclose(out.numpy(), [x.mean(), x.var()], rtol=1e-4)


@triton.jit
def printing(x):
    v = tl.load(x + tl.arange(0, 4))
    tl.device_print("value", v)


def test_print(capfd):
    printing[(2,)](Array(np.array([1.5, 2, 3, 4], np.float32)), num_warps=1)
    synchronize()
    lines = capfd.readouterr().out.splitlines()
    for block in range(2):
        for i, v in enumerate(["1.5", "2.0", "3.0", "4.0"]):
            assert any(line.startswith(f"pid ({block}, 0, 0) idx ({i})") and f"value: {v}" in line for line in lines), lines


@triton.jit
def asserting(x):
    tl.device_assert(tl.load(x + tl.arange(0, 32)) < 31, "too large")


def failing_assertion():
    asserting[(1,)](Array(np.arange(32, dtype=np.int32)), debug=True)
    synchronize()


def test_assertion():
    """It spoils the context, so it has a process of its own."""
    got = subprocess.run([sys.executable, "-c", "import test_blocks; test_blocks.failing_assertion()"], cwd=os.path.dirname(__file__),
                         capture_output=True, text=True)
    assert "CUDA_ERROR_ASSERT" in got.stderr and "Assertion `too large` failed" in got.stderr, got.stderr
