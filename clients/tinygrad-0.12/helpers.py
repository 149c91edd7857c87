"""What tinygrad's tests take from test/helpers.py, which its source distribution does not ship."""

import functools
import unittest

import numpy as np
from tinygrad import Device, Tensor, dtypes
from tinygrad.codegen import full_rewrite_to_sink, line_rewrite, pm_linearize_cleanups
from tinygrad.codegen.late.linearizer import linearize
from tinygrad.dtype import _to_np_dtype
from tinygrad.renderer import Renderer
from tinygrad.uop.ops import KernelInfo

REAL_DEV = Device.DEFAULT


def slow(test):
    return test


def not_support_multi_device():
    return False


def needs_second_gpu(test):
    @functools.wraps(test)
    def run(*args, **kwargs):
        try:
            Tensor.ones(1, device=REAL_DEV + ":1").contiguous().realize()
        except Exception as e:
            raise unittest.SkipTest(f"one GPU: {e}") from e
        return test(*args, **kwargs)
    return run


def rand_for_dtype(kind, size):
    if kind == dtypes.bool:
        return np.random.rand(size) < 0.5 if isinstance(size, int) else np.random.rand(*size) < 0.5
    if dtypes.is_float(kind):
        return np.random.uniform(-10, 10, size).astype(_to_np_dtype(kind))
    return np.random.randint(0 if dtypes.is_unsigned(kind) else -100, 100, size).astype(_to_np_dtype(kind))


def assert_jit_cache_len(function, length):
    """A graph counts as the kernels that it holds."""
    kernels = [k for item in function.jit_cache or [] for k in getattr(item.prg, "jit_cache", [item])]
    assert len(kernels) == length, f"{len(kernels)} kernels are kept, not {length}"


def get_uops(sink, renderer=None):
    sink = sink if sink.arg is not None else sink.replace(arg=KernelInfo())
    whole = full_rewrite_to_sink(sink, renderer or Renderer(), optimize=sink.tag is None)
    return line_rewrite(linearize(whole), pm_linearize_cleanups)
