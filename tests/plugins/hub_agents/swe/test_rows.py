import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import TaskError
from hub_agents.swe import rows, specs
from hub_agents.swe.instance import Instance
from hub_agents.swe.logs import PARSERS
from hub_agents.swe.rows import Defaults
from tests import need
from tests.plugins.hub_agents.swe import tiny

PATCH = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"


def row(repo: str = "pallets/flask", tests: str = "tests/test_x.py", **more: Any) -> dict[str, Any]:
    name = repo.replace("/", "__")
    base = {
        "repo": repo, "instance_id": f"{name}-1", "base_commit": "c" * 40, "patch": PATCH,
        "test_patch": PATCH.replace("x.py", tests), "problem_statement": "It is wrong.",
        "hints_text": "Look.", "created_at": "2020", "version": "2.0",
        "FAIL_TO_PASS": json.dumps([f"{tests}::test_a"]), "PASS_TO_PASS": "[]",
        "environment_setup_commit": "e" * 40,
    }  # fmt: skip
    return {key: value for key, value in {**base, **more}.items() if value is not None}


def made(*args: str, defaults: Defaults | None = None, **more: Any) -> Instance:
    return rows.instance(row(*args, **more), "rows.jsonl row 7", defaults)


def test_a_row_of_swe_bench_is_run_as_its_harness_does() -> None:
    one = made()
    assert one.source == "swe-bench"
    assert one.image == "docker://swebench/sweb.eval.x86_64.pallets_1776_flask-1:latest"
    assert one.workdir == "/testbed"
    assert one.test_command == specs.ACTIVATE + "pytest -rA tests/test_x.py"
    assert one.log_parser == "pytest"
    assert one.fail_to_pass == ("tests/test_x.py::test_a",)
    assert one.base == {"kind": "image", "commit": "c" * 40}
    assert (one.gold_patch, one.bug_patch, one.hints) == (PATCH, "", "Look.")
    assert one.meta["version"] == "2.0"


def test_django_is_run_by_labels_and_an_old_one_installed_again() -> None:
    one = made("django/django", "tests/migrations/test_x.py", version="2.2")
    assert one.test_command.endswith("--settings=test_sqlite --parallel 1 migrations.test_x")
    assert one.log_parser == "django"
    assert one.setup == (specs.ACTIVATE + "python setup.py -q install",)
    assert made("django/django", "tests/a/tests.py", version="4.0").setup == ()
    assert "--settings" not in made("django/django", version="1.9").test_command


def test_a_row_without_the_commit_of_its_environment_is_of_swe_gym() -> None:
    one = made("getmoto/moto", environment_setup_commit=None, FAIL_TO_PASS=["tests/test_x.py::a"])
    assert one.source == "swe-gym"
    assert one.image == "docker://xingyaoww/sweb.eval.x86_64.getmoto_s_moto-1:latest"
    assert one.test_command.endswith("pytest -n0 -rA tests/test_x.py")


def test_the_cases_of_mypy_are_chosen_by_name() -> None:
    patch = PATCH.replace("+b", "+[case testOne]").replace("-a", " [case testTwo-xfail]")
    one = made("python/mypy", environment_setup_commit=None, test_patch=patch)
    assert one.test_command.endswith("pytest -n0 -rA -k 'testTwo-xfail or testOne'")


def test_a_row_of_swe_rebench_says_itself_how_it_runs() -> None:
    config = {
        "test_cmd": "pytest -rA --color=no",
        "log_parser": "parse_log_pytest",
        "python": "3.9",
    }
    first = made(
        "me/it", install_config=config, docker_image="swerebench/it", FAIL_TO_PASS=["a.py::t"]
    )
    assert (first.source, first.image) == ("swe-rebench", "docker://swerebench/it")
    # A listed test lies outside of the patched files, so all are run.
    assert first.test_command == specs.ACTIVATE + "pytest -rA --color=no"
    near = made("me/it", install_config=json.dumps(config), docker_image="swerebench/it")
    assert near.test_command.endswith("--color=no tests/test_x.py")
    config |= {"test_cmd": ["npm ci", "npx jest --verbose"], "log_parser": "parse_log_jest"}
    second = made("me/it", install_config=config, image_name="reg/it:1", language="js")
    assert (second.workdir, second.image) == ("/it", "docker://reg/it:1")
    assert second.test_command == specs.ACTIVATE + "npm ci && npx jest --verbose"
    assert second.log_parser == "jest"


def test_the_fix_of_a_row_of_swe_smith_is_its_patch_taken_back() -> None:
    one = rows.instance(
        {"instance_id": "a__b.1.f", "repo": "swesmith/a__b.1", "patch": PATCH,
         "FAIL_TO_PASS": ["tests/t.py::a"], "PASS_TO_PASS": ["tests/u.py::b"],
         "image_name": "swesmith.x86_64.a_1776_b.1", "problem_statement": ""},
        "row 1",
    )  # fmt: skip
    assert one.source == "swe-smith"
    assert one.bug_patch == PATCH
    assert one.gold_patch == PATCH.replace("-a\n+b", "-b\n+a")
    assert one.hidden == ("tests/t.py",)
    assert one.image == "docker://jyangballin/swesmith.x86_64.a_1776_b.1"
    assert one.test_command.endswith("--tb=no --verbose tests/t.py tests/u.py")
    assert one.problem.startswith("Some tests of this repository fail.")


def test_a_row_of_r2e_gym_is_a_commit_its_tests_and_what_they_gave() -> None:
    one = rows.instance(tiny.r2e_row("docker://x/y"), "row 1")
    assert (one.id, one.source, one.image) == (f"sums__{'0' * 40}", "r2e", "docker://x/y")
    assert set(one.fail_to_pass) == {"test_mean", "test_total"}
    assert one.pass_to_pass == ("test_nothing",)
    assert one.gold_patch == tiny.FIX
    assert one.tests == {"r2e_tests/test_1.py": tiny.NEW_TESTS}
    assert {"run_tests.sh", "/r2e_tests"} <= set(one.hidden)
    assert {"run_tests.sh", "r2e_tests", "r2e_tests/test_1.py"} <= set(one.reserved)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("docker://me/{docker_id}", "docker://me/pallets_1776_flask-1"),
        ("/images/{instance_id}.sif", "/images/pallets__flask-1.sif"),
        ("{repo}", "pallets/flask"),
    ],
)
def test_a_template_of_images_is_filled_in_by_the_row(image: str, expected: str) -> None:
    assert made(defaults=Defaults(image=image)).image == expected


def test_a_rows_own_image_and_command_go_before_the_defaults() -> None:
    given = Defaults("docker://t/{docker_id}", "make test", "unittest", 60.0)
    assert made(defaults=given).test_command == specs.ACTIVATE + "make test tests/test_x.py"
    assert made(defaults=given).log_parser == "unittest"
    own = made(defaults=given, image="./a.tar", test_cmd="run {tests} -q", log_parser="nose",
               seconds=9, setup=["true"], workdir="/src")  # fmt: skip
    assert (own.image, own.log_parser, own.seconds) == ("./a.tar", "nose", 9.0)
    assert own.test_command == specs.ACTIVATE + "run tests/test_x.py -q"
    assert (own.setup, own.workdir) == (("true",), "/src")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"instance_id": 3}, "instance_id 3: expected a text"),
        ({"FAIL_TO_PASS": "[1]"}, "FAIL_TO_PASS .*: expected a list of texts"),
        ({"FAIL_TO_PASS": "[]"}, "FAIL_TO_PASS: expected at least one test"),
        ({"PASS_TO_PASS": "[nothing"}, "PASS_TO_PASS .*: not valid JSON"),
        ({"patch": None}, "expected a row of swe-bench, swe-gym"),
        ({"repo": "me/unknown"}, "how the tests of 'me/unknown' run is not known"),
        ({"test_cmd": "x", "log_parser": "nosuch"}, "log_parser 'nosuch': expected one of pytest"),
        ({"install_config": "[]"}, "install_config .*: expected an object"),
        ({"seconds": -1}, "seconds -1: expected a number"),
        ({"patch": "hello"}, "patch 'hello': expected a unified diff"),
        ({"test_patch": "hello"}, "test_patch 'hello': expected a unified diff"),
        ({"image": "nosuch"}, "image 'nosuch': no image 'nosuch'; there are host"),
        ({"image": "x" * 5000}, "no image 'xxx"),
        ({"image": "host", "workdir": "/" + "x" * 5000}, "the image has no /xxx"),
        ({"image": "host"}, "image 'host': the image has no /testbed"),
        ({"workdir": "x"}, "workdir 'x': expected an absolute path"),
    ],
)
def test_a_bad_row_is_refused_by_file_row_and_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError, match=f"rows.jsonl row 7: .*{message}"):
        made(**change)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("expected_output_json", "{", "expected_output_json .*not valid JSON"),
        ("expected_output_json", '{"test_nothing": "PASSED"}', "none shows the fix"),
        ("execution_result_content", '{"test_file_names": ["a.py"]}', "expected 1 texts"),
        ("parsed_commit_content", '{"file_diffs": [{}]}', "KeyError: 'header'"),
    ],
)
def test_a_bad_row_of_r2e_gym_is_refused_by_its_field(field: str, value: str, message: str) -> None:
    with pytest.raises(TaskError, match=f"row 1: .*{message}"):
        rows.instance({**tiny.r2e_row("x"), field: value}, "row 1")


def test_a_template_without_an_image_is_refused_as_well() -> None:
    with pytest.raises(TaskError, match="row 7: image 'nosuch': no image 'nosuch'"):
        made(defaults=Defaults(image="nosuch"))


def test_a_name_with_a_tag_is_one_of_a_registry() -> None:
    assert made(image="python:3.11").image == "docker://python:3.11"
    assert made(image="host", workdir="/usr/lib").image == "host"


def test_an_unknown_field_of_a_template_is_named() -> None:
    with pytest.raises(TaskError, match=r"image 'a\{nosuch\}': the row has no .* 'nosuch'"):
        made(defaults=Defaults(image="a{nosuch}"))


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".parquet"])
def test_files_of_each_kind_are_loaded(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows{suffix}"
    both = [row(), row("sympy/sympy", "sympy/core/tests/test_x.py", FAIL_TO_PASS='["test_a"]')]
    if suffix == ".parquet":
        need.module("pyarrow")
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(both), path)
    else:
        text = json.dumps(both) if suffix == ".json" else "\n".join(map(json.dumps, both))
        path.write_text(text)
    flask, sympy = rows.load(path)
    assert (flask.repo, sympy.log_parser) == ("pallets/flask", "sympy")
    assert sympy.test_command.endswith("bin/test -C --verbose sympy/core/tests/test_x.py")
    again = tmp_path / "again.json"
    again.write_text(json.dumps([flask.to_json()]))
    assert rows.load(again) == [flask]


def test_each_repository_that_is_known_has_a_parser_that_is() -> None:
    assert len(specs.SWE_BENCH) == 12
    assert len(specs.SWE_GYM) == 11
    for spec in (*specs.SWE_BENCH.values(), *specs.SWE_GYM.values()):
        assert spec.parser in PARSERS
    assert specs.spec("Project-MONAI/MONAI") == specs.SWE_GYM["project-monai/monai"]


JUNK = st.none() | st.integers() | st.text(max_size=8) | st.lists(st.text(max_size=3), max_size=2)


@given(st.sampled_from(sorted(row())), JUNK)
def test_any_value_of_any_field_gives_an_instance_or_a_task_error(name: str, value: Any) -> None:
    for start in (row(), tiny.smith_row("me/x"), tiny.r2e_row("me/x")):
        assert "row 1" in refusal({**start, name: value}, "row 1")


def refusal(changed: dict[str, Any], where: str) -> str:
    try:
        made = rows.instance(changed, where)
    except TaskError as error:
        return str(error)
    return where if isinstance(made, Instance) else ""
