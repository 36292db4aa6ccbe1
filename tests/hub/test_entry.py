from __future__ import annotations

import json
import pickle
from collections.abc import Callable

import gymnasium
import pytest
from gymnasium.envs.registration import EnvSpec

import hub
import hub.entry
from hub.plugins import Plugins
from tests.plugin_site import VECTOR, PluginSite

ALL_IDS = sorted(card.id for card in hub.PLUGINS.registry)


@pytest.fixture
def walk(site: PluginSite, plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> Plugins:
    """The plugin acme, with `acme/Walk-v0` (no vector environment) and `acme/Lanes-v0`."""
    with_lanes(site)
    plugins.load(site.points())
    monkeypatch.setattr(hub.entry, "PLUGINS", plugins)
    return plugins


def with_lanes(site: PluginSite) -> None:
    site.plugin("acme")
    site.module("acme_vector", VECTOR.format(module="acme_hooks"))
    hooks = site.path / "acme_hooks.py"
    hooks.write_text(
        hooks.read_text()
        + """
    register(hub.EnvCard(id="acme/Lanes-v0", summary="Walks.", family="python", backend="python",
        entry_point="acme_hooks_env:Walk", vector_entry_point="acme_vector:WalkVector",
        max_episode_steps=5, kwargs={"stride": 2}))
    register(hub.EnvCard(id="acme/Gone-v0", summary="Absent.", family="native", backend="c",
        entry_point="no_such.env:Env", vector_entry_point="no_such.env:Vec",
        requires=(hub.Requirement("distribution", "no-such-dist", "pip install ./native/gone"),)))
    register(hub.EnvCard(id="acme/Torn-v0", summary="Torn.", family="python", backend="python",
        entry_point="no_such.env:Env"))
"""
    )


def test_make_gives_a_gymnasium_env_with_the_cards_limit(walk: Plugins) -> None:
    env = gymnasium.make("hub:acme/Walk-v0", stride=3)
    env.reset(seed=0)
    steps = [env.step(1) for _ in range(5)]
    assert [float(step[0][0]) for step in steps] == [3, 6, 9, 12, 15]
    assert [step[3] for step in steps] == [False] * 4 + [True]


def test_render_modes_reach_gymnasium_through_the_creator(walk: Plugins) -> None:
    env = gymnasium.make("acme/Walk-v0", render_mode="ansi_list")
    env.reset(seed=0)
    env.step(1)
    assert list(env.render()) == ["@", ".@"]  # type: ignore[call-overload]  # a list of frames


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point", None])
def test_make_vec_cuts_at_its_limit_and_leaves_the_spec_alone(
    walk: Plugins, mode: str | None
) -> None:
    # Bugs row 6: max_episode_steps went to the constructor, and the spec's kwargs were mutated.
    before = gymnasium.spec("acme/Lanes-v0").to_json()
    envs = gymnasium.make_vec(
        "hub:acme/Lanes-v0", num_envs=3, vectorization_mode=mode, max_episode_steps=4
    )
    envs.reset(seed=0)
    cuts = [envs.step(envs.action_space.sample() * 0)[3].tolist() for _ in range(4)]
    assert cuts == [[False] * 3] * 3 + [[True] * 3]
    assert gymnasium.spec("acme/Lanes-v0").to_json() == before
    if mode == "sync":
        assert isinstance(envs, gymnasium.vector.SyncVectorEnv)
        spec = envs.envs[0].spec
        assert spec is not None
        assert gymnasium.make(spec).spec.max_episode_steps == 4  # type: ignore[union-attr]  # made from an id
    envs.close()


def test_make_vec_takes_the_vector_class_when_there_is_one(walk: Plugins) -> None:
    lanes = gymnasium.make_vec("hub:acme/Lanes-v0", num_envs=2)
    assert type(lanes).__name__ == "WalkVector"
    assert lanes.stride == 2
    assert isinstance(gymnasium.make_vec("acme/Walk-v0"), gymnasium.vector.SyncVectorEnv)


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_an_unknown_option_lists_the_known_ones_through_make_vec(walk: Plugins, mode: str) -> None:
    with pytest.raises(hub.UnknownOption, match=r"'strid' \(did you mean 'stride'\?\)"):
        gymnasium.make_vec("acme/Lanes-v0", vectorization_mode=mode, strid=1)


def test_an_unknown_option_lists_the_known_ones(walk: Plugins) -> None:
    with pytest.raises(
        TypeError, match="Walk-v0 got an unexpected keyword argument 'speed'; its options"
    ):
        gymnasium.make("acme/Walk-v0", speed=1)
    with pytest.raises(hub.UnknownOption, match="render_mode, stride"):
        gymnasium.make("acme/Walk-v0", speed=1)


@pytest.mark.parametrize("option", [{"autoreset_mode": "SameStep"}, {"copy": False}])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_an_option_of_gymnasiums_vector_environments_is_told_where_it_goes(
    walk: Plugins, mode: str, option: dict[str, object]
) -> None:
    with pytest.raises(hub.UnknownOption, match=r"AsyncVectorEnv has it") as caught:
        gymnasium.make_vec("acme/Walk-v0", 2, vectorization_mode=mode, **option)
    assert f"make_vec(..., vector_kwargs={option})" in str(caught.value)
    gymnasium.make_vec("acme/Walk-v0", 2, vectorization_mode="sync", vector_kwargs=option).close()


def test_an_own_vector_environment_is_not_sent_to_vector_kwargs(walk: Plugins) -> None:
    with pytest.raises(hub.UnknownOption, match=r"'copy'; its options: max_episode_steps"):
        gymnasium.make_vec("acme/Lanes-v0", 2, copy=False)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_an_absent_distribution_raises_with_reason_and_fix(
    walk: Plugins, make: Callable[[str], object]
) -> None:
    with pytest.raises(hub.MissingDependency) as caught:
        make("hub:acme/Gone-v0")
    assert str(caught.value) == (
        "hub:acme/Gone-v0 needs distribution no-such-dist, not installed here. "
        "Fix: pip install ./native/gone"
    )
    assert isinstance(caught.value, gymnasium.error.DependencyNotInstalled)


def test_a_module_that_cannot_be_imported_is_named(walk: Plugins) -> None:
    with pytest.raises(hub.TargetError, match=r"no_such\.env:Env cannot be loaded"):
        gymnasium.make("acme/Torn-v0")


def test_gymnasium_names_the_nearest_id(walk: Plugins) -> None:
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean: `Walk`"):
        gymnasium.make("hub:acme/Wakl-v0")
    with pytest.raises(gymnasium.error.NamespaceNotFound, match="Did you mean: `acme`"):
        gymnasium.make("hub:acne/Walk-v0")


def test_only_single_and_vector_creators_are_attributes() -> None:
    for name in ("single", "double acme/Walk-v0", "nothing"):
        with pytest.raises(AttributeError, match="has no attribute"):
            getattr(hub.entry, name)


def test_an_id_without_a_vector_class_says_so(walk: Plugins) -> None:
    with pytest.raises(AttributeError, match="hub:acme/Walk-v0 has no vector environment"):
        getattr(hub.entry, "vector acme/Walk-v0")


def test_make_needs_no_import_in_a_fresh_process(site: PluginSite) -> None:
    with_lanes(site)
    out = site.python("""
        import gymnasium
        assert gymnasium.make("hub:acme/Walk-v0").reset(seed=1)[0][0] == 0
        print(gymnasium.make_vec("hub:acme/Lanes-v0", num_envs=2).num_envs)
    """)
    assert out == "2\n"


def test_a_spec_made_elsewhere_works_without_an_import(site: PluginSite) -> None:
    with_lanes(site)
    out = site.python("""
        import pickle, subprocess, sys
        import gymnasium
        spec = gymnasium.make("hub:acme/Lanes-v0", stride=7).spec
        child = "import sys, pickle, gymnasium; "
        child += "spec = pickle.load(sys.stdin.buffer); assert 'hub' not in sys.modules; "
        child += "env = gymnasium.make(spec); print(env.unwrapped.stride, spec.id)"
        subprocess.run([sys.executable, "-c", child], input=pickle.dumps(spec), check=True)
    """)
    assert out == "7 acme/Lanes-v0\n"


def test_async_workers_that_are_spawned_know_the_ids(site: PluginSite) -> None:
    # ray#4591: ids that an import registers are unknown in workers.
    with_lanes(site)
    out = site.python("""
        import gymnasium
        if __name__ == "__main__":
            envs = gymnasium.make_vec("hub:acme/Lanes-v0", num_envs=2,
                vectorization_mode="async", vector_kwargs={"context": "spawn"})
            envs.reset(seed=0)
            print(envs.step([0, 1])[0].ravel().tolist())
            envs.close()
    """)
    assert out == "[0.0, 2.0]\n"


@pytest.mark.parametrize("env_id", ALL_IDS)
def test_every_spec_survives_json_and_pickling(env_id: str) -> None:
    # B11: class entry points, numpy kwargs and wrappers break EnvSpec.to_json.
    spec = gymnasium.spec(env_id.removeprefix("hub:"))
    assert EnvSpec.from_json(spec.to_json()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_gymnasiums_spec_has_the_short_id_and_brings_the_hub_by_itself(site: PluginSite) -> None:
    site.plugin("acme")
    text = site.python("import gymnasium; print(gymnasium.make('hub:acme/Walk-v0').spec.to_json())")
    assert json.loads(text)["id"] == "acme/Walk-v0"
    out = site.python(f"""
        import sys, gymnasium
        from gymnasium.envs.registration import EnvSpec
        assert "hub" not in sys.modules
        print(type(gymnasium.make(EnvSpec.from_json({text.strip()!r})).unwrapped).__name__)
    """)
    assert out == "Walk\n"


def test_a_made_environments_spec_survives_json_and_pickling(walk: Plugins) -> None:
    for env_id in ("acme/Walk-v0", "acme/Lanes-v0"):
        spec = gymnasium.make(env_id, stride=3).spec
        assert spec is not None
        assert EnvSpec.from_json(spec.to_json()) == spec
        assert gymnasium.make(EnvSpec.from_json(spec.to_json())).unwrapped.stride == 3  # type: ignore[attr-defined]  # the test environment's own attribute
        assert pickle.loads(pickle.dumps(spec)) == spec
    vector = gymnasium.make_vec("acme/Lanes-v0", num_envs=2).spec
    assert vector is not None
    assert EnvSpec.from_json(vector.to_json()) == vector
