"""Kernels whose elements are independent: loads, arithmetic, conversions, math, random numbers, inline assembly."""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice

from device import Array, zeros

BLOCK = 256


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32])
def test_add(dtype, rng):
    x, y = (rng.integers(0, 50, 1000).astype(dtype) for _ in range(2))
    out = zeros(1000, dtype)
    add[(triton.cdiv(1000, BLOCK),)](Array(x), Array(y), out, 1000, BLOCK=BLOCK)
    np.testing.assert_array_equal(out.numpy(), x + y)


@triton.jit
def convert(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


CONVERSIONS = [
    (np.float32, np.float16), (np.float32, ml_dtypes.bfloat16), (np.float16, np.float32), (ml_dtypes.bfloat16, np.float32),
    (np.float32, np.int32), (np.int32, np.float32), (np.float64, np.float32), (np.int64, np.float64), (np.float16, np.int8),
    (np.uint8, np.float16), (np.float32, ml_dtypes.float8_e5m2), (ml_dtypes.float8_e5m2, np.float32),
    (np.float32, ml_dtypes.float8_e4m3fn), (ml_dtypes.float8_e4m3fn, np.float16), (ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16),
]


@pytest.mark.parametrize("source, target", CONVERSIONS, ids=lambda t: np.dtype(t).name)
def test_conversion(source, target, rng, capability):
    if capability < 89 and ml_dtypes.float8_e4m3fn in (source, target):
        pytest.skip("Triton has float8e4nv from compute capability 8.9 on")
    x = (rng.standard_normal(1024) * 20).astype(source)
    if source == np.uint8:
        x = rng.integers(0, 256, 1024).astype(source)
    out = zeros(1024, target)
    convert[(4,)](Array(x), out, BLOCK=BLOCK)
    np.testing.assert_array_equal(out.numpy(), x.astype(target))


@triton.jit
def math(x, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    if FUNCTION == "exp":
        v = tl.exp(v)
    elif FUNCTION == "exp2":
        v = tl.exp2(v)
    elif FUNCTION == "log":
        v = tl.log(v)
    elif FUNCTION == "log2":
        v = tl.log2(v)
    elif FUNCTION == "sin":
        v = tl.sin(v)
    elif FUNCTION == "cos":
        v = tl.cos(v)
    elif FUNCTION == "sqrt":
        v = tl.sqrt(v)
    elif FUNCTION == "sqrt_rn":
        v = tl.sqrt_rn(v)
    elif FUNCTION == "rsqrt":
        v = tl.rsqrt(v)
    elif FUNCTION == "floor":
        v = tl.floor(v)
    elif FUNCTION == "ceil":
        v = tl.ceil(v)
    elif FUNCTION == "sigmoid":
        v = tl.sigmoid(v)
    elif FUNCTION == "erf":
        v = tl.erf(v)
    elif FUNCTION == "tanh":
        v = libdevice.tanh(v)
    elif FUNCTION == "asin":
        v = libdevice.asin(v * 0.1)
    elif FUNCTION == "pow":
        v = libdevice.pow(v, v)
    elif FUNCTION == "expm1":
        v = libdevice.expm1(v)
    elif FUNCTION == "lgamma":
        v = libdevice.lgamma(v)
    elif FUNCTION == "j0":
        v = libdevice.j0(v)
    elif FUNCTION == "rint":
        v = libdevice.rint(v)
    elif FUNCTION == "cbrt":
        v = libdevice.cbrt(v)
    elif FUNCTION == "div_rn":
        v = tl.div_rn(1.0, v)
    tl.store(out + i, v)


def gamma_log(x):
    from math import lgamma

    return np.array([lgamma(v) for v in x])


def bessel_j0(x):
    """J0 by its integral over half a period."""
    t = (np.arange(2000) + 0.5) * np.pi / 2000
    return np.cos(x[:, None] * np.sin(t)).mean(axis=1)


def erf(x):
    from math import erf as of

    return np.array([of(v) for v in x])


FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "sqrt_rn": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "floor": np.floor, "ceil": np.ceil, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": erf,
    "tanh": np.tanh, "asin": lambda x: np.arcsin(x * 0.1), "pow": lambda x: x**x, "expm1": np.expm1, "lgamma": gamma_log,
    "j0": bessel_j0, "rint": np.rint, "cbrt": np.cbrt, "div_rn": lambda x: 1 / x,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_math(name, rng):
    x = rng.uniform(0.1, 9, 512).astype(np.float32)
    out = zeros(512, np.float32)
    math[(2,)](Array(x), out, FUNCTION=name, BLOCK=BLOCK)
    np.testing.assert_allclose(out.numpy(), FUNCTIONS[name](x.astype(np.float64)), rtol=5e-6, atol=5e-6)


@pytest.mark.parametrize("name", ["exp", "log", "sin", "sqrt", "floor", "tanh", "pow", "erf", "cbrt"])
def test_math_of_doubles(name, rng):
    x = rng.uniform(0.1, 9, 512)
    out = zeros(512, np.float64)
    math[(2,)](Array(x), out, FUNCTION=name, BLOCK=BLOCK)
    np.testing.assert_allclose(out.numpy(), FUNCTIONS[name](x), rtol=1e-12, atol=1e-12)


@triton.jit
def integers(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a // b)
    tl.store(out + n + i, a % b)
    tl.store(out + 2 * n + i, tl.umulhi(a.to(tl.uint32), b.to(tl.uint32)).to(tl.int32))
    tl.store(out + 3 * n + i, (a << (b & 7)) ^ (a >> 3) | (a & b))
    tl.store(out + 4 * n + i, tl.abs(a) + tl.minimum(a, b) - tl.maximum(a, b))
    tl.store(out + 5 * n + i, tl.where(a > b, a, tl.clamp(b.to(tl.float32), 3.0, 9.0).to(tl.int32)))


def test_integers(rng):
    x = rng.integers(-1000000, 1000000, 256).astype(np.int32)
    y = rng.integers(1, 1000, 256).astype(np.int32)
    out = zeros((6, 256), np.int32)
    integers[(1,)](Array(x), Array(y), out, 256, BLOCK=256)
    quotient = np.trunc(x / y).astype(np.int32)
    high = (x.view(np.uint32).astype(np.uint64) * y.astype(np.uint64) >> 32).astype(np.uint32).view(np.int32)
    want = [quotient, x - quotient * y, high, (x << (y & 7)) ^ (x >> 3) | (x & y), np.abs(x) + np.minimum(x, y) - np.maximum(x, y),
            np.where(x > y, x, np.clip(y, 3, 9))]
    np.testing.assert_array_equal(out.numpy(), want)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


def philox(seed, counters, rounds=10):
    """The first word of Philox 4x32 for each counter."""
    mask = np.uint64(0xFFFFFFFF)
    c0 = counters.astype(np.uint64)
    c1, c2, c3 = (np.zeros_like(c0) for _ in range(3))
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    a, b = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
    for _ in range(rounds):
        p0, p1 = a * c0, b * c2
        c0, c1, c2, c3 = (p1 >> np.uint64(32)) ^ c1 ^ k0, p1 & mask, (p0 >> np.uint64(32)) ^ c3 ^ k1, p0 & mask
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & mask, (k1 + np.uint64(0xBB67AE85)) & mask
    return c0.astype(np.uint32)


def test_dropout(rng):
    n, p, seed = 5000, 0.3, 12345
    x = rng.standard_normal(n).astype(np.float32)
    out = zeros(n, np.float32)
    dropout[(triton.cdiv(n, BLOCK),)](Array(x), out, n, p, seed, BLOCK=BLOCK)
    bits = philox(seed, np.arange(n)).view(np.int32).astype(np.int64)
    uniform = np.where(bits < 0, -bits - 1, bits) * 4.6566127342e-10
    np.testing.assert_allclose(out.numpy(), np.where(uniform > p, x / (1 - p), 0), rtol=1e-6)


@triton.jit
def normal(out, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.randn(seed, i))


def test_normal():
    out = zeros(8192, np.float32)
    normal[(32,)](out, 3, BLOCK=BLOCK)
    got = out.numpy()
    assert abs(got.mean()) < 0.05 and abs(got.std() - 1) < 0.05 and len(np.unique(got)) > 8000


@triton.jit
def assembly(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    both = tl.inline_asm_elementwise("{ .reg .b32 t; lop3.b32 t, $1, $2, 0, 0x3c; popc.b32 $0, t; }", "=r,r,r", [a, b], dtype=tl.int32,
                                     is_pure=True, pack=1)
    tl.store(out + i, both)


def test_inline_assembly(rng):
    x, y = (rng.integers(0, 2**31, 256).astype(np.int32) for _ in range(2))
    out = zeros(256, np.int32)
    assembly[(1,)](Array(x), Array(y), out, BLOCK=256)
    np.testing.assert_array_equal(out.numpy(), np.bitwise_count(x ^ y))


@triton.jit
def packed_assembly(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.inline_asm_elementwise("prmt.b32 $0, $1, 0, 0x0123;", "=r,r",
                                                [tl.load(x + i)], dtype=tl.uint8, is_pure=True, pack=4))


def test_inline_assembly_of_packed_elements(rng):
    x = rng.integers(0, 256, 1024).astype(np.uint8)
    out = zeros(1024, np.uint8)
    packed_assembly[(1,)](Array(x), out, BLOCK=1024)
    np.testing.assert_array_equal(out.numpy(), x.reshape(-1, 4)[:, ::-1].ravel())


@triton.jit
def blocks(out, BLOCK: tl.constexpr):
    z, y, x = tl.program_id(2), tl.program_id(1), tl.program_id(0)
    block = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + block * BLOCK + tl.arange(0, BLOCK), block)


def test_grid():
    out = zeros(3 * 5 * 7 * 32, np.int32)
    blocks[(3, 5, 7)](out, BLOCK=32)
    np.testing.assert_array_equal(out.numpy(), np.repeat(np.arange(105), 32))
