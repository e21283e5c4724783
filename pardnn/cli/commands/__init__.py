"""One command a module; `command` is what it offers. Nothing heavy is imported before a command runs."""
