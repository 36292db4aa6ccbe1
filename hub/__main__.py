"""`python -m hub`: the `hub` command where its script is not on PATH."""

from hub.cli.main import main

main()
