"""Its hook raises half way, after it registered something."""

import hub


@hub.hookimpl
def hub_register_envs(register: hub.RegisterEnv) -> None:
    """Register one environment, then fail."""
    register(
        hub.EnvCard(
            id="hub:half/Done-v0",
            summary="Registered before the failure.",
            family="python",
            backend="python",
            entry_point="broken.half:Nothing",
        )
    )
    raise RuntimeError("the licence server does not answer")
