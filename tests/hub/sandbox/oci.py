"""Makes a small OCI archive of programs of this machine, as CI cannot fetch one."""

import gzip
import hashlib
import io
import json
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

PROGRAMS = ("/bin/bash", "/bin/cat", "/bin/ls", "/bin/rm", "/usr/bin/env", "/usr/bin/touch")


def libraries(program: str) -> set[str]:
    """Return the shared objects that a program loads, by the paths that it asks for."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(/\S+)", text))


def layer() -> bytes:
    """Return a gzipped tar with the programs, their libraries and a marker file."""
    paths = {*PROGRAMS, *(lib for program in PROGRAMS for lib in libraries(program))}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in sorted(paths):
            info = tar.gettarinfo(Path(path).resolve(), arcname=path.lstrip("/"))
            info.uid = info.gid = 0
            with Path(path).open("rb") as file:
                tar.addfile(info, file)
        marker = tarfile.TarInfo("etc/marker")
        marker.size = 5
        tar.addfile(marker, io.BytesIO(b"mine\n"))
        shell = tarfile.TarInfo("bin/sh")
        shell.type, shell.linkname = tarfile.SYMTYPE, "bash"
        tar.addfile(shell)
    return gzip.compress(buffer.getvalue(), mtime=0)


def write_archive(path: Path) -> None:
    """Write an OCI archive: layout, index, manifest, configuration, one layer."""
    data = layer()
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Env": ["PATH=/opt/tools:/usr/bin:/bin", "GREETING=from the image"]},
        "rootfs": {"type": "layers", "diff_ids": [_digest(gzip.decompress(data))]},
    }
    blobs: dict[str, bytes] = {}

    def blob(raw: bytes, kind: str) -> dict[str, Any]:
        blobs[_digest(raw)] = raw
        media = f"application/vnd.oci.image.{kind}"
        return {"mediaType": media, "digest": _digest(raw), "size": len(raw)}

    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob(json.dumps(config).encode(), "config.v1+json"),
        "layers": [blob(data, "layer.v1.tar+gzip")],
    }
    top = blob(json.dumps(manifest).encode(), "manifest.v1+json")
    index = {"schemaVersion": 2, "manifests": [top]}
    with tarfile.open(path, "w") as tar:
        _add(tar, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
        _add(tar, "index.json", json.dumps(index).encode())
        for directory in ("blobs", "blobs/sha256"):
            entry = tarfile.TarInfo(directory)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for digest, raw in blobs.items():
            _add(tar, f"blobs/{digest.replace(':', '/')}", raw)


def _digest(raw: bytes) -> str:
    return f"sha256:{hashlib.sha256(raw).hexdigest()}"


def _add(tar: tarfile.TarFile, name: str, raw: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(raw)
    tar.addfile(info, io.BytesIO(raw))
