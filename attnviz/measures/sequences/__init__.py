"""Measures of models that say a text step by step: where a step looks, and whether its weights steer what it says."""
