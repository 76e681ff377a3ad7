"""The experiments of the training page: questions about how attention develops.

No module here imports torch at the top, so that the page can start without it.
"""
