"""It implements a hook that the hub does not have."""

import hub


@hub.hookimpl
def hub_register_enviroments(register: hub.RegisterEnv) -> None:
    """Never called: the hook's name is misspelt."""
