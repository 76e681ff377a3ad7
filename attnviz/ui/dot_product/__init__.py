"""Shared by all mechanisms with dot-product attention: the view of the viewer, and the mean row of a head."""
