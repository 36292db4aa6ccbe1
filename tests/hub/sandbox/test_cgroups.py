import os
from pathlib import Path

import pytest

from hub.sandbox import Limits, cgroups, create, state
from hub.sandbox.types import MIB

OWN_V1 = "4:memory:/job\n3:cpu,cpuacct:/\n2:pids:/\n0::/\n"


def v2(base: Path, controllers: str = "cpu memory pids") -> Path:
    own = base / "user.slice" / "session"
    own.mkdir(parents=True)
    for directory in (base, own.parent, own):
        (directory / "cgroup.controllers").write_text(controllers)
        (directory / "cgroup.procs").touch()
    return own


def test_version_1_groups_lie_below_our_own(tmp_path: Path) -> None:
    for controller, file in (("memory/job", "memory.limit_in_bytes"), ("cpu", "cpu.cfs_quota_us")):
        (tmp_path / controller).mkdir(parents=True)
        (tmp_path / controller / file).touch()
    (tmp_path / "pids").mkdir()
    hierarchy = cgroups.find(tmp_path, OWN_V1)
    assert hierarchy is not None
    assert hierarchy.version == 1
    assert hierarchy.parents == {
        "memory": tmp_path / "memory/job/hub-sandbox",
        "processes": tmp_path / "pids/hub-sandbox",
        "cpus": tmp_path / "cpu/hub-sandbox",
    }
    groups = cgroups.make(hierarchy, "x", Limits(memory=64 * MIB, processes=9, cpus=1.5))
    assert (tmp_path / "memory/job/hub-sandbox/x/memory.limit_in_bytes").read_text() == "67108864"
    assert (tmp_path / "pids/hub-sandbox/x/pids.max").read_text() == "9"
    assert (tmp_path / "cpu/hub-sandbox/x/cpu.cfs_quota_us").read_text() == "150000"
    assert len(groups) == 3


def test_version_2_groups_lie_beside_our_own_with_controllers_handed_down(tmp_path: Path) -> None:
    own = v2(tmp_path)
    hierarchy = cgroups.find(tmp_path, "0::/user.slice/session\n")
    assert hierarchy is not None
    (group,) = cgroups.make(hierarchy, "x", Limits(memory=64 * MIB, processes=9, cpus=0.5))
    assert group == own.parent / "hub-sandbox" / "x"
    assert (group / "memory.max").read_text() == "67108864"
    assert (group / "pids.max").read_text() == "9"
    assert (group / "cpu.max").read_text() == "50000 100000"
    for directory in (own.parent, own.parent / "hub-sandbox"):
        handed = (directory / "cgroup.subtree_control").read_text().split()
        assert set(handed) == {"+memory", "+pids", "+cpu"}


def test_version_2_without_a_controller_limits_what_is_left(tmp_path: Path) -> None:
    v2(tmp_path, "pids")
    hierarchy = cgroups.find(tmp_path, "0::/user.slice/session\n")
    assert hierarchy is not None
    assert list(hierarchy.parents) == ["processes"]


def test_without_groups_there_is_no_hierarchy(tmp_path: Path) -> None:
    assert cgroups.find(tmp_path, "0::/\n") is None


@pytest.mark.parametrize("text", ["oom_kill_disable 0\nunder_oom 0\noom_kill 3\n", "oom_kill 3\n"])
def test_kills_for_want_of_memory_are_counted(tmp_path: Path, text: str) -> None:
    name = "memory.oom_control" if "under_oom" in text else "memory.events"
    (tmp_path / name).write_text(text)
    assert cgroups.oom_kills([tmp_path / "absent", tmp_path]) == 3
    assert cgroups.oom_kills([]) == 0


def test_a_group_in_use_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    (tmp_path / "group" / "busy").mkdir(parents=True)
    assert not cgroups.remove(tmp_path / "group", patience=0.02)
    (tmp_path / "group" / "busy").rmdir()
    assert cgroups.remove(tmp_path / "group")
    assert cgroups.remove(tmp_path / "group")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make control groups here")
def test_this_machine_gives_back_what_it_was_given() -> None:
    hierarchy = cgroups.find()
    if hierarchy is None:
        pytest.skip("capability: no control groups can be made here")
    groups = cgroups.make(hierarchy, f"test-{os.getpid()}", Limits())
    assert all(group.is_dir() for group in groups)
    assert all(cgroups.remove(group) for group in groups)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make control groups here")
def test_every_process_of_a_sandbox_is_in_its_groups_before_the_first_command(
    provider: str,
) -> None:
    with create(provider=provider) as sandbox:
        (record,) = [one for one in state.records() if one.id == sandbox.id]
        if not record.cgroups:
            pytest.skip("capability: no control groups can be made here")
        members = set(record.processes())
        assert len(members) >= 2  # the provider's own and PID 1
        for group in record.cgroups:
            inside = set(map(int, (Path(group) / "cgroup.procs").read_text().split()))
            assert members <= inside


def test_joining_skips_who_is_there_or_has_ended(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").write_text("4\n")
    cgroups.join([tmp_path], [4])
    assert (tmp_path / "cgroup.procs").read_text() == "4\n"
    cgroups.join([tmp_path], [5])
    assert (tmp_path / "cgroup.procs").read_text() == "5"
