"""One attention mechanism per file. Layers depend on taps and roles only, not on models or data."""

MAPS = "batch channel row column"
PER_HEAD = "batch head channel row column"
CHANNELS = "batch channel"
PLACES = "batch row column"
VECTOR = "batch feature"
