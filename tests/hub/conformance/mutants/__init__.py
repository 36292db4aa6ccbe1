"""Environments that are broken on purpose, one way each, and the good ones that they break.

Importing this package registers them: `tests.hub.conformance.mutants:mutants/Good-v0`.
"""

from tests.hub.conformance.mutants import (
    ending,
    good,
    infos,
    lanes,
    lifetime,
    repeating,
    sharing,
    single,
)
from tests.hub.conformance.mutants.registering import env_id, register

register(good)
register(single)
register(lifetime)
register(infos)
register(repeating)
register(ending)
register(lanes)
register(sharing)

__all__ = ["env_id"]
