"""The axes of the taps that several layers have."""

MAPS = "batch channel row column"
PER_HEAD = "batch head channel row column"
CHANNELS = "batch channel"
PLACES = "batch row column"
VECTOR = "batch feature"
