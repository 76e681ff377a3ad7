"""A third party's mechanism: a model that looks at a few places of a large grey picture, chosen by chance."""
