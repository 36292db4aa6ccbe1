"""A toy engine, its reference and its declarations, for the tests of the ladder."""
