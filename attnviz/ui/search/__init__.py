"""The page for searching settings."""
