"""Hooks of the agent plugin; importing it imports nothing but the hub."""

from __future__ import annotations

import hub

TOOLS = {
    "tool:bash": ("hub_agents.tools.bash:Bash", "Commands in the sandbox's one shell."),
    "tool:python": ("hub_agents.tools.python:Python", "Code in the sandbox's one Python."),
    "tool:str_replace_editor": (
        "hub_agents.tools.editor:Editor",
        "View, create and edit files in the sandbox.",
    ),
    "tool:finish": ("hub_agents.tools.finish:Finish", "Hand in and end the episode."),
    "tool:search": ("hub_agents.tools.search:Search", "search:PATH: words in local texts."),
    "parser:hermes": ("hub.dialogue.parsers:HermesParser", "JSON between <tool_call> tags."),
    "parser:fenced": ("hub.dialogue.parsers:FencedParser", "Fenced blocks named after tools."),
    "parser:bash": ("hub.dialogue.parsers:BashBlockParser", "One fenced bash block a message."),
}


@hub.hookimpl
def hub_register_tools(register: hub.RegisterComponent) -> None:
    """Register the tools, and the parsers that the core brings."""
    for name, (target, summary) in TOOLS.items():
        register(name, target, summary)
