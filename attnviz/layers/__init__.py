"""One attention mechanism per file. Layers know only taps and roles, no model and no data."""
