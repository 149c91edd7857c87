"""Examples of CUTLASS, from its package, each compiled by silica nvcc and run by silica run."""

import os
import pathlib
import subprocess
import sysconfig

import pytest

PACKAGES = pathlib.Path(sysconfig.get_path("purelib"))
CUTLASS = PACKAGES / "cutlass_library/source"
SMALL = ["--m=256", "--n=128", "--k=128", "--iterations=1"]

# The source, its arguments, and what it prints when its results are right; some say so by their exit status alone.
EXAMPLES = {
    "00_basic_gemm/basic_gemm.cu": ([], "Passed."),
    "02_dump_reg_shmem/dump_reg_shmem.cu": ([], "Dump all the elements with a stride of 8"),
    "04_tile_iterator/tile_iterator.cu": ([], "Passed."),
    "05_batched_gemm/batched_gemm.cu": ([], "Passed."),
    "14_ampere_tf32_tensorop_gemm/ampere_tf32_tensorop_gemm.cu": (SMALL, "Passed"),
    "cute/tutorial/tiled_copy.cu": ([], "Success."),
}


@pytest.mark.parametrize("source", EXAMPLES)
def test_example(source):
    arguments, says = EXAMPLES[source]
    silica = os.environ["SILICA"]
    program = pathlib.Path(os.environ["BUILD"]) / pathlib.Path(source).stem
    include = [PACKAGES / "nvidia/cu13/include/cccl", CUTLASS / "include", CUTLASS / "tools/util/include", CUTLASS / "examples/common"]
    subprocess.run(
        [silica, "nvcc", "-std=c++17", "-arch=sm_90a", "--expt-relaxed-constexpr"]
        + [f"-I{folder}" for folder in include]
        + ["-o", program, CUTLASS / "examples" / source],
        check=True,
    )
    result = subprocess.run([silica, "run", program, "--", *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr + result.stdout
    assert says in result.stdout
