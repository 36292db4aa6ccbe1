"""What the hub reads: cards of strings and JSON values, so that it imports no environment."""

import hub


@hub.hookimpl
def hub_register_envs(register: hub.RegisterEnv) -> None:
    """Register the environments of $name."""
    register(
        hub.EnvCard(
            id="hub:$name/Corridor-v0",
            summary="Walk along a corridor to its lit door.",
            family="python",
            backend="python",
            entry_point="$package.corridor:Corridor",
            max_episode_steps=100,
        )
    )
