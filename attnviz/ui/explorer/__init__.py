"""The explorer's experiments, for every net: do maps of what it looks at agree, and do they depend on the net?"""
