from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import hub
import hub.docs
from hub.fidelity.certificate import Certificate
from hub.plugins import Plugins
from tests import need
from tests.plugin_site import PluginSite

ROOT = Path(__file__).resolve().parents[2]
FIRST_PARTY = [c for c in hub.PLUGINS.registry if c.namespace in hub.docs.RESERVED_NAMESPACES]

SEEN = """
import numpy as np
from acme_hooks_env import Walk as Blind

class Walk(Blind):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 40}

    def render(self):
        return np.zeros((8, 16, 3), np.uint8)
"""

BASELINE = {
    "schema": "hub.bench/1",
    "rows": [
        {"suite": "throughput", "id": "hub:acme/Walk-v0", "case": "lanes 1", "unit": "steps/s",
         "median": 123456.0, "ratio": 6.5, "reference": "CartPole-v1"},
        {"suite": "throughput", "id": "hub:acme/Other-v0", "case": "lanes 1", "unit": "steps/s",
         "median": 999.0, "ratio": 1.0, "reference": "CartPole-v1"},
    ],
}  # fmt: skip


@pytest.fixture
def tree(
    site: PluginSite, plugins: Plugins, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Path:
    """A source tree whose hub knows acme/Walk-v0 alone, with a rendered frame."""
    site.plugin("acme")
    site.module("acme_seen", SEEN)
    hooks = site.path / "acme_hooks.py"
    hooks.write_text(hooks.read_text().replace("acme_hooks_env:Walk", "acme_seen:Walk"))
    plugins.load(site.points())
    for module in ("hub", "hub.entry", "hub.describe", "hub.play"):
        monkeypatch.setattr(f"{module}.PLUGINS", plugins)
    baselines = tmp_path / "tree" / "benchmarks" / "baselines"
    baselines.mkdir(parents=True)
    (baselines / "one.json").write_text(json.dumps(BASELINE))
    (baselines / "other.json").write_text(json.dumps({"schema": "else/1"}))
    return tmp_path / "tree"


def docs(tree: Path, *arguments: str) -> tuple[int, str]:
    ran = CliRunner().invoke(
        hub.docs.main, ["--root", str(tree), "--namespace", "acme", *arguments]
    )
    return ran.exit_code, ran.output


def test_a_page_holds_rules_options_picture_and_measured_speed(tree: Path) -> None:
    assert docs(tree)[0] == 0
    folder = tree / "docs" / "envs" / "acme"
    text = (folder / "Walk-v0.md").read_text()
    for part in ("# hub:acme/Walk-v0", "`Discrete(2)`", "`stride`", "1.23e+05", "6.5 x",
                 "CartPole-v1", "![A frame of Walk-v0](Walk-v0.png)"):  # fmt: skip
        assert part in text
    assert "999" not in text
    assert (folder / "Walk-v0.png").read_bytes().startswith(b"\x89PNG")


def test_check_passes_what_was_written_and_writes_nothing(tree: Path) -> None:
    status, output = docs(tree, "--check")
    assert status == 1
    assert "Walk-v0.md is out of date" in output
    assert "Walk-v0.png is out of date" in output
    assert not (tree / "docs").exists()
    docs(tree)
    assert docs(tree, "--check") == (0, "")


def test_an_edited_page_is_found(tree: Path) -> None:
    docs(tree)
    page = tree / "docs" / "envs" / "acme" / "Walk-v0.md"
    page.write_text(page.read_text().replace("stride", "strides"))
    assert docs(tree, "--check")[0] == 1
    docs(tree)
    assert docs(tree, "--check")[0] == 0


@pytest.mark.parametrize("card", FIRST_PARTY, ids=lambda card: str(card.id))
def test_every_environments_page_is_up_to_date_and_its_picture_small(card: hub.EnvCard) -> None:
    if card.missing():
        need.missing(card.reason())
    assert hub.docs.refresh(card, ROOT, check=True) == []
    picture = ROOT / "docs" / "envs" / card.namespace / f"{card.name}.png"
    assert not picture.exists() or picture.stat().st_size <= hub.docs.PICTURE_BYTES


def test_the_page_of_all_certificates_is_up_to_date() -> None:
    if any(card.missing() for card in FIRST_PARTY if card.fidelity):
        need.missing("an environment with a certificate")
    assert (ROOT / "docs" / "fidelity.md").read_text() == hub.docs.fidelity(FIRST_PARTY)


def test_certificates_stand_side_by_side_with_the_papers_shares() -> None:
    text = hub.docs.fidelity(FIRST_PARTY)
    for card in FIRST_PARTY:
        if card.fidelity and hub.docs.certificate_path(card).is_file():
            assert f"| [{card.id}](envs/{card.namespace}/{card.name}.md) | L" in text
            assert (ROOT / "docs" / "envs" / card.namespace / f"{card.name}.md").is_file()
    assert "| 68% | 24% | 8% |" in text


def certificate(**changes: Any) -> Certificate:
    tost = {"means": [31.5, 31.25], "interval": [-0.5, 1.0], "p": 0.001, "verdict": "equivalent"}
    arms = [
        {"trained_in": "engine", "policies": [1, 2], "sizes": {"episodes": 20}, "paired": tost},
        {"trained_in": "reference", "policies": [], "sizes": None, "paired": None},
    ]
    checks = [{"cases": 1000}, {"cases": 500}]
    rows = [{"name": "a"}] * 4
    fields: dict[str, Any] = {
        "id": "hub:a/B-v0", "hub": "0", "level": 3, "date": "2026-01-02", "declaration": "a.b:C",
        "sources": {}, "engine_hash": "", "machine": {},
        "reference": {"summary": "a plain A", "versions": {"numpy": "2.0"}},
        "levels": {
            "1": {"state": "passed", "detail": "", "date": "2026-01-01", "checks": checks},
            "4": {"state": "failed", "detail": "too few", "date": "2026-01-02",
                  "transfer": {"margin": 1.0, "arms": arms}},
        },
        "mutants": {"rows": rows, "survivors": ["a"], "shares": {"1": 0.5, "2": 0.25, "3": 0.0},
                    "sample": 0.1},
    }  # fmt: skip
    return Certificate(**{**fields, **changes})


def test_a_page_says_what_a_certificate_showed() -> None:
    text = "\n".join(hub.docs.standing(certificate()))
    for part in (
        "Reference: a plain A, numpy 2.0",
        "| L1 components | passed | 2 checks, 1,500 cases | 2026-01-01 |",
        "| L4 policy transfer | failed | too few | 2026-01-02 |",
        "| the engine | 2 | 20 | 31.5 | 31.25 | [-0.5, 1] | 1 | 0.001 | equivalent |",
        "4 mutants, 1 survived 10% of the checks:",
        "| share | 50% | 25% | 0% |",
        "| in the paper | 68% | 24% | 8% |",
    ):
        assert part in text
    assert "| the reference |" not in text, "an arm that was not tested has no numbers"
    bare = "\n".join(hub.docs.standing(certificate(mutants=None, levels={})))
    assert "mutants" not in bare
    assert "carried across" not in bare
