"""The draw page, where one drawing is looked at by many models."""
