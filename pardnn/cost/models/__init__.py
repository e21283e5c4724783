"""The cost models, one a file."""
