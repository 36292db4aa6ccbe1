"""`create`: a sandbox from a few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hub.sandbox import checks
from hub.sandbox.aio import AsyncSandbox
from hub.sandbox.client import Sandbox
from hub.sandbox.images import HOST
from hub.sandbox.probe import named
from hub.sandbox.process import Order
from hub.sandbox.types import Limits, Mount


def order(
    image: str = HOST,
    provider: str | None = None,
    limits: Limits | None = None,
    network: bool = False,
    mounts: Iterable[Mount] = (),
    env: Mapping[str, str] | None = None,
) -> Order:
    """Check what `create` was asked for and choose the provider."""
    return Order(
        image=checks.text("image", image),
        provider=named(None if provider is None else checks.text("provider", provider)),
        limits=checks.limits(limits),
        network=checks.switch("network", network),
        mounts=checks.targets(checks.mounts(mounts), image),
        env=checks.env(env),
    )


def create(
    image: str = HOST,
    provider: str | None = None,
    limits: Limits | None = None,
    network: bool = False,
    mounts: Iterable[Mount] = (),
    env: Mapping[str, str] | None = None,
) -> Sandbox:
    """Start a sandbox and return it, ready for commands.

    Args:
        image: `"host"` (the host's own programs, read-only, over an empty root) or the name of a
            built image (`hub images list`).
        provider: `"apptainer"`, `"bubblewrap"` or a plugin's; None takes the first that works
            here (`hub doctor` shows them). `"local"` is no sandbox and must be allowed by
            `HUB_UNSAFE_LOCAL=1`.
        limits: What it may use.
        network: Share the host's network; every result then says so.
        mounts: Host directories or files to show inside.
        env: Environment variables of its commands.

    Raises:
        TypeError: An argument is of another kind; the message says what was expected.
        ValueError: A name in `env` cannot be one, or a mount's target cannot be made.
        SandboxUnavailable: No provider can run it; the message has the fix.
        ImageError: There is no such image.
        SandboxError: It did not start (`attribution` is `"infra"`).
    """
    return Sandbox(order(image, provider, limits, network, mounts, env))


async def create_async(
    image: str = HOST,
    provider: str | None = None,
    limits: Limits | None = None,
    network: bool = False,
    mounts: Iterable[Mount] = (),
    env: Mapping[str, str] | None = None,
) -> AsyncSandbox:
    """Start a sandbox for the running event loop; arguments and errors as for `create`.

    `async with await create_async() as sandbox:` closes it at the end of the block.
    """
    return await AsyncSandbox.start(order(image, provider, limits, network, mounts, env))
