"""Programs that NVIDIA's nvcc builds, in the ways that it can build them. "silica run" puts the library in front."""
import os
import pathlib
import subprocess
import sysconfig

import pytest

HERE = pathlib.Path(__file__).parent
TOOLKIT = pathlib.Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13"
# The toolkit of the packages has no libcudart.so and no stub of libcuda: the linker takes ours.
LINK = ["-cudart", "shared", "-L", os.environ["LD_LIBRARY_PATH"].split(":")[0]]


def build(where, *args, link=LINK):
    command = [TOOLKIT / "bin" / "nvcc", *link, *args]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def run(where, *command, code=0):
    done = subprocess.run(command, cwd=where, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done


VARIABLES = "first of 1000\ncudaSuccess, 10 3996, counter 1029, total 10, 2 arguments\n"


@pytest.mark.parametrize("options", [
    "",
    "-arch=sm_90",
    "-arch=sm_90a",
    "-arch=compute_75",
    "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90] -gencode arch=compute_100,code=compute_100",
    "-arch=sm_90 --compress-mode=none",
    "-arch=sm_90 --compress-mode=speed",
    "-arch=sm_90 --compress-mode=size",
    "-arch=sm_90 -rdc=true",
    "-arch=sm_90 -G",
    "-arch=sm_90 -lineinfo -O3 -use_fast_math",
    "-arch=sm_90 --default-stream per-thread",
    "-arch=sm_90 --default-stream per-thread -rdc=true",
    "-arch=sm_90 -std=c++20 -maxrregcount 32",
], ids=lambda options: options.replace("/", "_") or "default")
def test_options(tmp_path, options):
    build(tmp_path, *options.split(), "-o", "program", HERE / "variables.cu")
    done = run(tmp_path, "./program", "argument")
    assert (done.stdout, done.stderr) == (VARIABLES, "")


SEPARATE = "part 1\n4 64, 32 calls, cudaSuccess\n"


def test_separate_compilation_in_one_command(tmp_path):
    build(tmp_path, "-arch=sm_90", "-rdc=true", "-o", "program", HERE / "whole.cu", HERE / "part.cu")
    assert run(tmp_path, "./program").stdout == SEPARATE


def test_separate_compilation_in_steps_with_a_static_library(tmp_path):
    for name in ["whole", "part"]:
        build(tmp_path, "-arch=sm_90", "-dc", "-o", name + ".o", HERE / (name + ".cu"))
    build(tmp_path, "-arch=sm_90", "-lib", "-o", "libpart.a", "part.o")
    build(tmp_path, "-arch=sm_90", "-dlink", "-o", "linked.o", "whole.o", "-L.", "-lpart")
    build(tmp_path, "-o", "program", "whole.o", "linked.o", "-L.", "-lpart")
    assert run(tmp_path, "./program").stdout == SEPARATE


def test_shared_library_that_is_loaded_twice(tmp_path):
    build(tmp_path, "-arch=sm_90", "-shared", "-Xcompiler", "-fPIC", "-o", "libplugin.so", HERE / "plugin.cu")
    build(tmp_path, "-arch=sm_90", "-o", "program", HERE / "host.cu")
    assert run(tmp_path, "./program", "./libplugin.so").stdout == "42\n42\n"


def test_dynamic_parallelism(tmp_path):
    build(tmp_path, "-arch=sm_90", "-rdc=true", "-o", "program", HERE / "children.cu", "-lcudadevrt")
    assert run(tmp_path, "./program").stdout == "cudaSuccess, 65\n"


def test_features(tmp_path):
    build(tmp_path, "-arch=sm_90", "-o", "program", HERE / "features.cu")
    assert run(tmp_path, "./program").stdout == (
        "cooperative 12497500\ntextures 0.5 63 10.5\ngraphs 100\nmatrices -4.6797 4, 31\nclusters 11 10 13 12\n")


@pytest.mark.parametrize("kind, options", [
    ("ptx", "-arch=sm_90"),
    ("fatbin", "-arch=sm_90"),
    ("fatbin", "-arch=compute_80 --compress-mode=size"),
])
def test_driver_api(tmp_path, kind, options):
    build(tmp_path, "-" + kind, *options.split(), "-o", "module", HERE / "ramp.cu", link=[])
    build(tmp_path, "-o", "program", HERE / "loads.cpp", "-lcuda")
    assert run(tmp_path, "./program", "module").stdout == "46.5\n"


@pytest.mark.parametrize("options, has", [
    ("-cubin -arch=sm_90", "machine code (SASS) only"),
    ("-fatbin -gencode arch=compute_90,code=sm_90", "machine code (SASS) for sm_90 only"),
    ("-fatbin -arch=compute_100", "PTX for sm_100 only"),
])
def test_program_without_ptx_for_the_gpu(tmp_path, options, has):
    build(tmp_path, *options.split(), "-o", "module", HERE / "ramp.cu", link=[])
    build(tmp_path, "-o", "program", HERE / "loads.cpp", "-lcuda")
    done = run(tmp_path, "./program", "module", code=1)
    assert done.stderr == (
        f"the program has {has}; NVIDIA H200, of compute capability 9.0, runs PTX that is for it or for older ones: "
        "build with nvcc -gencode arch=compute_90,code=compute_90\n")


def test_static_runtime_is_refused(tmp_path):
    build(tmp_path, "-arch=sm_90", "-o", "program", HERE / "variables.cu", link=[])
    done = run(tmp_path, pathlib.Path(os.environ["SILICA"]), "run", "./program", code=3)
    assert done.stderr.endswith("link the shared one: nvcc -cudart shared\n")


def test_profile(tmp_path):
    build(tmp_path, "-arch=sm_90", "-lineinfo", "-o", "program", HERE / "variables.cu")
    done = run(tmp_path, pathlib.Path(os.environ["SILICA"]), "profile", "./program", "--format", "csv")
    assert "weigh" in done.stdout and "variables.cu" in done.stdout
