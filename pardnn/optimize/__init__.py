"""Changes of a step's graph that make it need less memory: ops run again, data kept on the host, smaller batches."""
