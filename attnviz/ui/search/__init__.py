"""The page on which settings are searched."""
