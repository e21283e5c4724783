"""From what a file holds to the op graph that is partitioned."""
