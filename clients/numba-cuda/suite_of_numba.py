"""The fixture that numba-cuda's tests ask for; it comes with their repository and not with their package."""

import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
