"""Partitioners: one algorithm a file, or one small package; `registry.partitioners` finds them by name."""
