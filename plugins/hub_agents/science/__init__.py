"""`hub:agent/Science-v0`: parametric problems with units, from tables of formulas."""
