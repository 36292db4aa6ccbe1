"""Agent environments' parts: tools that act in a sandbox, and a local search."""
