"""The static helper of `hub.sandbox`: where it is."""

from importlib.metadata import files
from pathlib import Path

_PROGRAM = "hub-sandbox-init"


def path() -> Path:
    """Return the path of the executable.

    Looked up in what was installed: in an editable installation it does not lie beside this file.

    Raises:
        FileNotFoundError: The distribution was installed without it.
    """
    for file in files("gymhub-sandbox-init") or ():
        if file.name == _PROGRAM:
            return Path(str(file.locate()))
    raise FileNotFoundError(f"{_PROGRAM} is missing; reinstall gymhub-sandbox-init")
