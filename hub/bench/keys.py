"""What `EnvCard.bench` may say: the one place that defines and reads these keys.

| key | value | default |
|---|---|---|
| `reference` | the case that every row of the environment is compared with | `CartPole-v1 sync` |
| `peers` | list of cases, or of `module:function`, measured beside it | none |
| `layers` | `module:function` with the layers below the Python API | none |
| `lanes` | list of lane counts | powers of 4 from 1 to 16,384 |
| `goals` | `{"CASE over CASE [per cpu-second]": least ratio}` | none |

Cases are in the notation of `hub.bench.case`; the ids in `reference` and `peers` are Gymnasium's.
A function of `layers` or `peers` is called as `function(lanes)` and returns
`Mapping[str, Callable[[int], float]]`: by name, something that steps the given number of batches
of `lanes` environments with random actions sampled beforehand, waits until they are done, and
returns the number of environment steps, autoreset steps not counted. It leaves out what it does
not offer at that many lanes, and raises ImportError when what it needs is not installed. Its
names are paths in the notation: `{"make_vec lanes=1024 over bare C loop lanes=1024": 0.6}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hub.bench.case import Case
from hub.card_fields import BENCH_KEYS, TARGET
from hub.errors import BenchError

LANES = tuple(4**power for power in range(8))
# SyncVectorEnv steps one environment after the other: beyond this its figure no longer changes,
# while building thousands of environments takes minutes.
SYNC_LANES = (1, 4, 16, 64)
YARDSTICK = "CartPole-v1 sync"
_PER_CPU = " per cpu-second"


@dataclass(frozen=True)
class Goal:
    """A ratio to reach.

    Attributes:
        case: What is judged.
        over: What it is compared with, in the same rounds.
        at_least: The least ratio.
        unit: `steps/s` or `steps/cpu-s`.
    """

    case: Case
    over: Case
    at_least: float
    unit: str = "steps/s"

    @classmethod
    def parse(cls, text: str, at_least: float) -> Goal:
        """Read `CASE over CASE [per cpu-second]`."""
        sentence = text.removesuffix(_PER_CPU)
        case, middle, over = sentence.partition(" over ")
        if not middle:
            raise BenchError(f"goal {text!r}: expected 'CASE over CASE[{_PER_CPU}]'")
        unit = "steps/s" if sentence == text else "steps/cpu-s"
        return cls(Case.parse(case), Case.parse(over), float(at_least), unit)

    def __str__(self) -> str:
        return f"{self.case} over {self.over}"


@dataclass(frozen=True)
class BenchKeys:
    """The `bench` mapping of a card, read and checked.

    Attributes:
        reference: Case that rows are compared with.
        peers: Cases of other environments measured beside it.
        functions: `module:function` of layers and peers.
        lanes: Lane counts, empty for the default.
        goals: Ratios to reach.
    """

    reference: Case
    peers: tuple[Case, ...] = ()
    functions: tuple[str, ...] = ()
    lanes: tuple[int, ...] = ()
    goals: tuple[Goal, ...] = ()

    @classmethod
    def read(cls, env_id: str, bench: Mapping[str, Any]) -> BenchKeys:
        """Check and read `bench`.

        Raises:
            BenchError: An unknown key, or a value that is none of what the key takes.
        """
        _check(env_id, bench)
        peers = bench.get("peers", [])
        layers = [bench["layers"]] if "layers" in bench else []
        return cls(
            reference=Case.parse(bench.get("reference", YARDSTICK)),
            peers=tuple(Case.parse(peer) for peer in peers if not TARGET.fullmatch(peer)),
            functions=(*layers, *(peer for peer in peers if TARGET.fullmatch(peer))),
            lanes=tuple(bench.get("lanes", [])),
            goals=tuple(Goal.parse(text, ratio) for text, ratio in bench.get("goals", {}).items()),
        )


def _check(env_id: str, bench: Mapping[str, Any]) -> None:
    for key, value in bench.items():
        if key not in BENCH_KEYS:
            raise BenchError(f"{env_id}: bench key {key!r}: expected one of {sorted(BENCH_KEYS)}")
        kind = {"peers": list, "lanes": list, "goals": dict}.get(key, str)
        if not isinstance(value, kind):
            what = {list: "a list", dict: "an object", str: "a string"}[kind]
            raise BenchError(f"{env_id}: bench key {key} is {value!r}: expected {what}")
    for lanes in bench.get("lanes", []):
        if type(lanes) is not int or lanes < 1:
            raise BenchError(f"{env_id}: bench lanes {lanes!r}: expected a whole number >= 1")
    layers = bench.get("layers")
    if layers is not None and not TARGET.fullmatch(layers):
        raise BenchError(f"{env_id}: bench layers {layers!r}: expected 'module:function'")
    for text, ratio in bench.get("goals", {}).items():
        if isinstance(ratio, bool) or not isinstance(ratio, (int, float)):
            raise BenchError(f"{env_id}: goal {text!r}: {ratio!r}: expected a number")
