"""Measures of gates over channels: which of them vary, and whether they vary with the class."""
