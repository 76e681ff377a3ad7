"""Measures of models that output a text step by step: what a step attends to, and whether its weights matter."""
