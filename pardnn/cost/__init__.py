"""Costs: what each op takes in time and memory, and the workload made of it."""
