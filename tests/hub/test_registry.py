from __future__ import annotations

import json
from typing import Any

import gymnasium
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hub
from hub.registry import Registry, bare_id, full_id

CARD: dict[str, Any] = {
    "id": "hub:acme/Walk-v0",
    "summary": "A walk.",
    "family": "python",
    "backend": "python",
    "entry_point": "acme.env:Walk",
}
GONE = hub.Requirement("distribution", "no-such-dist", "pip install ./no-such-dist")


def card(**changes: Any) -> hub.EnvCard:
    return hub.EnvCard(**{**CARD, **changes})


def test_an_id_without_the_prefix_gets_it() -> None:
    assert card(id="acme/Walk-v0").id == "hub:acme/Walk-v0"
    assert full_id("acme/Walk-v0") == full_id("hub:acme/Walk-v0") == "hub:acme/Walk-v0"


@pytest.mark.parametrize(
    "env_id",
    # B10: a colon in an id breaks Gymnasium's loader; the others break its registry.
    ["a:b/X-v0", "X-v0", "a/X", "a/b/X-v0", "a.b/X-v0", "a/X-v01", "a/X-v٣", "a/X v-v0", "/X-v0"],
)
def test_a_bad_id_is_an_error_that_shows_the_form(env_id: str) -> None:
    with pytest.raises(hub.CardError, match="expected hub:<namespace>/<Name>-v<N>") as caught:
        card(id=env_id)
    assert env_id in str(caught.value)


@given(st.from_regex(r"[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+-v(0|[1-9][0-9]{0,3})", fullmatch=True))
def test_every_id_that_a_card_takes_gymnasium_takes_unchanged(env_id: str) -> None:
    bare = bare_id(card(id=env_id).id)
    assert gymnasium.envs.registration.EnvSpec(bare, entry_point="a:b").id == bare
    assert gymnasium.envs.registration.get_env_id(
        *gymnasium.envs.registration.parse_env_id(bare)
    ) == (bare)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("family", "rust"),
        ("backend", "fortran"),
        ("entry_point", "acme.env.Walk"),
        ("vector_entry_point", "acme.env:"),
        ("fidelity", "acme"),
        ("max_episode_steps", 0),
        ("max_episode_steps", 1.5),
        ("kwargs", {"f": len}),
        ("kwargs", {"x": float("nan")}),
        ("kwargs", {"pair": (1, 2)}),
        ("kwargs", {1: "key"}),
        ("bench", {"lanes": {1, 2}}),
        ("bench", {"foo": 1}),
        ("bench", None),
        ("kwargs", [("size", 3)]),
        ("summary", None),
        ("summary", 5),
        ("summary", ""),
        ("summary", "two\nlines"),
        ("summary", "\x1b[2J"),
        ("summary", "\ud800"),
        ("licence", 3),
        ("reference", 5),
        ("docs", None),
        ("fidelity", None),
        ("vector_entry_point", ""),
        ("nondeterministic", "yes"),
        ("order_enforce", 1),
        ("disable_env_checker", None),
        ("max_episode_steps", True),
        ("requires", ("nope",)),
        ("requires", "x"),
        ("requires", None),
    ],
)
def test_a_card_that_breaks_its_contract_is_refused_by_field(field: str, value: Any) -> None:
    with pytest.raises(hub.CardError, match=f"hub:acme/Walk-v0: {field}"):
        card(**{field: value})


@pytest.mark.parametrize("env_id", [None, 5, b"acme/Walk-v0"])
def test_an_id_that_is_no_text_is_named(env_id: Any) -> None:
    with pytest.raises(hub.CardError, match=f"id {env_id!r}: expected a text"):
        card(id=env_id)


@pytest.mark.parametrize("name", ["", 3, None, "a\0b"])
def test_a_requirement_names_something(name: Any) -> None:
    for kind in ("distribution", "program"):
        with pytest.raises(hub.CardError, match=r"requirement's name .*: expected a text"):
            hub.Requirement(kind, name, "pip install it")  # type: ignore[arg-type]  # under test
    with pytest.raises(hub.CardError, match=r"fix of it .*: expected a text"):
        hub.Requirement("program", "it", name)


def test_a_requirement_of_unknown_kind_is_refused() -> None:
    with pytest.raises(hub.CardError, match="expected distribution or program"):
        hub.Requirement("wheel", "x", "fix")  # type: ignore[arg-type]  # the error under test


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(), json_values), st.lists(st.sampled_from(["a", "b"])))
def test_a_card_survives_json(kwargs: dict[str, Any], programs: list[str]) -> None:
    needs = tuple(hub.Requirement("program", name, f"apt install {name}") for name in programs)
    original = card(kwargs=kwargs, requires=needs, max_episode_steps=7)
    assert hub.EnvCard.from_json(json.loads(json.dumps(original.to_json()))) == original


@pytest.mark.parametrize(("names", "met"), [("no-such|sh", True), ("no-such|nor-such", False)])
def test_one_of_several_programs_is_enough(names: str, met: bool) -> None:
    assert hub.Requirement("program", names, "apt-get install one").met() is met


def test_changing_what_to_json_returned_leaves_the_card_alone() -> None:
    original = card(kwargs={"sizes": [1]}, requires=(GONE,))
    data = original.to_json()
    data["kwargs"]["sizes"].append(2)
    data["requires"][0]["name"] = "other"
    assert original == card(kwargs={"sizes": [1]}, requires=(GONE,))


def test_an_unknown_field_in_json_is_named() -> None:
    with pytest.raises(hub.CardError, match=r"acme/Walk-v0.*colour"):
        hub.EnvCard.from_json({**CARD, "colour": "red"})


def test_reason_and_fix_name_everything_that_is_missing() -> None:
    program = hub.Requirement("program", "no-such-program", "apt-get install it")
    absent = card(requires=(GONE, program, hub.Requirement("distribution", "numpy", "-")))
    assert absent.reason() == (
        "needs distribution no-such-dist and program no-such-program, not installed here"
    )
    assert absent.fix() == "pip install ./no-such-dist && apt-get install it"
    assert card().reason() == card().fix() == ""


def test_the_first_owner_keeps_an_id_and_both_are_named(plugins: Any) -> None:
    registry: Registry = plugins.registry
    assert registry.add(card(), "one") is None
    conflict = registry.add(card(summary="Another."), "two")
    assert conflict is not None
    assert (conflict.name, conflict.kept, conflict.refused) == ("hub:acme/Walk-v0", "one", "two")
    assert registry.card("acme/Walk-v0").summary == "A walk."
    assert registry.owner("acme/Walk-v0") == "one"


def test_an_id_that_somebody_registered_with_gymnasium_before_is_kept(plugins: Any) -> None:
    gymnasium.register("acme/Walk-v0", entry_point="elsewhere:Env")
    conflict = plugins.registry.add(card(), "acme")
    assert conflict.kept == "elsewhere:Env"
    assert gymnasium.spec("acme/Walk-v0").entry_point == "elsewhere:Env"
    assert "acme/Walk-v0" not in plugins.registry


def test_a_card_that_gymnasium_refuses_is_not_half_registered(plugins: Any) -> None:
    gymnasium.register("acme/Walk", entry_point="elsewhere:Env")
    with pytest.raises(gymnasium.error.RegistrationError):
        plugins.registry.add(card(), "acme")
    assert len(plugins.registry) == 0


def test_discarding_a_plugin_takes_its_ids_from_gymnasium_too(plugins: Any) -> None:
    plugins.registry.add(card(), "one")
    plugins.registry.add(card(id="acme/Other-v0"), "two")
    plugins.registry.discard("one")
    assert "acme/Walk-v0" not in gymnasium.registry
    assert "acme/Other-v0" in gymnasium.registry
    assert [c.id for c in plugins.registry] == ["hub:acme/Other-v0"]


@pytest.mark.parametrize("asked", ["acme/Wlak-v0", "hub:acme/walk-v0", "Walk-v0", "amce/Walk-v0"])
def test_an_unknown_id_names_the_closest_match(plugins: Any, asked: str) -> None:
    plugins.registry.add(card(), "acme")
    with pytest.raises(hub.UnknownEnvironment, match=r"did you mean hub:acme/Walk-v0\?"):
        plugins.registry.card(asked)


def test_an_id_like_no_other_points_to_hub_list(plugins: Any) -> None:
    with pytest.raises(gymnasium.error.NameNotFound, match="hub:zzz/Q-v0: `hub list` shows"):
        plugins.registry.card("zzz/Q-v0")
