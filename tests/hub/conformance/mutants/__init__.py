"""Environments that are broken on purpose, one way each, and the good ones that they break.

Importing this package registers them: `tests.hub.conformance.mutants:mutants/Good-v0`.
"""

from tests.hub.conformance.mutants import lanes, repeating, single
from tests.hub.conformance.mutants.registering import env_id, register

register(single)
register(repeating)
register(lanes)

__all__ = ["env_id"]
