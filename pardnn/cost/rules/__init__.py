"""Cost rules, one family of ops a file. A rule registers itself; adding one is adding a function."""
