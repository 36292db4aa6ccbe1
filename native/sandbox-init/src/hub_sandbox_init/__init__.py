"""The static helper of `hub.sandbox`: where it is, handed to the hub by hook."""

from pathlib import Path

from hub.hookspecs import RegisterComponent, hookimpl


@hookimpl
def hub_register_sandboxes(register: RegisterComponent) -> None:
    """Hand the helper's path to the hub."""
    register("init", "hub_sandbox_init:path", "PID 1 of a sandbox")


def path() -> Path:
    """Return the path of the executable `hub-sandbox-init`."""
    return Path(__file__).with_name("hub-sandbox-init")
