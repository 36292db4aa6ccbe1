"""A page per environment, generated from its card and code: `python -m hub.docs [--check]`.

A page under `docs/envs/<namespace>/` holds the card, spaces, rules, options, a picture when the
environment renders one, the speed measured in `benchmarks/baselines/` and the certificate;
`docs/fidelity.md` has the certificates of all of them side by side.
`--check` writes nothing and ends with status 1 when a page is out of date: CI keeps them true.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

import hub
from hub import picture, play
from hub.describe import describe
from hub.fidelity.certificate import Certificate, certificate_path, read_certificate
from hub.fidelity.mutants import PAPER_SHARES
from hub.fidelity.report import TITLES, mutant_count, what
from hub.plugins import RESERVED_NAMESPACES
from hub.registry import EnvCard

PICTURE_BYTES = 30_000
PICTURE_STEPS = 60  # random steps before the picture: something has moved by then
FACTS = ("family", "backend", "reference", "licence", "max_episode_steps", "plugin")


def page(card: EnvCard, root: Path, has_picture: bool) -> str:
    """Return the Markdown page of an environment that can be made here.

    Args:
        card: Its card.
        root: The source tree, for the measured speed.
        has_picture: Whether a picture lies beside the page.
    """
    d = describe(card)
    facts = [(name.replace("_", " "), d[name]) for name in FACTS if d[name]]
    facts += [("observation space", f"`{d['observation_space']}`")]
    facts += [("action space", f"`{d['action_space']}`")]
    facts += [("render modes", ", ".join(d["render_modes"]) or "none")]
    parts = [
        f"# {card.id}",
        card.summary,
        f'```python\nimport gymnasium\n\nenv = gymnasium.make("{card.id}")\n```',
        f"![A frame of {card.name}]({card.name}.png)" if has_picture else "",
        _table(("", ""), facts),
        "## Rules",
        d["rules"],
        *_options("Options", d["options"]),
        *_options("Options of the vector environment", d["vector_options"]),
        *_speed(card.id, root),
        *_certificate(card),
        "Generated from the card and the code by `python -m hub.docs`; edit those.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    cells = ([str(cell).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _options(title: str, options: list[dict[str, Any]]) -> list[str]:
    rows = [
        (f"`{o['name']}`", o["type"], "required" if o["required"] else f"`{o['default']!r}`")
        for o in options
    ]
    return [f"## {title}", _table(("option", "type", "default"), rows)] if rows else []


def _speed(env_id: str, root: Path) -> list[str]:
    rows = [
        (r["suite"], r["case"], r["unit"], f"{r['median']:.3g}", f"{r['ratio']:.3g} x", against)
        for r in _measured(root)
        if r["id"] == env_id and r["median"] is not None and r["ratio"] is not None
        for against in [r["reference"]]
    ]
    head = ("suite", "case", "unit", "median", "ratio", "reference")
    return ["## Measured speed", _table(head, rows)] if rows else []


def _measured(root: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((root / "benchmarks" / "baselines").glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if document.get("schema") == "hub.bench/1":
            yield from document["rows"]


def _certificate(card: EnvCard) -> list[str]:
    if not card.fidelity:
        return []
    path = certificate_path(card)
    if not path.is_file():
        return ["## Certificate", f"None yet: `hub verify {card.id}` makes it."]
    return ["## Certificate", *standing(read_certificate(path))]


def standing(certificate: Certificate) -> Iterator[str]:
    """Yield the parts of a page that say what a certificate showed."""
    rows = [
        (TITLES[level], report["state"], what(report), report["date"])
        for level, report in sorted(certificate.levels.items())
    ]
    reference = certificate.reference
    versions = [f"{name} {version}" for name, version in sorted(reference["versions"].items())]
    yield ", ".join([f"Reference: {reference['summary']}", *versions])
    yield _table(("level", "state", "what was compared", "date"), rows)
    yield from _transfer(certificate)
    yield from _mutants(certificate)


def _transfer(certificate: Certificate) -> list[str]:
    """Level 4 in numbers: one row an arm that was tested."""
    transfer = certificate.levels.get("4", {}).get("transfer", {})
    rows = [
        (
            f"the {arm['trained_in']}",
            len(arm["policies"]),
            arm["sizes"]["episodes"],
            *(f"{mean:.5g}" for mean in test["means"]),
            f"[{test['interval'][0]:.3g}, {test['interval'][1]:.3g}]",
            f"{transfer['margin']:g}",
            f"{test['p']:.2g}",
            test["verdict"],
        )
        for arm in transfer.get("arms", ())
        if (test := arm["paired"])
    ]
    sizes = ("policies", "episodes", "mean in the engine", "in the reference")
    test_of = ("interval of the difference", "margin", "p", "verdict")
    table = _table(("trained in", *sizes, *test_of), rows)
    return ["Policies carried across, both ways:", table] if rows else []


def _mutants(certificate: Certificate) -> list[str]:
    found = certificate.mutants
    if not found:
        return []
    rows = [("share", *_shares(found)), ("in the paper", *_percent(PAPER_SHARES.values()))]
    return [
        f"{mutant_count(found)}:",
        _table(("caught at", *(f"L{level}" for level in PAPER_SHARES)), rows),
    ]


def _shares(mutants: dict[str, Any]) -> Iterator[str]:
    return _percent(mutants["shares"][str(level)] for level in PAPER_SHARES)


def _percent(shares: Iterable[float]) -> Iterator[str]:
    return (f"{share:.0%}" for share in shares)


def fidelity(cards: Iterable[EnvCard]) -> str:
    """Return the Markdown page that has all certificates side by side."""
    rows: list[tuple[Any, ...]] = []
    for card in cards:
        if card.fidelity and (path := certificate_path(card)).is_file():
            found = read_certificate(path)
            name = f"[{card.id}](envs/{card.namespace}/{card.name}.md)"
            mutants = found.mutants
            bugs = (len(mutants["rows"]), *_shares(mutants)) if mutants else ("not run", *"---")
            rows.append((name, f"L{found.level}", found.reference["summary"], found.date, *bugs))
    rows.append(("the paper's battle simulator", *"---", "", *_percent(PAPER_SHARES.values())))
    caught = [f"caught at L{level}" for level in PAPER_SHARES]
    head = ("environment", "level", "reference", "date", "seeded bugs", *caught)
    text = (
        "Each level rests on those below it: L1 components, L2 interactions, L3 rollouts and "
        "distributions, L4 policy transfer. `hub verify ID` recomputes a certificate, `hub verify "
        "--all --check` tells whether it still holds. Seeded bugs are injected one by one into the "
        "engine under test; the shares say at which level they were caught. The paper's are of "
        "bugs that its agent made itself, so that only the shape can be compared."
    )
    made = "Generated from the certificates by `python -m hub.docs`."
    return "\n\n".join(("# Fidelity", text, _table(head, rows), made)) + "\n"


def frame(card: EnvCard) -> bytes | None:
    """Return a small PNG of the environment in mid-play, or None when it renders no frames."""
    env = play.make(card.id, ("rgb_array",))
    try:
        if env.render_mode != "rgb_array":
            return None
        *_, last = play.episode(env, play.agent("random", env, 0), 0, PICTURE_STEPS)
        return picture.small_png(last.frame, PICTURE_BYTES)
    finally:
        env.close()


def refresh(card: EnvCard, root: Path, check: bool) -> list[Path]:
    """Bring the page and picture of `card` up to date; return what was (or is) not.

    Pictures are only missed, never compared: their bytes differ between machines.
    """
    path = root / "docs" / "envs" / card.namespace / f"{card.name}.md"
    image = path.with_name(f"{card.name}.png")
    wanted: dict[Path, bytes] = {}
    if not (check and image.exists()):
        data = frame(card)
        if data is not None:
            wanted[image] = data
    has_picture = image in wanted or image.exists()
    wanted[path] = page(card, root, has_picture).encode()
    return _write(wanted, check)


def _write(wanted: dict[Path, bytes], check: bool) -> list[Path]:
    """Return the files that are not as wanted, and make them so unless asked only to check."""
    stale = [p for p, data in wanted.items() if not p.exists() or p.read_bytes() != data]
    if not check:
        for p in stale:
            p.parent.mkdir(parents=True, exist_ok=True)
            p.write_bytes(wanted[p])
    return stale


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; status 1 when a page is out of date.")
@click.option("--namespace", "namespaces", multiple=True, default=sorted(RESERVED_NAMESPACES),
              help="Namespaces to write pages for; default: the built-in ones.")  # fmt: skip
@click.option("--root", type=click.Path(exists=True, path_type=Path), default=".",
              help="The source tree.")  # fmt: skip
@click.pass_context
def main(ctx: click.Context, check: bool, namespaces: tuple[str, ...], root: Path) -> None:
    """Write the pages of the environments that can be made here; leave those of absent ones."""
    stale: list[Path] = []
    cards = [card for card in hub.PLUGINS.registry if card.namespace in namespaces]
    for card in cards:
        if card.missing():
            click.echo(f"{card.id}: left alone: {card.reason()}", err=True)
            continue
        stale += refresh(card, root, check)
    if not any(card.missing() for card in cards if card.fidelity):
        stale += _write({root / "docs" / "fidelity.md": fidelity(cards).encode()}, check)
    for path in stale:
        click.echo(f"{path} is out of date: run python -m hub.docs" if check else f"wrote {path}")
    ctx.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
