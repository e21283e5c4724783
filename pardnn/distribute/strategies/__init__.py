"""How workers add up their gradients: one strategy a file."""
