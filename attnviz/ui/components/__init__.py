"""The browser components: a thin Python wrapper for each, and the code that the wrappers share."""
