"""The page for training models."""
