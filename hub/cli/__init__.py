"""The `hub` command: one small file per subcommand, no logic of its own."""
