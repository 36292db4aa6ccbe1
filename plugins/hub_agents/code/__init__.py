"""`hub:agent/Code-v0`: programs that hidden tests judge, from where they cannot be reached."""
