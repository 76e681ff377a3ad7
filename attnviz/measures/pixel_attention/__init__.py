"""Measures that only pixel attention needs: of its queries, keys, values and positions."""
