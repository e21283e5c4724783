"""Where cells are carried out: one place a file."""
