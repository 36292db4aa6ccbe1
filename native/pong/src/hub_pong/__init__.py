"""Pong for gymhub: `gymnasium.make("hub:native/Pong-v0")`.

The classes are in `hub_pong.env` (C core) and `hub_pong.reference` (plain Python); this file
imports neither, because the hub imports the package to register its ids.
"""
