from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import TaskError
from hub_agents.swe.logs import PARSERS, contradiction, parser, status_of

LOGS = Path(__file__).with_name("logs")

PYTEST = {
    "test_a.py::test_p[a b]": "PASSED",
    "test_a.py::test_p[c - d]": "FAILED",
    "test_a.py::test_p[[e]": "PASSED",
    "test_a.py::test_p[f]]": "FAILED",
    "test_a.py::test_p[/tmp/x/y]": "PASSED",
    "test_a.py::test_p[\\xe9]": "PASSED",
    "test_a.py::test_p[]": "PASSED",
    "test_a.py::test_skip": "SKIPPED",
    "test_a.py::test_xf": "XFAIL",
    "test_a.py::test_xp": "XPASS",
    "test_a.py::test_err": "ERROR",
    "test_a.py::TestC::test_m": "PASSED",
    "test_a.py::TestC::TestD::test_n": "FAILED",
    "test_a.py::test_late": "ERROR",  # it passed, its teardown did not
    "test_a.py::TestU::test_sub": "FAILED",  # one of its subtests
}
OTHERS = {
    "unittest": {
        "test_doc (tu.A.test_doc)": "PASSED",
        "The doc of it.": "PASSED",
        "test_docfail (tu.A.test_docfail)": "FAILED",
        "The doc of a failing one.": "FAILED",
        "test_err (tu.A.test_err)": "ERROR",
        "test_fail (tu.A.test_fail)": "FAILED",  # it printed "ok"
        "test_ok (tu.A.test_ok)": "PASSED",
        "test_print (tu.A.test_print)": "PASSED",
        "test_skip (tu.A.test_skip)": "SKIPPED",
        "test_stderr (tu.A.test_stderr)": "PASSED",
        "test_sub (tu.A.test_sub)": "FAILED",
        "test_xf (tu.A.test_xf)": "XFAIL",
        "test_xs (tu.A.test_xs)": "XPASS",
        "setUpClass (tu.B)": "ERROR",
    },
    "sympy": {
        "test_err": "ERROR",
        "test_xf": "XFAIL",
        "test_sk": "SKIPPED",
        "test_ok": "PASSED",
        "test_xp": "XPASS",
        "test_fails": "FAILED",
    },
    "go": {
        "TestA": "PASSED",
        "TestB": "FAILED",
        "TestB/one_two": "PASSED",
        "TestB/b": "FAILED",
        "TestC": "SKIPPED",
        "TestD": "PASSED",
    },
    "cargo": {
        "tests::ig": "SKIPPED",
        "tests::ok": "PASSED",
        "tests::sp": "PASSED",
        "tests::bad": "FAILED",
        "src/lib.rs - f (line 1)": "PASSED",
    },
    "tap": {
        "adds": "PASSED",
        "fails here": "FAILED",
        "later": "SKIPPED",
        "group": "FAILED",
        "top \\# tricky": "PASSED",
        "todo one": "SKIPPED",
    },
    "mocha": {
        "adds": "PASSED",
        "group > adds": "PASSED",
        "fails here": "FAILED",
        "group > fails here": "FAILED",
        "later": "SKIPPED",
        "group > later": "SKIPPED",
        "slow": "PASSED",
        "group > slow": "PASSED",
        "deep": "PASSED",
        "group > inner > deep": "PASSED",
    },
    "jest": {
        "adds": "PASSED",
        "group > adds": "PASSED",
        "fails here": "FAILED",
        "group > fails here": "FAILED",
        "later": "SKIPPED",
        "group > later": "SKIPPED",
        "todo": "SKIPPED",
        "group > todo": "SKIPPED",
        "deep (x)": "PASSED",
        "group > inner > deep (x)": "PASSED",
    },
}


def log(name: str) -> str:
    return (LOGS / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["pytest-v", "pytest-v-s", "pytest-v-colour", "pytest-xdist"])
def test_every_form_of_pytests_progress_gives_the_same_results(name: str) -> None:
    assert PARSERS["pytest"](log(name)) == PYTEST


@pytest.mark.parametrize("name", ["pytest-rA", "pytest-rA-colour"])
def test_pytests_summary_gives_what_progress_gives_but_names_of_skipped_tests(name: str) -> None:
    expected = {key: status for key, status in PYTEST.items() if status != "SKIPPED"}
    assert PARSERS["pytest"](log(name)) == expected


def test_a_file_that_pytest_cannot_collect_is_an_error() -> None:
    assert PARSERS["pytest"](log("pytest-uncollected")) == {"test_broken.py": "ERROR"}


@pytest.mark.parametrize("name", OTHERS)
def test_the_logs_of_other_runners_are_read(name: str) -> None:
    assert PARSERS[name](log(name)) == OTHERS[name]


def test_line_ends_of_other_systems_change_nothing() -> None:
    for name, text in (("pytest", log("pytest-rA")), ("unittest", log("unittest"))):
        results = PARSERS[name](text)
        assert PARSERS[name](text.replace("\n", "\r\n")) == results
        assert PARSERS[name](text.replace("\n", "\r")) == results


def test_what_a_test_prints_is_no_report_where_pytest_shows_it() -> None:
    text = log("pytest-rA")
    assert text.count("PASSED test_a.py::test_forged") > 5
    assert "test_a.py::test_forged" not in PARSERS["pytest"](text)


def test_a_printed_pass_covers_no_failure() -> None:
    forged = (
        "=== test session starts ===\nt.py::test_x PASSED [ 50%]\n"
        "=== short test summary info ===\nPASSED t.py::test_x\n=== 1 passed in 0.1s ===\n"
    )
    true = (
        "=== FAILURES ===\n=== short test summary info ===\n"
        "FAILED t.py::test_x - assert 0\n=== 1 failed in 0.2s ===\n"
    )
    for text in (forged + true, true + forged):
        assert PARSERS["pytest"](text) == {"t.py::test_x": "FAILED"}
    assert PARSERS["unittest"](log("unittest"))["test_fail (tu.A.test_fail)"] == "FAILED"
    assert PARSERS["go"]("--- PASS: TestX (0.0s)\n--- FAIL: TestX (0.01s)\n") == {"TestX": "FAILED"}


def test_nothing_after_pytests_counts_is_read() -> None:
    late = "\n=== 1 passed in 0.1s ===\nPASSED t.py::test_y\nt.py::test_y PASSED\n"
    text = "=== short test summary info ===\nPASSED t.py::test_x" + late
    assert PARSERS["pytest"](text) == {"t.py::test_x": "PASSED"}


def test_two_runs_of_pytest_in_one_log_are_both_read() -> None:
    first = "=== test session starts ===\na.py::x PASSED [100%]\n=== 1 passed in 0.1s ===\n"
    assert PARSERS["pytest"](first + first.replace("a.py::x PASSED", "a.py::y FAILED")) == {
        "a.py::x": "PASSED",
        "a.py::y": "FAILED",
    }


def test_a_test_that_another_file_defines_goes_by_its_own_name() -> None:
    assert PARSERS["pytest"]("a.py::T::test_x <- b.py PASSED [ 3%]") == {
        "a.py::T::test_x": "PASSED"
    }


def test_djangos_interleaved_lines_are_put_together() -> None:
    text = (
        "test_a (app.tests.A) ... Testing against Django installed in '/x' with 1 process\n"
        "System check identified no issues (0 silenced).\n"
        "ok\n"
        "  Applying sites.0002_alter_domain_unique...test_b (app.tests.A) ... ok\n"
        "test_c (app.tests.A)\nSays what it checks (in part). ... ok\n"
        "test_d (app.tests.A) ... ERROR\nERROR\n"
        "app.plain.test_of_nose ... ok\n"
    )
    assert PARSERS["django"](text) == {
        "test_a (app.tests.A)": "PASSED",
        "test_b (app.tests.A)": "PASSED",
        "test_c (app.tests.A)": "PASSED",
        "Says what it checks (in part).": "PASSED",
        "test_d (app.tests.A)": "ERROR",
        "app.plain.test_of_nose": "PASSED",
    }


def test_names_are_as_the_lists_of_the_datasets_have_them() -> None:
    line = "=== short test summary info ===\nPASSED t.py::C::test_x[{}]\n"
    options = PARSERS["pytest-options"]
    assert list(options(line.format("/home/me/a.html"))) == ["t.py::C::test_x[/a.html]"]
    assert list(options(line.format("//host/a"))) == ["t.py::C::test_x[//host/a]"]
    buttons = PARSERS["pytest-matplotlib"](line.format("MouseButton.LEFT-MouseButton.RIGHT"))
    assert list(buttons) == ["t.py::C::test_x[1-3]"]
    assert list(PARSERS["pytest-r2e"](line.format("a b"))) == ["C.test_x[a b]"]


def test_a_name_cut_inside_its_parameters_stands_for_the_worst_of_its_kin() -> None:
    results = {"t::x[a b]": "PASSED", "t::x[a c]": "FAILED", "t::x[d]": "PASSED", "t::y": "PASSED"}
    assert status_of("t::x[a", results) == "FAILED"
    assert status_of("t::x[d", results) == "PASSED"
    assert status_of("t::x[a b]", results) == "PASSED"
    assert status_of("t::", results) is None


def test_an_error_that_the_log_does_not_tell_of_is_a_contradiction() -> None:
    assert contradiction({"x": "PASSED"}, 0) is None
    assert contradiction({"x": "FAILED"}, 1) is None
    assert contradiction({"x": "FAILED"}, 0) is None
    assert "ended with 1" in str(contradiction({"x": "PASSED"}, 1))


def test_an_unknown_parser_is_refused_with_the_known_ones() -> None:
    with pytest.raises(TaskError, match="log parser 'nosuch': expected one of pytest, "):
        parser("nosuch")


PIECES = st.sampled_from(
    ["PASSED", "FAILED", " ", "\n", "\r", "::", "[", "]", "(", ")", " - ", " ... ", "ok", "test_a",
     "=" * 12, "short test summary info", "\x1b", "\x1b[31", "\u2028", "--- FAIL: ", "✓ ", "    ",
     "[gw0] [ 5%] ", "FAIL: ", "SUBFAILED", "not ok ", "# SKIP", "1) ", "\0", "a" * 30]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=5), max_size=60).map("".join))
def test_any_text_is_read(text: str) -> None:
    for read in PARSERS.values():
        for name, status in read(text).items():
            assert name
            assert status in ("PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS")


@pytest.mark.parametrize("name", PARSERS)
def test_reading_takes_time_in_proportion_to_length(name: str) -> None:
    units = ("a::b[" + "x" * 9, "x] - ", " ... ", "\x1b[1;", "\x1b]", "  " * 40 + "x\n",
             "--- PASS: ", "a::b PASSED\n", "FAIL: a (b) ", " SKIPPED (", "= ", "_ ")  # fmt: skip
    for unit in units:
        # A rule that took quadratic time would take minutes.
        assert _seconds(name, unit * (400_000 // len(unit))) < 2, unit


def _seconds(name: str, text: str) -> float:
    start = perf_counter()
    PARSERS[name](text)
    return perf_counter() - start
