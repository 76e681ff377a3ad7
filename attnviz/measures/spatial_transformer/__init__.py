"""Measures of spatial transformers: what a transform does, and whether it undoes a change of the picture."""
