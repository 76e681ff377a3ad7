"""Lessons in the app: the names they may use, the bar over a page, and the list of all lessons."""
