"""How the result of a command reads to a model."""

from __future__ import annotations

from hub.sandbox import ExecResult


def told(result: ExecResult) -> str:
    """Return output, errors, and what else happened: exit status, time, notices."""
    parts = [result.stdout.rstrip("\n"), result.stderr.rstrip("\n")]
    if result.timed_out:
        parts.append(f"[killed after {result.seconds:.1f} s: it took too long]")
    elif result.exit_code:
        parts.append(f"[exit code {result.exit_code}]")
    if result.notice:
        parts.append(f"[{result.notice}]")
    return "\n".join(part for part in parts if part) or "[no output]"
