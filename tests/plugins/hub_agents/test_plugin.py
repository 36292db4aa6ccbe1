from __future__ import annotations

import hub
from hub.dialogue import find_parser, find_tool
from hub_agents.plugin import TOOLS


def test_every_part_that_the_plugin_names_can_be_made_and_is_listed() -> None:
    assert set(TOOLS) <= set(hub.PLUGINS.kind("tools"))
    for name in TOOLS:
        kind, _, bare = name.partition(":")
        if kind == "parser":
            assert find_parser(bare).parse("nothing", []).calls == ()
        elif bare != "search":  # it takes a path
            assert find_tool(bare).schema["name"] == bare
