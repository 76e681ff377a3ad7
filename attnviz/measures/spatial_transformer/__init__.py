"""Measures of spatial transformers: what a transform does, and whether it undoes what was done to a picture."""
