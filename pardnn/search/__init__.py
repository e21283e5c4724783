"""The search behind `auto`: starts, finalists, budgets."""
