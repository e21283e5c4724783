"""The generic performance model: a table of runs in, an expression of their time out; any framework, any columns."""
