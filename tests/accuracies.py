"""Accuracies with the answers of each seed, as cards hold them."""

import numpy as np

from attnviz.card import Figure, packed


def accuracy(*shares: float, count: int = 10_000, name: str = "accuracy") -> Figure:
    """Return the accuracy of a model whose seeds answer these shares of the same pictures correctly, the last ones.

    Args:
        shares: of each seed.
        count: of the pictures.
        name: of the figure.
    """
    each = [np.arange(count) >= round(count * (1 - share)) for share in shares]
    values = tuple(float(right.mean()) for right in each)
    rights = tuple(map(packed, each))
    return Figure(
        name=name, data="mnist", split="test", count=count, value=values[0], mean=sum(values) / len(values),
        lowest=min(values), highest=max(values), seeds=len(values), per_seed=values, right=rights[0],
        right_per_seed=rights,
    )  # fmt: skip
