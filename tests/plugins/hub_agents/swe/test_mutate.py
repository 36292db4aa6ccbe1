import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from hub.dialogue import ListSource, SandboxOptions
from hub.errors import TaskError
from hub.sandbox import create
from hub_agents.swe import mutate, sdists
from hub_agents.swe.domain import SweDomain
from hub_agents.swe.instance import Instance
from hub_agents.swe.mutate import Release
from hub_agents.swe.report import Report, Result
from hub_agents.swe.source import opened, task_of
from hub_agents.swe.trees import File
from tests.hub.cli.conftest import Ran
from tests.plugins.hub_agents.swe.conftest import NEW, PACKAGE


def made(tree: dict[str, str]) -> Release:
    archive = sdists.Archive("x-1.tar.gz", "0" * 64, Path("x-1.tar.gz"))
    return Release("x", "1", archive, {path: File(text.encode()) for path, text in tree.items()})


CODE = "def f(a):\n    return a + 1\n"


def test_only_the_packages_own_modules_are_changed() -> None:
    paths = [
        "x.py",
        "x/y.py",
        "tests/test_x.py",
        "x/test_y.py",
        "setup.py",
        "docs/conf.py",
        "x.txt",
    ]
    release = made(dict.fromkeys(paths, CODE))
    assert release.modules == ["x.py", "x/y.py"]
    assert {one.path for one in mutate.mutants(release, 0)} == {"x.py", "x/y.py"}


def test_a_seed_chooses_the_mutants() -> None:
    release = made({"x.py": CODE * 3, "y.py": CODE})
    first, again, other = (list(mutate.mutants(release, seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert {one.text for one in first} == {one.text for one in other}


def test_the_two_patches_of_a_mutant_are_each_others_reverse() -> None:
    release = made({"x.py": CODE})
    mutant = next(mutate.mutants(release, 0))
    draft = mutate.material(release, mutant, ()).draft
    assert draft.source == "mutated"
    assert "-    return a + 1\n" in draft.bug_patch
    assert "+    return a + 1\n" in draft.gold_patch
    assert draft.meta["mutation"]["path"] == "x.py"


def test_the_problem_tells_what_goes_wrong_and_names_no_test() -> None:
    error = "assert 3 == 6\n +  where 3 = total([1, 2])\n +  in <test_x.T testMethod=test_one>"
    lost = ["tests/test_x.py::T::test_one[a]", "tests/test_x.py::test_two"]
    report = Report({lost[0]: Result("failed", error), lost[1]: Result("failed", "")}, {}, 1)
    text = mutate.problem(made({}), report, lost)
    assert "assert 3 == 6\n+  where 3 = total([1, 2])\n```" in text
    assert "test_" not in text
    assert "(it fails without a message)" in mutate.problem(made({}), report, lost[1:])


def test_a_release_without_tests_is_refused(archives: Path) -> None:
    with pytest.raises(TaskError, match="hub-nothing"):
        mutate.release("hub-nothing", "1.0")


@pytest.fixture(scope="module")
def mutated(archives: Path, pins: list[str], options: SandboxOptions) -> Instance:
    release = mutate.release(PACKAGE, NEW)
    return next(mutate.Mutator(options, 1, print).instances(release, pins, 3, 40))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_mutant_that_tests_tell_of_becomes_an_instance(mutated: Instance) -> None:
    assert mutated.source == "mutated"
    assert mutated.id.startswith("hub-spans-1.1-mutant-")
    assert mutated.fail_to_pass
    assert mutated.pass_to_pass
    assert mutated.hidden == ("tests/test_spans.py",)
    assert "tests/test_spans.py" in mutated.tests
    assert mutated.problem.startswith("Something that works in hub-spans 1.1 is broken")
    text = json.dumps(mutated.to_json())
    assert json.dumps(Instance.from_json(json.loads(text)).to_json()) == text


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_agent_sees_the_bug_without_the_tests_that_tell(
    mutated: Instance, options: SandboxOptions
) -> None:
    task = task_of(mutated)
    domain = SweDomain(ListSource([task]), options)
    with create(domain.image(task), provider=options.provider) as sandbox:
        domain.prepare(task, sandbox)
        shown = sandbox.shell(f"cd {mutated.workdir} && git log --oneline --all && git ls-files")
        assert shown.stdout.splitlines()[0].endswith(" base")
        assert "tests/test_spans.py" not in shown.stdout
        assert "tests/conftest.py" in shown.stdout
        nothing = domain.grade(task, domain.collect(task, None, sandbox))
        assert nothing.reward == 0.0
        sandbox.write("/tmp/fix.patch", mutated.gold_patch)
        sandbox.shell(f"cd {mutated.workdir} && git apply /tmp/fix.patch")
        sandbox.write(f"{mutated.workdir}/tests/test_spans.py", "def test_mine(): pass\n")
        submission = domain.collect(task, None, sandbox)
    assert list(submission["dropped"]) == ["tests/test_spans.py"]
    assert domain.grade(task, submission).reward == 1.0


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_command_writes_instances_that_can_be_opened(
    archives: Path,
    pins: list[str],
    options: SandboxOptions,
    run: Callable[..., Ran],
    tmp_path: Path,
) -> None:
    result = run(
        "swe", "mutate", PACKAGE, NEW, "--out", str(tmp_path), "-k", "1", "--seed", "5",
        "--provider", options.provider, "--json", "-",
    )  # fmt: skip
    assert result.status == 0, result.err
    found = result.json
    assert found["schema"] == "hub.swe.mutate/1"
    (one,) = found["instances"]
    assert one["fail_to_pass"] >= 1
    assert opened(str(tmp_path), "train", None).get(0).id == one["id"]
    assert len(list(islice(tmp_path.rglob("instance.json"), 2))) == 1
