"""Measures of networks with several layers of attention among the same tokens: layer by layer, and combined."""
