"""Operations against NumPy, over types, shapes and ways to schedule."""

import ml_dtypes
import numpy as np
import pytest
from tinygrad import Device, Tensor, TinyJit, Variable, dtypes
from tinygrad.helpers import Context

TYPES = {
    "float32": (dtypes.float32, np.float32), "float16": (dtypes.float16, np.float16), "bfloat16": (dtypes.bfloat16, ml_dtypes.bfloat16),
    "float64": (dtypes.float64, np.float64), "int8": (dtypes.int8, np.int8), "uint8": (dtypes.uint8, np.uint8), "int16": (dtypes.int16, np.int16),
    "uint16": (dtypes.uint16, np.uint16), "int32": (dtypes.int32, np.int32), "uint32": (dtypes.uint32, np.uint32),
    "int64": (dtypes.int64, np.int64), "uint64": (dtypes.uint64, np.uint64), "bool": (dtypes.bool, np.bool_),
}
FLOATS = ["float32", "float16", "bfloat16", "float64"]
INTS = [n for n in TYPES if "int" in n]
ERROR = {"float64": 1e-7, "float32": 2e-5, "float16": 2e-3, "bfloat16": 2e-2}


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def values(rng, name, shape):
    if name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if name in INTS:
        return rng.integers(0 if name[0] == "u" else -100, 100, shape).astype(TYPES[name][1])
    return rng.uniform(-3, 3, shape).astype(np.float32).astype(TYPES[name][1])


def tensor(x, name):
    """A tensor of x on the GPU. NumPy's own types do not include bfloat16, which goes by its bits."""
    if name == "bfloat16":
        return Tensor(x.view(np.uint16)).bitcast(dtypes.bfloat16)
    return Tensor(x, dtype=TYPES[name][0])


def close(got, want, name):
    error = ERROR.get(name, 0)
    np.testing.assert_allclose(np.asarray(got, np.float64 if error else None), np.asarray(want, np.float64 if error else None), rtol=error, atol=error)


@pytest.mark.parametrize("name", FLOATS + INTS)
@pytest.mark.parametrize("operation", ["add", "subtract", "multiply", "maximum", "less", "equal"])
def test_pairs(operation, name, rng):
    x, y = values(rng, name, (33, 7)), values(rng, name, (33, 7))
    a, b = tensor(x, name), tensor(y, name)
    got = {"add": lambda: a + b, "subtract": lambda: a - b, "multiply": lambda: a * b, "maximum": lambda: a.maximum(b), "less": lambda: a < b,
           "equal": lambda: a == b}[operation]()
    want = getattr(np, operation)(x, y)
    got = got.float().numpy() if name == "bfloat16" and want.dtype != bool else got.numpy()
    close(got, want, name if want.dtype != bool else "")


@pytest.mark.parametrize("name", INTS)
def test_integers(name, rng):
    x, y = values(rng, name, 300), values(rng, name, 300)
    y[y == 0] = 1
    a, b = tensor(x, name), tensor(y, name)
    for got, want in [(a // b, x // y), (a % b, x % y), (a ^ b, x ^ y), (a & b, x & y), (a | b, x | y)]:
        np.testing.assert_array_equal(got.numpy(), want)
    s = (y & 3).astype(x.dtype)
    np.testing.assert_array_equal((a << 2).numpy(), x << 2)
    np.testing.assert_array_equal((a >> 1).numpy(), x >> 1)
    np.testing.assert_array_equal(tensor(s, name).numpy(), s)


UNARY = {
    "exp": np.exp, "log": lambda x: np.log(np.abs(x) + 0.1), "sqrt": lambda x: np.sqrt(np.abs(x)), "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "relu": lambda x: np.maximum(x, 0), "abs": np.abs, "floor": np.floor, "ceil": np.ceil,
    "round": np.round, "trunc": np.trunc, "square": np.square, "reciprocal": lambda x: 1 / (np.abs(x) + 1), "isnan": np.isnan,
}


# Of doubles, tinygrad's PTX has instructions that PTX lacks: ex2.approx.f64, lg2.approx.f64, rcp.approx.f64.
@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("operation", UNARY)
def test_functions(operation, name, rng):
    x = values(rng, name, (5, 77))
    a = tensor(x, name)
    argument = {"log": lambda: a.abs() + 0.1, "sqrt": a.abs, "reciprocal": lambda: a.abs() + 1}.get(operation, lambda: a)()
    got, want = getattr(argument, operation)(), UNARY[operation](x.astype(np.float64))
    if want.dtype == bool:
        np.testing.assert_array_equal(got.numpy(), want)
    else:
        np.testing.assert_allclose(got.float().numpy(), want, rtol=4 * ERROR[name], atol=4 * ERROR[name])


def test_special_values():
    x = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1e-40, 3e38], np.float32)
    a = Tensor(x)
    np.testing.assert_array_equal((a != a).numpy(), np.isnan(x))
    np.testing.assert_array_equal(a.isinf().numpy(), np.isinf(x))
    np.testing.assert_array_equal((a * 2).numpy(), x * 2)
    np.testing.assert_array_equal((1 / Tensor(np.array([0.0, -0.0, np.inf], np.float32))).numpy(), [np.inf, -np.inf, 0])


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_casts(source, target, rng):
    x = values(rng, source, 64)
    if target[0] == "u" and x.dtype.kind not in "ub":
        x = np.abs(x.astype(np.float32)).astype(x.dtype)
    # Realized, since within a kernel tinygrad computes bfloat16 as float32, without rounding.
    got = tensor(x, source).cast(TYPES[target][0]).realize()
    want = x.astype(np.float64).astype(TYPES[target][1])
    got = got.float().numpy() if target == "bfloat16" else got.numpy()
    np.testing.assert_array_equal(got, want.astype(got.dtype))


@pytest.mark.parametrize("name", ["float32", "float16", "float64", "int32", "int64", "uint8"])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_reductions(axis, name, rng):
    x = values(rng, name, (6, 65, 20))
    a = tensor(x, name)
    wide = x.astype(np.float64) if name in ERROR else x
    for operation in ["sum", "max", "min"]:
        want = getattr(wide, operation)(axis)
        got = getattr(a, operation)(axis=axis).numpy()
        scale = np.abs(wide).sum(axis).max() if operation == "sum" and name in ERROR else 1
        np.testing.assert_allclose(got.astype(np.float64), np.asarray(want).astype(np.float64), atol=ERROR.get(name, 0) * scale, rtol=ERROR.get(name, 0))
    np.testing.assert_array_equal(a.argmax(axis=axis).numpy(), x.argmax(axis))


def test_moments_and_scans(rng):
    x = values(rng, "float32", (9, 130))
    a = Tensor(x)
    close(a.mean(1).numpy(), x.mean(1), "float32")
    close(a.std(1).numpy(), x.std(1, ddof=1), "float32")
    close(a.cumsum(1).numpy(), x.astype(np.float64).cumsum(1), "float16")
    close(a.softmax(1).numpy(), np.exp(x) / np.exp(x).sum(1, keepdims=True), "float32")
    close(a.logsumexp(1).numpy(), np.log(np.exp(x.astype(np.float64)).sum(1)), "float32")
    np.testing.assert_array_equal(a.sort(1)[0].numpy(), np.sort(x, 1))
    np.testing.assert_array_equal(a.cummax(1)[0].numpy(), np.maximum.accumulate(x, 1))


def test_movement(rng):
    x = values(rng, "float32", (4, 6, 5))
    a = Tensor(x)
    for got, want in [
        (a.permute(2, 0, 1), x.transpose(2, 0, 1)), (a.reshape(24, 5).T, x.reshape(24, 5).T), (a.flip((0, 2)), x[::-1, :, ::-1]),
        (a[1:3, ::2, -1], x[1:3, ::2, -1]), (a.pad(((1, 2), (0, 0), (3, 0))), np.pad(x, ((1, 2), (0, 0), (3, 0)))),
        (a.expand(3, 4, 6, 5), np.broadcast_to(x, (3, 4, 6, 5))), (Tensor.cat(a, a, dim=1), np.concatenate([x, x], 1)),
        (a.repeat((1, 2, 3)), np.tile(x, (1, 2, 3))), (a[:, Tensor([5, 0, 3])], x[:, [5, 0, 3]]), (a.roll(2, 1), np.roll(x, 2, 1)),
        (a.triu(), np.triu(x)), (a.gather(1, Tensor(np.full((4, 2, 5), 3))), x[:, [3, 3]]),
        (Tensor.where(a > 0, a, -1), np.where(x > 0, x, -1)), (Tensor.arange(7, 300, 3), np.arange(7, 300, 3)), (Tensor.eye(9), np.eye(9)),
    ]:
        np.testing.assert_array_equal(got.numpy(), want)
    b = Tensor(x).contiguous().realize()
    b[1, 2:4] = 7
    x[1, 2:4] = 7
    np.testing.assert_array_equal(b.numpy(), x)


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "float64", "int32", "int8"])
@pytest.mark.parametrize("shape", [(64, 64, 64), (33, 70, 45), (1, 128, 200)])
def test_matmul(name, shape, rng):
    m, n, k = shape
    x, y = values(rng, name, (m, k)), values(rng, name, (k, n))
    got = tensor(x, name).matmul(tensor(y, name), dtype=dtypes.float32 if name in ("float16", "bfloat16") else None)
    want = x.astype(np.float64) @ y.astype(np.float64)
    if name == "int8":
        want = (x.astype(np.int64) @ y.astype(np.int64)).astype(got.numpy().dtype)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-3, atol=1e-3 * k if name != "float64" else 1e-9)


def wide(a, b):
    return a.matmul(b, dtype=dtypes.float32)


@pytest.mark.parametrize("name, precise", [("float16", 1e-3), ("float32", 2e-2)])
def test_tensor_cores(name, precise, rng):
    """m16n8k16 of f16, and with ALLOW_TF32 m16n8k8 of tf32."""
    x, y = values(rng, name, (128, 64)), values(rng, name, (64, 96))
    with Context(TC=1, TC_OPT=2, ALLOW_TF32=1):
        got = wide(tensor(x, name), tensor(y, name)).numpy()
    np.testing.assert_allclose(got, x.astype(np.float64) @ y.astype(np.float64), rtol=precise, atol=precise * 10)


@pytest.mark.parametrize("stride, padding, groups", [(1, 0, 1), (2, 1, 1), (1, 1, 2)])
def test_convolution(stride, padding, groups, rng):
    x, w = values(rng, "float32", (2, 4, 12, 11)), values(rng, "float32", (6, 4 // groups, 3, 3))
    got = Tensor(x).conv2d(Tensor(w), stride=stride, padding=padding, groups=groups).numpy()
    p = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(p, (3, 3), (2, 3))[:, :, ::stride, ::stride]
    parts = [np.einsum("nchwij,ocij->nohw", windows[:, g * 4 // groups:(g + 1) * 4 // groups], w[g * 6 // groups:(g + 1) * 6 // groups])
             for g in range(groups)]
    close(got, np.concatenate(parts, 1), "float32")
    np.testing.assert_array_equal(Tensor(x).max_pool2d((2, 2)).numpy(), x[:, :, :12, :10].reshape(2, 4, 6, 2, 5, 2).max((3, 5)))


@pytest.mark.parametrize("operation", ["tanh", "exp", "relu", "softmax", "square"])
def test_gradients(operation, rng):
    x = values(rng, "float32", (4, 9))
    weights = values(rng, "float32", (4, 9))
    a = Tensor(x)

    def loss(t):
        return (getattr(t, operation)() * Tensor(weights)).sum()

    got = loss(a).gradient(a)[0].numpy()
    e = 1e-2
    for at in [(0, 0), (3, 8), (2, 4)]:
        up, down = x.copy(), x.copy()
        up[at] += e
        down[at] -= e
        numeric = (loss(Tensor(up)).item() - loss(Tensor(down)).item()) / (2 * e)
        np.testing.assert_allclose(got[at], numeric, rtol=2e-2, atol=2e-3)


def test_random_numbers():
    Tensor.manual_seed(3)
    a, b = Tensor.rand(4000).numpy(), Tensor.randn(4000).numpy()
    Tensor.manual_seed(3)
    np.testing.assert_array_equal(Tensor.rand(4000).numpy(), a)
    assert 0 <= a.min() and a.max() < 1 and abs(a.mean() - 0.5) < 0.02 and abs(b.mean()) < 0.05 and abs(b.std() - 1) < 0.05
    Tensor.manual_seed(3)
    np.testing.assert_allclose(Tensor.rand(4000, device="CPU").numpy(), a, atol=1e-7)  # threefry is the same everywhere
    assert sorted(Tensor.randperm(50).numpy()) == list(range(50))


@pytest.mark.parametrize("jit", [0, 1, 2])
def test_graphs(jit, rng):
    """JIT=1 captures the kernels of a function in a CUDA graph, JIT=2 does not."""
    with Context(JIT=jit):
        @TinyJit
        def step(t, u):
            v = ((t @ u).relu() + 1).realize()
            return (v.sum(0) * 2).realize(), (v - u).realize()

        for _ in range(6):
            x, y = values(rng, "float32", (24, 24)), values(rng, "float32", (24, 24))
            first, second = step(Tensor(x).realize(), Tensor(y).realize())
            v = np.maximum(x @ y, 0) + 1
            close(first.numpy() / 100, v.sum(0) * 2 / 100, "float32")
            close(second.numpy() / 10, (v - y) / 10, "float32")


@pytest.mark.parametrize("beam", [1, 2])
def test_search_of_schedules(beam, rng):
    x, y = values(rng, "float32", (32, 32)), values(rng, "float32", (32, 32))
    with Context(BEAM=beam, IGNORE_BEAM_CACHE=1):
        got = (Tensor(x) @ Tensor(y)).relu().numpy()
    close(got / 10, np.maximum(x @ y, 0) / 10, "float32")


def test_symbolic_shapes(rng):
    x = values(rng, "float32", (10, 16))
    a = Tensor(x).realize()
    for n in [1, 4, 9]:
        v = Variable("n", 1, 10).bind(n)
        np.testing.assert_allclose(a[:v].sum(0).numpy(), x[:n].sum(0), rtol=1e-5, atol=1e-5)


def test_copies_between_devices(rng):
    x = values(rng, "float32", (100, 100))
    there = Tensor(x, device="CPU").to(Device.DEFAULT)
    back = (there + 1).to("CPU").realize()
    np.testing.assert_array_equal((back * 2).numpy(), (x + 1) * 2)


def test_attention(rng):
    q, k, v = (values(rng, "float32", (2, 3, 16, 8)) for _ in range(3))
    got = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), is_causal=True).numpy()
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(8)
    s = np.where(np.tril(np.ones((16, 16), bool)), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    close(got, p / p.sum(-1, keepdims=True) @ v, "float32")
