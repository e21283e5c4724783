"""Improvers of a placement, composed as a list: make it fit, make it faster."""
