"""`hub train`: train a policy by recipe or in any environment, and keep its learning curve."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import hub
from hub.cli.output import EnvId, console, json_option, write_json
from hub.registry import PREFIX

if TYPE_CHECKING:
    from hub.fidelity import CurvePoint, Recipe, Trained

SCHEMA = "hub.train/1"
STEPS = 1_000_000  # of an id, whose budget no recipe states
TRAINER = "ppo"
BARS = "▁▂▃▄▅▆▇█"
LINES = 10  # of progress where nobody looks


def _epilog() -> str:
    recipes = hub.PLUGINS.kind("recipes")
    lines = [f"{name}: {recipe.summary}" for name, recipe in recipes.items()]
    return "Recipes:\n\n" + "\n\n".join(lines or ["none (no plugin registered one)"])


@click.command(epilog=_epilog())
@click.argument("name", metavar="NAME", type=EnvId())
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of everything.")
@click.option("--steps", type=click.IntRange(1), help=f"Environment steps [id: {STEPS:,}].")
@click.option("--trainer", metavar="TRAINER", help=f"Registered name [id: {TRAINER}].")
@click.option(
    "--set",
    "pairs",
    metavar="OPTION=JSON",
    multiple=True,
    help="Set an option of the trainer (lanes=256, network=gru); repeat.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="New or empty folder for policy and curve [runs/NAME-SEED].",
)
@json_option
def command(
    name: str,
    seed: int,
    steps: int | None,
    trainer: str | None,
    pairs: tuple[str, ...],
    out: Path | None,
    json_path: str | None,
) -> int:
    """Train a policy; NAME is an environment's id or a recipe.

    Writes the policy, curve.json and curve.svg. Exit status 1 if the recipe's return was not
    reached.
    """
    from hub.fidelity import find_trainer

    recipe = _recipe(name, trainer, steps, dict(map(_option, pairs)))
    found = find_trainer(recipe.trainer)
    begin = time.perf_counter()
    with _folder(out, name, seed) as folder, _display(recipe, json_path) as progress:
        try:
            trained = found.train(
                recipe.env_id,
                seed=seed,
                budget=recipe.budget,
                out=folder,
                progress=progress,
                **recipe.options,
            )
        except (TypeError, ValueError) as error:
            if not pairs:
                raise
            raise click.UsageError(f"--set {' '.join(pairs)}: {error}") from error
    data = _document(name, recipe, seed, trained, time.perf_counter() - begin)
    _keep(folder, trained, data)
    write_json({k: v for k, v in data.items() if k != "schema"}, SCHEMA, json_path)
    if note := _note(recipe.budget, trained):
        click.echo(f"note: {note}", err=True)
    console(json_path).print(_summary(data, folder), markup=False, soft_wrap=True)
    return int(data["reached"] is False)


def _recipe(name: str, trainer: str | None, steps: int | None, options: dict[str, Any]) -> Recipe:
    """Return the recipe `name`, or one for an id, with what the command line overrides."""
    from dataclasses import replace

    from hub.fidelity import Recipe, find_recipe

    known = hub.PLUGINS.registry
    if name in known or name.startswith(PREFIX):
        recipe = Recipe(known.card(name).id, TRAINER, STEPS)
    elif name in hub.PLUGINS.kind("recipes") or not _gymnasium_has(name):
        recipe = find_recipe(name)
    else:
        recipe = Recipe(name, TRAINER, STEPS)
    return replace(
        recipe,
        trainer=trainer or recipe.trainer,
        budget=steps or recipe.budget,
        options={**recipe.options, **options},
    )


def _gymnasium_has(env_id: str) -> bool:
    import gymnasium

    return env_id in gymnasium.registry


def _option(pair: str) -> tuple[str, Any]:
    name, equals, value = pair.partition("=")
    if not equals:
        raise click.UsageError(f"--set {pair}: expected OPTION=JSON, for example lanes=256")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value  # a bare word is a string: network=gru


@contextmanager
def _folder(out: Path | None, name: str, seed: int) -> Iterator[Path]:
    """Give a new or empty folder; one that is left empty goes again."""
    plain = name.removeprefix(PREFIX).replace("/", "-").replace(":", "-")
    folder = out or Path("runs") / f"{plain}-{seed}"
    if folder.is_dir() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} holds files already: name another folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(f"--out {folder}: {error.strerror}") from error
    try:
        yield folder
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()


def _document(
    name: str, recipe: Recipe, seed: int, trained: Trained, seconds: float
) -> dict[str, Any]:
    threshold, final = recipe.return_threshold, trained.final_return
    reached = None if threshold is None else final is not None and final >= threshold
    return {
        "schema": SCHEMA,
        "name": name,
        "id": recipe.env_id,
        "trainer": recipe.trainer,
        "options": dict(recipe.options),
        "seed": seed,
        "budget": recipe.budget,
        "seconds": round(seconds, 3),
        "policy": trained.policy.name,
        "final_return": final,
        "return_threshold": threshold,
        "reached": reached,
        "curve": [{"steps": p.steps, "mean_return": p.mean_return} for p in trained.curve],
    }


def _keep(folder: Path, trained: Trained, data: Mapping[str, Any]) -> None:
    from hub.fidelity.svg import curve_plot

    (folder / "curve.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    points = [(float(p.steps), p.mean_return) for p in trained.curve]
    if picture := curve_plot(points, f"{data['id']}, {data['trainer']}, seed {data['seed']}"):
        # A page needs no namespace, a file of its own does.
        picture = picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        (folder / "curve.svg").write_text(picture + "\n", encoding="utf-8")


def _note(budget: int, trained: Trained) -> str:
    """Say so when the budget was too small to tell anything; empty otherwise."""
    taken, spent = trained.steps, f"a budget of {budget:,} steps"
    if taken is not None and taken >= 2 * budget:
        spent += f" is less than one batch of this trainer, which took {taken:,}"
    elif trained.curve:
        return ""
    else:
        spent += " ended no episode"
    return f"{spent}: a longer training needs a larger --steps"


def _summary(data: Mapping[str, Any], folder: Path) -> str:
    final, threshold = data["final_return"], data["return_threshold"]
    said = "no episode ended" if final is None else f"mean return {final:.4g}"
    if threshold is not None:
        said += f" ({'reached' if data['reached'] else 'below'} {threshold:g})"
    return f"{data['id']}: {said} in {data['seconds']:.1f} s; kept in {folder}"


@contextmanager
def _display(recipe: Recipe, json_path: str | None) -> Iterator[Callable[[CurvePoint], None]]:
    """Show the training as it goes: live on a terminal, some lines elsewhere."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console("-")
    if not screen.is_terminal:
        yield _lines(recipe)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[figures]}"),
        TimeElapsedColumn(),
    )
    begin, curve = time.perf_counter(), list[float]()
    with Progress(*columns, console=screen) as bar:
        task = bar.add_task(recipe.env_id, total=recipe.budget, figures="first episodes")

        def show(point: CurvePoint) -> None:
            curve.append(point.mean_return)
            rate = point.steps / (time.perf_counter() - begin)
            figures = f"{sparkline(curve)} return {point.mean_return:.4g}  {rate:,.0f} steps/s"
            bar.update(task, completed=point.steps, figures=figures)

        yield show


def _lines(recipe: Recipe) -> Callable[[CurvePoint], None]:
    due = 0.0

    def show(point: CurvePoint) -> None:
        nonlocal due
        if point.steps >= due:
            due = point.steps + recipe.budget / LINES
            click.echo(f"{point.steps:,} steps: mean return {point.mean_return:.4g}", err=True)

    return show


def sparkline(values: list[float], width: int = 24) -> str:
    """Draw the last values, thinned to `width` of them, as a row of bars."""
    size = max(1, -(-len(values) // width))
    means = [sum(v) / len(v) for v in (values[i : i + size] for i in range(0, len(values), size))]
    low, span = min(means), (max(means) - min(means)) or 1.0
    return "".join(BARS[round((v - low) / span * (len(BARS) - 1))] for v in means)
