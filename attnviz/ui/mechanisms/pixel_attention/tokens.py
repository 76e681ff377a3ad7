"""How many tokens a net has: a single one, which is the whole picture, leaves attention nothing to choose."""

from attnviz.subjects import Net


def single_token(net: Net) -> bool:
    """Return whether the net takes the whole picture as one token."""
    return net.grid is not None and net.grid.tokens == 1
