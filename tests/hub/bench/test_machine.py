from __future__ import annotations

import getpass
import json
import platform
import socket
import subprocess
import sys
from pathlib import Path

import hub
from hub.bench.document import document
from hub.bench.machine import commit, machine, versions


def test_the_document_names_no_host_user_or_path() -> None:
    text = json.dumps(document([])).lower()
    assert set(machine()) == {"cpu", "cores", "memory_gib", "system", "load"}
    for secret in (socket.gethostname(), str(Path.home()), str(Path.cwd()), sys.prefix):
        assert secret.lower() not in text
    assert f'"{getpass.getuser()}"' not in text


def test_versions_are_those_installed() -> None:
    found = versions(["CartPole-v1", "hub:nobody/Nothing-v0"])
    assert found["python"] == platform.python_version()
    assert found["gymhub"] == hub.__version__
    assert set(found) == {"python", "gymhub", "gymnasium", "numpy"}


def test_the_commit_is_that_of_the_checkout() -> None:
    root = Path(hub.__file__).parent
    done = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        assert (commit() or "").removesuffix("-dirty") == done.stdout.strip()
    else:
        assert commit() is None or len(commit() or "") == 40
