"""The page on which models are trained."""
