"""`hub:agent/Math-v0`: generated mathematics problems, checked by math-verify."""
