"""Repair of real repositories: where instances come from, how they run and how they are graded."""
