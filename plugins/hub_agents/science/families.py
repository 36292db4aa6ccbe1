"""All families, by name."""

from __future__ import annotations

from hub_agents.science import chemistry, circuits, mechanics, numerics, statistics, thermo
from hub_agents.science.family import Family

AREAS: dict[str, tuple[Family, ...]] = {
    "mechanics": mechanics.FAMILIES,
    "thermodynamics": thermo.FAMILIES,
    "chemistry": chemistry.FAMILIES,
    "circuits": circuits.FAMILIES,
    "statistics": statistics.FAMILIES,
    "numerics": numerics.FAMILIES,
}
FAMILIES = {family.name: family for families in AREAS.values() for family in families}
