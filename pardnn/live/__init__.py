"""Plans of what is live: made when a step is first traced, kept when it is traced again, undone on request."""
