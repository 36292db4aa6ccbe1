"""The script `hub`: `hub.cli.main`, and one line where importing the hub itself fails on purpose.

It is a module of its own, outside the package `hub`, because under `HUB_STRICT_PLUGINS=1` the
import of that package raises, before any module in it could catch that.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; a strict plugin's or a setting's error is a line and status 2."""
    try:
        from hub.cli.main import main as run
    except Exception as error:
        # By name: the package that has the type is the one that could not be imported.
        kind = type(error).__name__
        if kind not in ("PluginError", "SettingError"):
            raise
        more = " (`hub plugins` without HUB_STRICT_PLUGINS shows more)"
        print(f"hub: {error}{more if kind == 'PluginError' else ''}", file=sys.stderr)
        sys.exit(2)
    run()
