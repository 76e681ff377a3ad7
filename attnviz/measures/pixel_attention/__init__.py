"""Measures for pixel attention only: its queries, keys, values and positions."""
