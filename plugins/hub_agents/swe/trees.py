"""Trees of files held in memory: archives unpacked safely, unified diffs between two of them."""

from __future__ import annotations

import difflib
import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hub.errors import TaskError

LARGEST = 32 << 20  # bytes of one file in an archive
TOTAL = 256 << 20  # bytes of all of them
COUNT = 20_000  # files

_PLAIN = 0o644
_EXECUTABLE = 0o755
# What git writes as it is in the header of a diff; any other byte makes it quote the name.
_QUOTED = {ord("\t"): "\\t", ord("\n"): "\\n", ord('"'): '\\"', ord("\\"): "\\\\"}


@dataclass(frozen=True)
class File:
    """A regular file: its bytes, and whether it is executable."""

    data: bytes
    executable: bool = False

    @property
    def text(self) -> str | None:
        """Its text, or None where it is no UTF-8 or holds a NUL, which git calls binary."""
        if b"\0" in self.data:
            return None
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None


Tree = dict[str, File]
"""Files by path: relative, with `/`, without `.` and `..`."""


def is_safe(path: str) -> bool:
    """Tell whether `path` is relative, stays below its root and has one spelling."""
    return (
        bool(path)
        and "\0" not in path
        and "\\" not in path
        and not path.startswith("/")
        and all(part not in ("", ".", "..") for part in path.split("/"))
    )


def unpack_source(archive: bytes, where: str) -> Tree:
    """Return what a source archive (.tar.gz, .tar.bz2, .zip) holds below its one folder.

    Links, devices and other things that are no regular file are left out.

    Raises:
        TaskError: It cannot be read, a name leaves the folder, there is more than one folder, or
            it is larger than `LARGEST`, `TOTAL` and `COUNT` allow.
    """
    files = _zipped(archive, where) if archive[:2] == b"PK" else _tarred(archive, where)
    tops = {path.split("/")[0] for path in files}
    if len(tops) != 1 or any("/" not in path for path in files):
        raise TaskError(f"{where}: expected one folder at its top, found {sorted(tops)[:3]}")
    return {path.partition("/")[2]: file for path, file in sorted(files.items())}


def unpack_wheel(archive: bytes, where: str) -> Tree:
    """Return what a wheel puts into site-packages; errors as for `unpack_source`.

    Its data folder's `purelib` and `platlib` count; scripts, headers and data are left out.
    """
    found: Tree = {}
    for path, file in _zipped(archive, where).items():
        top, _, rest = path.partition("/")
        if top.endswith(".data"):
            kind, _, rest = rest.partition("/")
            if kind in ("purelib", "platlib"):
                found[rest] = file
        else:
            found[path] = file
    return found


def _tarred(archive: bytes, where: str) -> Tree:
    files: Tree = {}
    sizes: list[int] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:*") as tar:
            for member in tar:
                path = member.name.removeprefix("./")
                if not member.isreg():
                    continue
                _check(path, member.size, sizes, where)
                stream = tar.extractfile(member)
                assert stream is not None, "a regular member has a stream"
                files[path] = File(stream.read(), bool(member.mode & 0o100))
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise TaskError(f"{where}: it cannot be unpacked: {error}") from error
    return files


def _zipped(archive: bytes, where: str) -> Tree:
    files: Tree = {}
    sizes: list[int] = []
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as bundle:
            for info in bundle.infolist():
                kind = info.external_attr >> 28
                if info.is_dir() or kind not in (0, 0o10):  # 0o10: a regular file, as in st_mode
                    continue
                _check(info.filename, info.file_size, sizes, where)
                with bundle.open(info) as stream:
                    data = stream.read(info.file_size + 1)
                if len(data) != info.file_size:
                    raise TaskError(f"{where}: {info.filename} is larger than it says")
                files[info.filename] = File(data, bool(info.external_attr >> 16 & 0o100))
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError) as error:
        if isinstance(error, TaskError):
            raise
        raise TaskError(f"{where}: it cannot be unpacked: {error}") from error
    return files


def _check(path: str, size: int, sizes: list[int], where: str) -> None:
    if not is_safe(path):
        raise TaskError(f"{where}: it holds {path!r}, a name that leaves its folder")
    sizes.append(size)
    if size > LARGEST or sum(sizes) > TOTAL or len(sizes) > COUNT:
        raise TaskError(
            f"{where}: too large at {path!r}: expected at most {COUNT} files of {LARGEST} bytes, "
            f"{TOTAL} together"
        )


def of_directory(root: Path) -> Tree:
    """Return the regular files of a directory of the host, without `.git` and caches.

    Raises:
        TaskError: It is absent or too large.
    """
    if not root.is_dir():
        raise TaskError(f"base directory {str(root)!r}: there is no such directory")
    tree: Tree = {}
    sizes: list[int] = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if {".git", "__pycache__"} & set(name.split("/")) or path.is_symlink():
            continue
        if path.is_file():
            stat = path.stat()
            _check(name, stat.st_size, sizes, str(root))
            tree[name] = File(path.read_bytes(), bool(stat.st_mode & 0o100))
    return tree


def packed(trees: Mapping[str, Tree]) -> bytes:
    """Return a tar of `trees`, each below its folder; equal trees give equal bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for folder, tree in sorted(trees.items()):
            for path in sorted(tree):
                info = tarfile.TarInfo(str(PurePosixPath(folder, path)))
                info.size = len(tree[path].data)
                info.mode = _EXECUTABLE if tree[path].executable else _PLAIN
                tar.addfile(info, io.BytesIO(tree[path].data))
    return out.getvalue()


def diff(old: Mapping[str, File], new: Mapping[str, File]) -> str:
    """Return the unified diff from `old` to `new`, as `git apply` takes it.

    A binary file that differs is named and cannot be applied.
    """
    paths = sorted(set(old) | set(new))
    return "".join(_one(p, old.get(p), new.get(p)) for p in paths if old.get(p) != new.get(p))


def _one(path: str, old: File | None, new: File | None) -> str:
    a, b = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    lines = [f"diff --git {a} {b}\n"]
    if old is None:
        lines.append(f"new file mode {_mode(new)}\n")
    elif new is None:
        lines.append(f"deleted file mode {_mode(old)}\n")
    elif old.executable != new.executable:
        lines += [f"old mode {_mode(old)}\n", f"new mode {_mode(new)}\n"]
    before, after = (file.text if file else "" for file in (old, new))
    if before is None or after is None:
        return "".join([*lines, f"Binary files {a} and {b} differ\n"])
    changes = difflib.unified_diff(
        _lines(before), _lines(after), a if old else "/dev/null", b if new else "/dev/null"
    )
    return "".join([*lines, *_ended(changes, path)])


def _lines(text: str) -> list[str]:
    """Split at newlines alone: other line ends are part of a line for git."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _ended(changes: Iterable[str], path: str) -> Iterable[str]:
    for number, line in enumerate(changes):
        if number < 2:
            # Names with a space end in a tab, so that what follows is no time stamp.
            yield f"{line[:-1]}\t\n" if " " in path and "/dev/null" not in line else line
        elif line.endswith("\n"):
            yield line
        else:
            yield f"{line}\n\\ No newline at end of file\n"


def _mode(file: File | None) -> str:
    return "100755" if file is not None and file.executable else "100644"


def _quoted(name: str) -> str:
    raw = name.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in _QUOTED for byte in raw):
        return name
    shown = (_QUOTED.get(b) or (chr(b) if 0x20 <= b < 0x7F else f"\\{b:03o}") for b in raw)
    return f'"{"".join(shown)}"'
