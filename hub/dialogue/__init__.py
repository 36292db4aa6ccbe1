"""Multi-turn text environments: budgets, tools, parsers, token provenance, records."""
