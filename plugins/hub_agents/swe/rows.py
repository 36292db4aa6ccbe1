"""Rows of published sets of repair tasks, as instances: from a user's own JSON, JSONL or Parquet.

Fields by dataset, from the dataset cards and harnesses:

- SWE-bench, Verified, Lite: `repo instance_id base_commit patch test_patch problem_statement
  hints_text created_at version FAIL_TO_PASS PASS_TO_PASS environment_setup_commit`, and
  `difficulty` in Verified; the two lists are JSON in a text.
- SWE-Gym: the same without `environment_setup_commit`; the lists are lists, here and below.
- SWE-rebench: the first's and `install_config` (`test_cmd`, `log_parser`, `install`...), with
  `docker_image` or, in its second version, `image_name` and `language`.
- SWE-smith: `instance_id patch FAIL_TO_PASS PASS_TO_PASS image_name repo problem_statement`; the
  patch puts the bug in.
- R2E-Gym: `hub_agents.swe.r2e`.
- Our own: what `Instance.to_json` writes.

Whatever the dataset, a row may say `image`, `workdir`, `test_cmd`, `log_parser`, `setup` and
`seconds` itself, which goes before what is known of its repository.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hub.dialogue import read_rows
from hub.errors import ImageError, TaskError
from hub_agents.swe import fields, r2e, specs
from hub_agents.swe.fields import Row
from hub_agents.swe.instance import Instance
from hub_agents.swe.logs import PARSERS
from hub_agents.swe.patches import is_diff, reverse, touched
from hub_agents.swe.places import check_image

KINDS = ("swe-bench", "swe-gym", "swe-rebench", "swe-smith", "r2e")
SMITH_COMMAND = "pytest --disable-warnings --color=no --tb=no --verbose"
# Files of a test patch that are no tests (SWE-bench's harness).
_DATA = (".json", ".png", "csv", ".txt", ".md", ".jpg", ".jpeg", ".pkl", ".yml", ".yaml", ".toml")
_CASE = re.compile(r"\[case ([^\]]+)\]")
# What other harnesses call the parsers that ours stand for.
_ALIASES = {
    "parse_log_pytest": "pytest",
    "parse_log_pytest_v2": "pytest",
    "parse_log_pytest_v3": "pytest",
    "parse_log_pytest_options": "pytest-options",
    "parse_log_pytest_pydantic": "pytest",
    "parse_log_matplotlib": "pytest-matplotlib",
    "parse_log_seaborn": "pytest",
    "parse_log_django": "django",
    "parse_log_unittest": "unittest",
    "parse_log_sympy": "sympy",
    "parse_log_gotest": "go",
    "parse_log_cargo": "cargo",
    "parse_log_jest": "jest",
    "parse_log_mocha": "mocha",
    "parse_log_tap": "tap",
}


@dataclass(frozen=True)
class Defaults:
    """What holds for rows that do not say it themselves.

    Attributes:
        image: Template of a sandbox image, with a row's text fields in braces and `{docker_id}`,
            its id as SWE-bench's images have it: `docker://me/{docker_id}`,
            `/images/{instance_id}.sif`. Empty: the dataset's own images.
        test_command: Shell text that runs tests; the tests follow it, or stand at `{tests}`.
        log_parser: Which parser reads its output.
        seconds: Of one run of the tests.
    """

    image: str = ""
    test_command: str = ""
    log_parser: str = ""
    seconds: float = 1800.0


def load(path: str | Path, defaults: Defaults | None = None) -> list[Instance]:
    """Return the instances in a JSON, JSONL or Parquet file, of whichever datasets.

    Raises:
        TaskError: A row cannot be read; the message names file, row and field.
        MissingDependency: Parquet needs pyarrow.
    """
    rows = enumerate(read_rows(path), 1)
    return [instance(row, f"{path} row {number}", defaults) for number, row in rows]


def instance(row: Row, where: str, defaults: Defaults | None = None) -> Instance:
    """Make an instance of a row.

    Raises:
        TaskError: Its kind, its tests or how they run cannot be told; names `where` and the field.
    """
    given = defaults or Defaults()
    if "schema" in row:
        return Instance.from_json(row)
    kind = kind_of(row, where)
    if kind == "r2e":
        made = r2e.instance(row, where, _image(kind, row, where, given))
    else:
        made = _repaired(kind, row, where, given)
    return _own(made, row, where, given)


def kind_of(row: Row, where: str) -> str:
    """Tell which dataset a row is shaped as.

    Raises:
        TaskError: None of those known.
    """
    if "expected_output_json" in row:
        return "r2e"
    if {"patch", "FAIL_TO_PASS", "test_patch", "base_commit"} <= row.keys():
        if "install_config" in row or "docker_image" in row:
            return "swe-rebench"
        return "swe-bench" if "environment_setup_commit" in row else "swe-gym"
    if {"patch", "FAIL_TO_PASS", "image_name"} <= row.keys():
        return "swe-smith"
    raise TaskError(
        f"{where}: fields {', '.join(sorted(map(str, row)))[:200]}: expected a row of "
        f"{', '.join(KINDS)}, or one with a schema"
    )


def _repaired(kind: str, row: Row, where: str, given: Defaults) -> Instance:
    """Make an instance of a row that has a patch and lists of tests."""
    patch = _diff(row, "patch", where)
    smith = kind == "swe-smith"
    failing = fields.names(row, "FAIL_TO_PASS", where)
    if not failing:
        raise TaskError(f"{where}: FAIL_TO_PASS: expected at least one test")
    draft = Instance(
        id=fields.text(row, "instance_id", where),
        source=kind,
        repo=fields.text(row, "repo", where),
        base={"kind": "image", "commit": fields.text(row, "base_commit", where, "")},
        problem=_problem(row, where),
        hints=fields.text(row, "hints_text", where, ""),
        fail_to_pass=failing,
        pass_to_pass=fields.names(row, "PASS_TO_PASS", where),
        gold_patch=reverse(patch, f"{where}: patch") if smith else patch,
        bug_patch=patch if smith else "",
        test_patch="" if smith else _diff(row, "test_patch", where, ""),
        hidden=files_of(failing) if smith else (),
        image=_image(kind, row, where, given),
        workdir=_workdir(kind, row),
        meta=_meta(row),
    )
    return _run_by(draft, row, where, given)


def _diff(row: Row, name: str, where: str, default: str | None = None) -> str:
    text = fields.text(row, name, where, default)
    if text.strip() and not is_diff(text):
        raise TaskError(f"{where}: {name} {text!r:.60}: expected a unified diff")
    return text


def _workdir(kind: str, row: Row) -> str:
    """Return where an image has the repository: SWE-rebench's second version, by its name."""
    if kind == "swe-rebench" and "language" in row:
        return f"/{str(row['repo']).rpartition('/')[2]}"
    return specs.WORKDIR


def _problem(row: Row, where: str) -> str:
    """Return what is asked. Some rows of SWE-smith have no statement; then it is the failure."""
    said = fields.text(row, "problem_statement", where, "")
    if said.strip():
        return said
    return "Some tests of this repository fail. Find the bug in the code and mend it."


def _run_by(draft: Instance, row: Row, where: str, given: Defaults) -> Instance:
    """Complete an instance by how its tests run: its row, the defaults, its repository."""
    config = _config(row, where)
    known = specs.spec(draft.repo, fields.text(row, "version", where, ""))
    if draft.source == "swe-smith" and known is None:
        known = specs.Spec(SMITH_COMMAND)
    own = fields.first(config, ("test_cmd", "test_command", "test_cmds"), where)
    command = own or given.test_command or (known.command if known else "")
    if not command:
        raise TaskError(
            f"{where}: how the tests of {draft.repo!r} run is not known: expected test_cmd and "
            "log_parser in the row, or in the defaults"
        )
    ours = not (own or given.test_command)
    parser = fields.first(config, ("log_parser",), where) or given.log_parser
    parser = _parser(parser or (known.parser if known and ours else "pytest"), where)
    files = _tests(draft, parser)
    if "{tests}" not in command and files:
        command = f"{command} {{tests}}"
    command = command.replace("{tests}", files)
    install = known.install if known and ours else ""
    return replace(
        draft,
        setup=(f"{specs.ACTIVATE}{install}",) if install else (),
        test_command=f"{specs.ACTIVATE}{command}",
        log_parser=parser,
    )


def _config(row: Row, where: str) -> dict[str, Any]:
    """Return what a row says of its tests: its own fields, and those of `install_config`."""
    config = {key: value for key, value in row.items() if value is not None}
    if "install_config" in config:
        inner = fields.mapping(row, "install_config", where)
        config = {**{k: v for k, v in inner.items() if v is not None}, **config}
    commands = config.get("test_cmd")
    if isinstance(commands, list):
        config["test_cmd"] = " && ".join(map(str, commands))
    return config


def _parser(name: str, where: str) -> str:
    found = _ALIASES.get(name, name)
    if found not in PARSERS:
        raise TaskError(f"{where}: log_parser {name!r}: expected one of {', '.join(PARSERS)}")
    return found


def _tests(draft: Instance, parser: str) -> str:
    """Return the tests to run as words of shell: files of the test patch, or of the lists.

    Where a listed test lies in a file that the patch does not name, all are run.
    """
    listed = (*draft.fail_to_pass, *draft.pass_to_pass)
    if draft.source == "swe-smith":
        return _words(files_of(listed))
    if draft.repo == "python/mypy":  # its tests are cases in data files
        return shlex.quote(" or ".join(dict.fromkeys(_CASE.findall(draft.test_patch))))
    changed = [t.path for t in touched(draft.test_patch) if not t.deleted]
    changed = [path for path in changed if not path.endswith(_DATA)]
    if parser == "django":
        return _words(_label(path) for path in changed if _is_django_test(path))
    if parser in ("go", "cargo", "jest", "mocha", "tap"):
        return ""
    if draft.source == "swe-rebench" and not set(files_of(listed)) <= set(changed):
        return ""
    return _words(changed)


def files_of(tests: Iterable[str]) -> tuple[str, ...]:
    """Return the files in node ids of pytest, sorted; names of another form have none."""
    return tuple(sorted({test.partition("::")[0] for test in tests if "::" in test}))


def _words(names: Iterable[str]) -> str:
    return " ".join(map(shlex.quote, names))


def _is_django_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name == "tests.py" or name.startswith("test_") or "/tests/" in path or "/test_" in path


def _label(path: str) -> str:
    """Return how Django's own runner calls the tests in a file below tests/."""
    return path.removesuffix(".py").removeprefix("tests/").replace("/", ".")


def _image(kind: str, row: Row, where: str, given: Defaults) -> str:
    """Return the image's reference: the row's own, the template's, or the dataset's."""
    own = fields.first(row, ("image", "docker_image", "image_name"), where)
    if own and "image" in row:
        return _reference(own)
    if given.image:
        return _formatted(given.image, row, where)
    if own:
        if kind == "swe-smith" and "/" not in own:
            own = f"jyangballin/{own}"  # as the first edition's rows are
        return _reference(own)
    name = fields.text(row, "instance_id", where)
    namespace = {"swe-gym": "xingyaoww", "swe-rebench": "swerebench"}.get(kind, "swebench")
    mark = "_s_" if kind == "swe-gym" else "_1776_"
    return f"docker://{namespace}/sweb.eval.x86_64.{name.lower().replace('__', mark)}:latest"


def _reference(image: str) -> str:
    """Return an image as `hub images build` takes it, or the name of a built one.

    A name with a namespace or a tag is one of a registry.
    """
    if "://" in image or image.startswith(("/", ".", "oci-archive:")):
        return image
    if not {"/", ":"} & set(image):
        return image
    return f"docker://{image}"


def _formatted(template: str, row: Row, where: str) -> str:
    known = {key: value for key, value in row.items() if isinstance(value, str)}
    name = known.get("instance_id", "")
    known["docker_id"] = name.lower().replace("__", "_1776_")
    for field in re.findall(r"\{(\w*)\}", template):
        if field not in known:
            raise TaskError(f"{where}: image {template!r}: the row has no text field {field!r}")
        template = template.replace(f"{{{field}}}", known[field])
    return template


def _own(made: Instance, row: Row, where: str, given: Defaults) -> Instance:
    """Return the instance with what its row says for itself alone."""
    seconds = row.get("seconds", given.seconds)
    if not isinstance(seconds, int | float) or not 0 < seconds <= 86_400:
        raise TaskError(f"{where}: seconds {seconds!r}: expected a number, above 0 and up to 86400")
    setup = fields.names(row, "setup", where) if "setup" in row else made.setup
    workdir = fields.text(row, "workdir", where, made.workdir)
    if not workdir.startswith("/"):
        raise TaskError(f"{where}: workdir {workdir!r}: expected an absolute path")
    try:
        check_image(made.image, workdir if made.base["kind"] == "image" else "/")
    except ImageError as error:
        raise TaskError(f"{where}: image {made.image!r}: {error}") from error
    changes: dict[str, Any] = {"seconds": float(seconds), "setup": setup, "workdir": workdir}
    if made.source == "r2e":
        command = fields.first(row, ("test_cmd", "test_command"), where) or given.test_command
        parser = fields.first(row, ("log_parser",), where) or given.log_parser
        changes["test_command"] = command or made.test_command
        changes["log_parser"] = _parser(parser or made.log_parser, where)
    return replace(made, **changes)


def _meta(row: Row) -> dict[str, Any]:
    kept = ("version", "created_at", "difficulty", "environment_setup_commit", "language")
    return {key: row[key] for key in kept if isinstance(row.get(key), str)}
