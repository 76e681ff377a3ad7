"""Measures of networks with several layers of attention over the same tokens: layer by layer, and combined."""
