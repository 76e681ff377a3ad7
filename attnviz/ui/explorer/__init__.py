"""The experiments of the explorer, on every net: do maps of what it looks at agree, and do they depend on the net?"""
