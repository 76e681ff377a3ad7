"""Measures of models that output a text step by step: where a step looks, and whether its weights steer its output."""
