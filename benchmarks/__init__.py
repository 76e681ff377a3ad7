"""One question a file; each is one command, `python -m benchmarks.NAME`, that prints a table.

Figures are multiples of a baseline measured in the same run: machines differ and are shared.
"""
