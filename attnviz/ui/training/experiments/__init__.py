"""The experiments of the page on which models are trained: questions about how attention came to be.

Nothing here imports torch at the top: the page begins without it.
"""
