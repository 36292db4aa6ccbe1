"""Environments of $name; `$package.plugin` registers them with the hub."""
