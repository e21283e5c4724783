"""Machines: cards and presets as TOML files, and the machine that a command line asks for."""
