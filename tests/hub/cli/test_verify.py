"""`hub verify` from end to end, in a process of its own, on an installed toy plugin."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hub.plugins import Plugins
from tests import need
from tests.hub.cli.conftest import Run
from tests.plugin_site import PluginSite

need.module("scipy")
TOY = Path(__file__).parents[1] / "fidelity" / "toystrip"
ID = "hub:toystrip/Strip-v0"


@pytest.fixture
def installed(site: PluginSite) -> PluginSite:
    shutil.copytree(TOY, site.path / "toystrip", ignore=shutil.ignore_patterns("*.pyc"))
    site.distribution("toystrip", {"toystrip": "toystrip.plugin"})
    return site


def hub(site: PluginSite, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site.path), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "hub", *arguments],
        env={**os.environ, "PYTHONPATH": path, "HUB_PLUGINS": "toystrip", "COLUMNS": "400"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_all_levels_with_the_plugins_own_trainer(installed: PluginSite, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    run = hub(installed, "verify", ID, "--json", "-", "--html", str(page))
    assert run.returncode == 0, run.stderr
    data = json.loads(run.stdout)
    assert data["schema"] == "hub.verify/1"
    (result,) = data["results"]
    assert result["certificate"]["schema"] == "hub.certificate/1"
    assert result["certificate"]["level"] == 4
    text = page.read_text()
    assert text.count("<svg") == 2
    assert text.count("; every policy earned the same on both sides") == 2
    assert "10 steps a policy, which counts from a return of -1" in text
    assert "http" not in text.replace("http-equiv", "")
    check = hub(installed, "verify", "--all", "--check", "--json", "-")
    assert check.returncode == 0, check.stderr
    assert json.loads(check.stdout)["schema"] == "hub.verify.check/1"
    assert json.loads(check.stdout)["results"][0]["state"] == "verified"


def test_check_fails_on_a_stale_certificate(installed: PluginSite) -> None:
    assert hub(installed, "verify", ID, "--level", "1").returncode == 0
    source = installed.path / "toystrip" / "engine.py"
    source.write_text(source.read_text() + "\n")
    run = hub(installed, "verify", ID, "--check")
    assert run.returncode == 1
    assert "stale" in run.stdout
    assert "the engine's sources changed since" in run.stdout


def test_a_sample_shows_what_it_ran_and_nothing_older(installed: PluginSite) -> None:
    assert hub(installed, "verify", ID, "--level", "3").returncode == 0
    run = hub(installed, "verify", ID, "--level", "1", "--sample", "0.5", "--json", "-")
    (result,) = json.loads(run.stdout)["results"]
    assert "certifies nothing" in result["reason"]
    assert (result["certificate"]["level"], list(result["certificate"]["levels"])) == (1, ["1"])
    # What is written keeps the higher levels of the same engine.
    run = hub(installed, "verify", ID, "--level", "1", "--json", "-")
    assert json.loads(run.stdout)["results"][0]["certificate"]["level"] == 3
    run = hub(installed, "verify", ID, "--level", "1")
    assert "; kept as it was: L2 of 2" in run.stdout
    source = installed.path / "toystrip" / "engine.py"
    source.write_text(source.read_text() + "\n")
    run = hub(installed, "verify", ID, "--level", "1")
    assert run.returncode == 0
    assert "note: this run will write no certificate: the certificate on file holds" in run.stderr
    assert "it stays as it is" in run.stdout
    assert hub(installed, "verify", ID, "--level", "1", "--force").returncode == 0
    assert "L1 " in hub(installed, "verify", ID, "--check").stdout


def test_an_absent_part_of_the_reference_is_no_failed_proof(installed: PluginSite) -> None:
    source = installed.path / "toystrip" / "reference.py"
    head = "class StripReference(gymnasium.Env):\n"
    text = source.read_text()
    assert head in text
    lacking = "    def __init__(self, **options):\n        import no_such_part  # noqa: F401\n\n"
    source.write_text(text.replace(head, head + lacking))
    run = hub(installed, "verify", ID)
    assert run.returncode == 2, run.stdout
    assert "No module named 'no_such_part'. Fix: pip install no_such_part" in run.stderr


def test_mutants_stand_beside_the_papers_shares(installed: PluginSite) -> None:
    run = hub(installed, "verify", ID, "--level", "3", "--sample", "0.05", "--mutants")
    assert run.returncode == 1  # six mutants are fewer than thirty
    assert "6 mutants, 0 survived" in run.stdout
    assert "68%" in run.stdout
    assert "certifies nothing" in run.stdout


def test_a_policy_file_of_ones_own(installed: PluginSite, tmp_path: Path) -> None:
    policy = tmp_path / "mine.json"
    policy.write_text('{"dither": 0.2}')
    written = tmp_path / "result.json"
    run = hub(installed, "verify", ID, "--policy", str(policy), "--json", str(written))
    assert run.returncode == 0, run.stderr
    data = json.loads(written.read_text())
    assert data["schema"] == "hub.verify.policy/1"
    assert data["id"] == ID
    assert "equivalent over" in run.stdout
    assert "of this policy only" in run.stdout


def test_a_broken_engine_is_reported_with_its_first_difference(installed: PluginSite) -> None:
    source = installed.path / "toystrip" / "engine.py"
    source.write_text(source.read_text().replace("LIMIT = 12, 6, 0, 40", "LIMIT = 12, 6, 0, 39"))
    run = hub(installed, "verify", ID, "--level", "3")
    assert run.returncode == 1
    assert "truncated is True, the reference has False" in run.stdout
    assert "no certificate is written" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name one ID or more, or use --all"),
        ((ID, "--check", "--level", "2", "--mutants"), "--check does not go with --level, --mutan"),
        ((ID, "--policy", __file__, "--sample", "0.5"), "--policy does not go with --sample"),
        ((ID, "--check", "--policy", __file__), "--check does not go with --policy"),
        ((ID, "--all"), "name one ID or more, or use --all"),
        (("hub:toystrip/StripPlain-v0",), "declares no fidelity"),
        (("hub:toystrip/Strap-v0",), "did you mean hub:toystrip/Strip-v0"),
    ],
)
def test_what_cannot_be_run_is_one_line_and_status_2(
    installed: PluginSite, arguments: tuple[str, ...], message: str
) -> None:
    run = hub(installed, "verify", *arguments)
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_an_absent_distribution_is_named_with_its_fix(run: Run, acme: Plugins) -> None:
    object.__setattr__(acme.registry.card("acme/Gone-v0"), "fidelity", "no_such.fidelity:D")
    ended = run("verify", "acme/Gone-v0")
    assert ended.status == 2
    words = "needs distribution no-such-dist, not installed here. Fix: pip install ./native/gone"
    assert words in ended.err
    checked = run("verify", "acme/Gone-v0", "--check", "--json", "-")
    assert checked.status == 0  # an absent optional part is no fault
    (result,) = checked.json["results"]
    assert (result["state"], result["detail"]) == ("not-checked", f"it {words}")


def test_a_tree_that_differs_from_the_installed_copy_is_noted(
    installed: PluginSite, tmp_path: Path
) -> None:
    assert hub(installed, "verify", ID, "--level", "1").returncode == 0
    tree = tmp_path / "a tree"
    shutil.copytree(installed.path / "toystrip", tree / "src" / "toystrip")
    (info,) = installed.path.glob("toystrip*.dist-info")
    origin = {"url": tree.as_uri(), "dir_info": {}}
    (info / "direct_url.json").write_text(json.dumps(origin))
    assert "note" not in hub(installed, "verify", ID, "--check").stderr
    source = tree / "src" / "toystrip" / "engine.py"
    source.write_text(source.read_text() + "\n")
    run = hub(installed, "verify", ID, "--check")
    assert run.returncode == 0
    assert f"the installed copy is judged; the sources in {tree} are others" in run.stderr
    origin["dir_info"] = {"editable": True}
    (info / "direct_url.json").write_text(json.dumps(origin))
    assert "note" not in hub(installed, "verify", ID, "--check").stderr
