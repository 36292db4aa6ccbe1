import resource
from pathlib import Path

from hub.sandbox import Features, Limits
from hub.sandbox.cgroups import Hierarchy
from hub.sandbox.limits import plan
from hub.sandbox.types import NOT_LIMITED

FEATURES = Features(images=("host",), disk="a tmpfs")


def test_control_groups_take_the_place_of_rlimits() -> None:
    parents = {name: Path("/g") for name in ("memory", "processes", "cpus")}
    made = plan(Limits(), FEATURES, Hierarchy(2, parents))
    assert {made.applied[name].means for name in parents} == {
        "cgroup v2 memory",
        "cgroup v2 pids",
        "cgroup v2 cpu",
    }
    assert resource.RLIMIT_AS not in made.rlimits
    assert resource.RLIMIT_NPROC not in made.rlimits


def test_without_groups_what_is_not_limited_is_said() -> None:
    limits = Limits(processes=77)
    made = plan(limits, Features(images=("host",)), None)
    assert made.rlimits[resource.RLIMIT_AS] == limits.memory
    assert made.rlimits[resource.RLIMIT_NPROC] == 77
    assert made.applied["cpus"].means == NOT_LIMITED
    assert made.applied["disk"].means == NOT_LIMITED
    assert not made.applied["disk"].enforced
    assert resource.RLIMIT_FSIZE not in made.rlimits


def test_every_limit_is_accounted_for() -> None:
    assert set(plan(Limits(), FEATURES, None).applied) == set(vars(Limits()))
