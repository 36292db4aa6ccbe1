"""No sandbox at all: commands of the helper on the host, for machines where nothing else works."""

from __future__ import annotations

from collections.abc import Sequence

from hub import settings
from hub.errors import SettingError
from hub.sandbox.types import Features, Start

ALLOW = "HUB_UNSAFE_LOCAL"


class Local:
    """The provider `local`. Every result of it has `unsafe` set."""

    name = "local"
    features = Features(
        images=("host",),
        isolated=False,
        disk_note="commands write to the host's disks",
        notes=("no isolation: commands see the host's files, processes and network",),
    )

    def missing(self) -> str | None:
        """Say why it cannot run: unless the user allows it, it never does."""
        try:
            if settings.switch(ALLOW):
                return None
        except SettingError as error:
            return str(error)
        return f"runs commands on the host itself, without isolation. Fix: to allow that, {ALLOW}=1"

    def command(self, start: Start) -> Sequence[str]:
        """Return the argv of the bare helper."""
        return [str(start.init), "init", "--local"]
