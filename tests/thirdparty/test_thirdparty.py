from __future__ import annotations

import json

import pytest

from tests.thirdparty.conftest import Fresh

pytestmark = pytest.mark.slow

ID = "hub:acme/Lighthouse-v0"


def test_only_small_pure_packages_come_with_the_hub(fresh: Fresh) -> None:
    listed = json.loads(fresh.run("python", "-m", "pip", "list", "--format", "json").stdout)
    names = {package["name"].lower().replace("_", "-") for package in listed}
    expected = {
        "gymhub", "acme-arcade", "broken-arcade", "pip", "setuptools", "numpy", "gymnasium",
        "cloudpickle", "farama-notifications", "typing-extensions", "pluggy", "click", "rich",
        "markdown-it-py", "mdurl", "pygments",
    }  # fmt: skip
    assert names <= expected


def test_the_id_of_a_third_party_makes_without_an_import(fresh: Fresh) -> None:
    code = f"""if True:
        import gymnasium
        env = gymnasium.make("{ID}", speed=0.1)
        env.reset(seed=0)
        env.step(2)
        lanes = gymnasium.make_vec("{ID}", num_envs=3)
        print(env.spec.id, lanes.reset(seed=0)[0].shape)
    """
    ran = fresh.run("python", "-W", "error", "-c", code)
    assert ran.stdout == "acme/Lighthouse-v0 (3, 2)\n", ran.stderr


def test_list_info_and_play_know_it(fresh: Fresh) -> None:
    listed = fresh.run("hub", "list", "--json", "-")
    assert listed.returncode == 0
    rows = {row["id"]: row for row in json.loads(listed.stdout)["environments"]}
    assert rows[ID]["available"]
    assert "Turn the lamp" in fresh.run("hub", "info", ID).stdout
    assert ID in fresh.run("hub", "play", ID).stdout
    assert fresh.run("hub", "acme-greet").stdout == "acme says hello\n"


def test_check_passes_it(fresh: Fresh) -> None:
    checked = fresh.run("hub", "check", ID)
    assert checked.returncode == 0, checked.stdout


def test_bench_measures_it(fresh: Fresh) -> None:
    measured = fresh.run("hub", "bench", "--id", ID, "--quick", "--json", "-")
    assert measured.returncode == 0, measured.stderr
    assert ID in {row["id"] for row in json.loads(measured.stdout)["rows"]}


def test_absent_native_environments_stay_listed(fresh: Fresh) -> None:
    listed = json.loads(fresh.run("hub", "list", "--absent", "--json", "-").stdout)
    rows = {row["id"]: row for row in listed["environments"]}
    assert rows["hub:native/Pong-v0"]["fix"] == "pip install ./native/pong"


def test_new_writes_a_plugin_that_passes_conformance_as_written(fresh: Fresh) -> None:
    wrote = fresh.run("hub", "new", "bolt-envs")
    assert wrote.returncode == 0, wrote.stderr
    project = str(fresh.path / "bolt-envs")
    installed = fresh.run("python", "-m", "pip", "install", "--quiet", "-e", project)
    assert installed.returncode == 0, installed.stderr
    checked = fresh.run("hub", "check", "hub:bolt-envs/Corridor-v0", "--json", "-")
    report = json.loads(checked.stdout)
    assert [c for c in report["checks"] if c["status"] == "fail"] == []
    assert checked.returncode == 0


def test_what_is_broken_is_said_and_breaks_nothing_else(fresh: Fresh) -> None:
    shown = fresh.run("hub", "plugins", "--json", "-")
    assert shown.returncode == 1
    plugins = {row["name"]: row for row in json.loads(shown.stdout)["plugins"]}
    assert plugins["acme"]["status"] == "loaded"
    assert plugins["acme"]["version"] == "1.2.3"
    errors = {name: plugins[name]["error"] for name in ("torn", "half", "misspelt")}
    assert "No module named 'a_package_that_nobody_has'" in errors["torn"]
    assert errors["half"] == "RuntimeError: the licence server does not answer"
    assert "unknown hook hub_register_enviroments; the hub has" in errors["misspelt"]
    doctor = fresh.run("hub", "doctor")
    assert doctor.returncode == 1
    assert "a_package_that_nobody_has" in doctor.stdout
    gone = fresh.run("python", "-c", "import gymnasium; gymnasium.make('hub:half/Done-v0')")
    assert "NamespaceNotFound" in gone.stderr


def test_blocking_the_broken_ones_leaves_a_clean_hub(fresh: Fresh) -> None:
    shown = fresh.run("hub", "plugins", HUB_BLOCK_PLUGINS="torn,half,misspelt")
    assert shown.returncode == 0, shown.stdout
    assert fresh.run("hub", "doctor", HUB_PLUGINS="acme").returncode == 0


def test_strict_mode_raises(fresh: Fresh) -> None:
    raised = fresh.run("python", "-c", "import hub", HUB_STRICT_PLUGINS="1")
    assert raised.returncode == 1
    assert "PluginError: plugin half (broken-arcade): RuntimeError" in raised.stderr
