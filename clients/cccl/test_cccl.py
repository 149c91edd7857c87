"""Programs with Thrust, CUB and libcu++ from their packages, each compiled and run by silica run."""

import os
import pathlib
import subprocess
import sysconfig

import pytest

HERE = pathlib.Path(__file__).parent
PACKAGES = pathlib.Path(sysconfig.get_path("purelib")) / "nvidia"
HEADERS = {13: PACKAGES / "cu13/include/cccl", 12: PACKAGES / "cuda_cccl/include"}

# What runs with the headers of CUDA 12 too. All do but cuda_std, for which they have no <cuda/std/algorithm>; these are the quick ones.
OLDER = ["cub_block", "cub_reduce_scan", "cuda_atomic", "cuda_barrier", "cuda_ptx", "thrust_sort"]


def programs():
    for path in sorted(HERE.glob("*.cu")):
        for cuda in HEADERS:
            if cuda == 13 or path.stem in OLDER:
                yield pytest.param(cuda, path, id=f"{path.stem}-{cuda}")


@pytest.mark.parametrize("cuda, program", programs())
def test_program(cuda, program):
    result = subprocess.run(
        [os.environ["SILICA"], "run", program, "-I", HEADERS[cuda]], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, ""), result.stderr + result.stdout


def test_nvcc():
    """The compiler's command line, in two steps."""
    build = pathlib.Path(os.environ["BUILD"])
    program = build / "by_nvcc"
    subprocess.run(
        [os.environ["SILICA"], "nvcc", "-std=c++17", "-O2", "-I", HEADERS[13], HERE / "cub_block.cu", "-o", program], check=True
    )
    subprocess.run([os.environ["SILICA"], "run", program], check=True)
