"""Hooks of the third party: an environment with a vector version, a benchmark, a command."""

import hub


@hub.hookimpl
def hub_register_envs(register: hub.RegisterEnv) -> None:
    """Register the lighthouse."""
    register(
        hub.EnvCard(
            id="hub:acme/Lighthouse-v0",
            summary="Turn the lamp towards the ship before it passes.",
            family="python",
            backend="python",
            entry_point="acme.lighthouse:Lighthouse",
            max_episode_steps=50,
            reference="no translation",
        )
    )


@hub.hookimpl
def hub_register_commands(cli: hub.RegisterComponent) -> None:
    """Register `hub acme-greet`."""
    cli("acme-greet", "acme.greet:command", summary="Say hello from a third party.")
