"""The live channel: a model answers while a hand moves, over a WebSocket, without a rerun of a page."""
