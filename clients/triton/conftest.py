"""pytest --gpu NAME runs the tests on that GPU."""

import os

import numpy as np
import pytest


def pytest_addoption(parser):
    parser.addoption("--gpu", help="a GPU of `silica gpus`")


def pytest_configure(config):
    # Before the driver is loaded, which reads it.
    if gpu := config.getoption("--gpu"):
        os.environ["SILICA_GPUS"] = gpu


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def capability():
    """The GPU's compute capability as one number: 90."""
    import triton

    return triton.runtime.driver.active.get_current_target().arch
