"""Everything here needs JAX, already when a module is imported."""

from tests import need


def pytest_pycollect_makemodule():
    need.module("jax")
