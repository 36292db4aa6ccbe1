"""Certificates: what was shown of a translation, in JSON, beside the code that it speaks of.

`<package>/certificates/<Name-vN>.json`, schema version 1; every field is always there:

| field | value |
|---|---|
| `schema` | `"hub.certificate/1"`; a reader refuses another |
| `id` | `hub:<namespace>/<Name>-vN` |
| `hub` | version of the hub that showed the level |
| `level` | highest level passed with all below it, 0 to 4 |
| `date` | day of the run that showed that level, UTC, ISO 8601 |
| `declaration` | `module:attribute` |
| `sources` | `package`, `files`, `compiled`, `embedded`: what the hash is over |
| `engine_hash` | SHA-256 over those sources (`hub.fidelity.engine_hash`) |
| `reference` | `factory`, `summary`, `versions` (installed then), `sources` (as above, or null), `hash` (empty without sources) |
| `machine` | of that run: processor, architecture, cores, system, python; no host name |
| `levels` | `"1"`.. `"4"` -> what ran: `state`, `detail`, `date` and sizes, seeds, tolerances, statistics as in `hub.fidelity.ladder.LevelReport`; L3 names its `peers`, their versions and why one did not take part |
| `mutants` | null, or rows, shares by level and survivors (`hub.fidelity.mutants.MutantReport`) |

Numbers that JSON does not have are the strings `"inf"`, `"-inf"` and `"nan"`.
"""  # noqa: E501 - a table row cannot be wrapped

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from hub.errors import CertificateError
from hub.fidelity.sources import package_folder
from hub.registry import EnvCard

SCHEMA = "hub.certificate/1"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "hub": str,
    "level": int,
    "date": str,
    "declaration": str,
    "sources": dict,
    "engine_hash": str,
    "reference": dict,
    "machine": dict,
    "levels": dict,
    "mutants": (dict, type(None)),
}


@dataclass(frozen=True)
class Certificate:
    """See the module's table; all values are JSON values."""

    id: str
    hub: str
    level: int
    date: str
    declaration: str
    sources: dict[str, Any]
    engine_hash: str
    reference: dict[str, Any]
    machine: dict[str, Any]
    levels: dict[str, Any]
    mutants: dict[str, Any] | None = None
    schema: str = SCHEMA

    @property
    def reached_on(self) -> str:
        """Day on which the level reached was shown, ISO 8601."""
        return str(self.levels.get(str(self.level), {}).get("date", self.date))

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Certificate:
        """Make a certificate of what `to_json` returned.

        Raises:
            CertificateError: Another schema version, or a field that is missing, unknown or of
                another type.
        """
        schema = data.get("schema")
        if schema != SCHEMA:
            raise CertificateError(
                f"certificate schema {schema!r}; this hub reads {SCHEMA!r}: run `hub verify` again"
            )
        wrong = sorted(set(data) ^ {field.name for field in fields(cls)})
        if wrong:
            raise CertificateError(f"certificate fields missing or unknown: {', '.join(wrong)}")
        for name, kind in _TYPES.items():
            if not isinstance(data[name], kind) or isinstance(data[name], bool):
                raise CertificateError(f"certificate field {name!r} is {data[name]!r}")
        if not 0 <= data["level"] <= 4:
            raise CertificateError(f"certificate level {data['level']}; expected 0 to 4")
        return cls(**data)


def certificate_path(card: EnvCard) -> Path:
    """Where the certificate of `card` lies, in the package that declares its fidelity.

    Raises:
        MissingDependency: That package is not installed.
    """
    package = card.fidelity.partition(":")[0].partition(".")[0]
    return package_folder(package) / "certificates" / f"{card.name}.json"


def read_certificate(path: Path) -> Certificate:
    """Read a certificate.

    Raises:
        CertificateError: The file cannot be read, is not JSON or breaks the schema.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CertificateError(f"{path}: {error}") from error
    if not isinstance(data, dict):
        raise CertificateError(f"{path}: expected a JSON object")
    return Certificate.from_json(data)


def write_certificate(path: Path, certificate: Certificate) -> None:
    """Write a certificate, whole or not at all.

    Raises:
        CertificateError: The folder cannot be written.
    """
    text = json.dumps(certificate.to_json(), indent=1, allow_nan=False) + "\n"
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise CertificateError(
            f"{path} cannot be written ({error}); `--json FILE` writes elsewhere"
        ) from error


def json_values(value: Any) -> Any:
    """Turn dataclasses, tuples and numbers that JSON lacks into JSON values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: json_values(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): json_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
