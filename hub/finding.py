"""What one look of `hub doctor` gives; low enough for every room to report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: What was looked at.
        status: `ok`, `missing` (optional, so no fault) or `problem` (something is wrong).
        message: The version, place or reason.
        fix: The command or act that brings or mends it; empty for `ok`.
    """

    name: str
    status: Literal["ok", "missing", "problem"]
    message: str
    fix: str = ""
