"""The tools that agent environments offer, one a module."""
