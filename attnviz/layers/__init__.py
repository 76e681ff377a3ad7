"""One attention mechanism a file. Layers know taps and roles only, no model and no data."""
