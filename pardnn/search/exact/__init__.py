"""The search that proves: a model of all schedules, solved by OR-Tools CP-SAT."""
