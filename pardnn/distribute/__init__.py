"""How workers keep their weights equal: a step with its gradients expanded into tasks, one strategy a file."""
