"""One attention mechanism per file. Layers know only taps and roles, no model and no data."""

MAPS = "batch channel row column"
PER_HEAD = "batch head channel row column"
CHANNELS = "batch channel"
PLACES = "batch row column"
VECTOR = "batch feature"
