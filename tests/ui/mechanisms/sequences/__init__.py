"""Tests of the page of strips that are read."""
