"""The child's side: `python -m hub.conformance.worker EVENTS_FD FOLDER`, request on stdin.

The request is `{id, spec, strict, seconds, rules}`, or `{id, spec, replay: [seed, steps]}`; `spec`
is the pickled `EnvSpec` (base64) of an id that only the parent's process knows, or None. Events go
to the file descriptor, one JSON object a line: `{begin: NAME}` and `{check: {...}}` for each rule,
`{digests: [...]}` for a replay, `{unknown: TEXT}` when there is no such id, `{missing: TEXT}` when
something that the environment needs is not installed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from hub.conformance import specs
from hub.conformance.outcome import Finding, Skipped, describe
from hub.conformance.play import Frame, Probe, digests, frames
from hub.conformance.pulse import Pulse
from hub.conformance.report import Check
from hub.conformance.rules import GATES, TABLE, Rule
from hub.conformance.session import MIN_STEPS, Session

Tell = Callable[[dict[str, Any]], None]


def judge(session: Session, rule: Rule) -> Check:
    """Run one rule.

    Raises:
        DependencyNotInstalled: The environment says that something it needs is not here.
    """
    try:
        return Check(rule.name, "pass", rule.run(session))
    except Skipped as reason:
        return Check(rule.name, "skip", str(reason))
    except Finding as found:
        lacking = found.__cause__
        # To render may take parts of its own (its rule skips then); without others nothing runs.
        if rule.name != "render" and isinstance(lacking, gymnasium.error.DependencyNotInstalled):
            raise lacking from found
        return Check(rule.name, "fail", found.message, found.step, found.field, found.seed)


def replay(spec: EnvSpec, seed: int, steps: int, seconds: float, pulse: Pulse) -> list[Frame]:
    """Play `steps` steps from `seed`, or at least a few when `seconds` are over."""
    played: list[Frame] = []
    env = gymnasium.make(spec, disable_env_checker=True)
    until = time.monotonic() + seconds
    for frame in frames(Probe(env, pulse), seed, steps):
        played.append(frame)
        if len(played) > MIN_STEPS and time.monotonic() > until:
            break
    env.close()
    return played


def work(request: dict[str, Any], pulse: Pulse, tell: Tell) -> None:
    """Carry out one request."""
    try:
        spec = specs.unpack(request["spec"]) if request["spec"] else specs.find(request["id"])
    # A module that cannot be imported may raise anything.
    except Exception as error:
        # Gymnasium's own errors say all; of others, where they come from helps.
        own = isinstance(error, gymnasium.error.Error)
        tell({"unknown": str(error) if own else describe(error)})
        return
    if "replay" in request:
        seed, steps = request["replay"]
        tell({"digests": digests(replay(spec, seed, steps, request["seconds"], pulse))})
        return
    session = Session(spec, request["strict"], request["seconds"], pulse)
    try:
        judge_all(session, request["rules"], tell)
    except gymnasium.error.DependencyNotInstalled as missing:
        tell({"missing": str(missing)})
    finally:
        session.close()


def judge_all(session: Session, wanted: list[str], tell: Tell) -> None:
    """Run the rules that are `wanted`, in their order."""
    rules = [rule for rule in TABLE if rule.name in wanted]
    failed: list[str] = []
    for index, rule in enumerate(rules):
        tell({"begin": rule.name})
        session.begin(rule.weight, sum(other.weight for other in rules[index:]))
        gate = next((name for name in failed if rule.name.startswith(GATES[name])), None)
        if gate:
            check = Check(rule.name, "skip", f"not run, because {gate} failed")
        else:
            check = judge(session, rule)
        if check.status == "fail" and rule.name in GATES:
            failed.append(rule.name)
        tell({"check": vars(check)})


def main() -> None:
    """Read the request and write the events."""
    events, pulse = int(sys.argv[1]), Pulse(Path(sys.argv[2]) / "pulse")

    def tell(event: dict[str, Any]) -> None:
        os.write(events, json.dumps(event).encode() + b"\n")

    work(json.load(sys.stdin), pulse, tell)


if __name__ == "__main__":
    main()
