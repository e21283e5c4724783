"""The search behind `auto`: starts, finalists, budgets, and the walk that improves them."""
