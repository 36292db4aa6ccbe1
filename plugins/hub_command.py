"""The script `hub`: `hub.cli.main`, and one line where importing the hub itself fails on purpose.

It is a module of its own, outside the package `hub`, because under `HUB_STRICT_PLUGINS=1` the
import of that package raises, before any module in it could catch that.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; the error of a strict plugin is one line and exit status 2."""
    try:
        from hub.cli.main import main as run
    except Exception as error:
        # By name: the package that has the type is the one that could not be imported.
        if os.environ.get("HUB_STRICT_PLUGINS") != "1" or type(error).__name__ != "PluginError":
            raise
        print(
            f"hub: {error} (`hub plugins` without HUB_STRICT_PLUGINS shows more)", file=sys.stderr
        )
        sys.exit(2)
    run()
