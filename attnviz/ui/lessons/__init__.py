"""Lessons in the app: what they may name, the bar over a page, and the list of all."""
