"""The components of the browser: one thin Python wrapper each, and what the wrappers share."""
