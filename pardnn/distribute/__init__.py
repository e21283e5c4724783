"""How replicas of a training step keep their weights equal: one way a file."""
