"""One step on a timeline, as a file that Perfetto and chrome://tracing open."""
