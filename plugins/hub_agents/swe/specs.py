"""How the repositories of SWE-bench and SWE-Gym are tested, where a row does not say it.

Source: the constants of the two harnesses (swebench 4, `constants/python.py` and
`log_parsers/python.py`; SWE-Gym's fork of it), which hold a command by repository and version and a
log parser by repository. The images have the environment `testbed` of a conda in /opt/miniconda3
and the repository in /testbed.

Two things differ here, as grading has no network:

- Installing again before the tests (the harness does, for code that is not run from the
  repository) takes `--no-build-isolation --no-deps`, and happens only where the tests would run
  another copy of the code otherwise, or compiled code has to be built.
- Locales are chosen by variables alone, since making one writes outside the repository.
"""

from __future__ import annotations

from dataclasses import dataclass

# Nothing where an image has no such conda.
ACTIVATE = (
    "if [ -r /opt/miniconda3/bin/activate ]; then . /opt/miniconda3/bin/activate testbed; fi; "
)
WORKDIR = "/testbed"
_INSTALL = "python -m pip install --no-build-isolation --no-deps -q"
_PYTEST = "pytest -rA"
_DJANGO_UTF8 = "export LC_ALL=C.UTF-8 PYTHONIOENCODING=utf8;"
# Python 3.5 of these images builds an egg, so the tests import a copy.
_DJANGO_EGG = ("1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "2.0", "2.1", "2.2")
_ASTROPY_OLD = ("0.1", "0.2", "0.3", "0.4", "1.1", "1.2", "1.3")


@dataclass(frozen=True)
class Spec:
    """How a version of a repository is tested.

    Attributes:
        command: Shell text; the names of the tests follow it.
        parser: Which parser reads its output (`hub_agents.swe.logs`).
        install: Shell text that brings the changed code to where the tests import it, or nothing.
    """

    command: str
    parser: str = "pytest"
    install: str = ""


_EDITABLE = f"{_INSTALL} -e ."
_SPHINX = "tox --current-env -epy39 -v --"
_SYMPY = "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' bin/test -C --verbose"

SWE_BENCH = {
    "astropy/astropy": Spec(_PYTEST, install=_EDITABLE),
    "django/django": Spec(
        f"{_DJANGO_UTF8} ./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1",
        "django",
    ),
    "matplotlib/matplotlib": Spec(_PYTEST, "pytest-matplotlib", _EDITABLE),
    "mwaskom/seaborn": Spec("pytest --no-header -rA"),
    "pallets/flask": Spec(_PYTEST),
    "psf/requests": Spec(_PYTEST, "pytest-options", f"{_INSTALL} ."),
    "pydata/xarray": Spec(_PYTEST),
    "pylint-dev/pylint": Spec(_PYTEST, "pytest-options"),
    "pytest-dev/pytest": Spec(_PYTEST),
    "scikit-learn/scikit-learn": Spec(_PYTEST, install=_EDITABLE),
    "sphinx-doc/sphinx": Spec(_SPHINX, "tox"),
    "sympy/sympy": Spec(_SYMPY, "sympy"),
}

SWE_GYM = {
    "bokeh/bokeh": Spec("pytest -rA -n0"),
    "conan-io/conan": Spec("pytest -n0 -rA"),
    "dask/dask": Spec("pytest -n0 -rA --color=no"),
    "facebookresearch/hydra": Spec("pytest -rA --tb=long"),
    "getmoto/moto": Spec("pytest -n0 -rA"),
    "iterative/dvc": Spec(_PYTEST),
    "modin-project/modin": Spec("pytest -n0 -rA"),
    "pandas-dev/pandas": Spec("pytest -rA --tb=long"),
    "project-monai/monai": Spec(_PYTEST),
    "pydantic/pydantic": Spec(
        "pytest -rA --tb=short -vv -o console_output_style=classic --no-header"
    ),
    "python/mypy": Spec("pytest -n0 -rA -k"),
}


def spec(repo: str, version: str = "") -> Spec | None:
    """Return how `repo` is tested at `version`, None where the harnesses do not know it."""
    if repo == "django/django" and version in _DJANGO_EGG:
        settings = "" if version == "1.9" else " --settings=test_sqlite --parallel 1"
        command = f"{_DJANGO_UTF8} ./tests/runtests.py --verbosity 2{settings}"
        return Spec(command, "django", "python setup.py -q install")
    if repo == "astropy/astropy" and version in _ASTROPY_OLD:
        command = "pytest -rA -vv -o console_output_style=classic --tb=no -p no:nose"
        return Spec(command, install=_EDITABLE)
    return SWE_BENCH.get(repo) or SWE_GYM.get(repo.lower())
