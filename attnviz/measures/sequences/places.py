"""Which digit of a strip a column or a pixel belongs to, and how much of a map lies on each digit.

Columns are features of a strip, one every few pixels; digits stand at equal distances from one another.
"""

import torch
from torch import Tensor

from attnviz.errors import BadInput


def digit_of(columns: int, digits: int) -> Tensor:
    """Return the digit that the middle of each column lies on: int64 (column,), counted from 0.

    Args:
        columns: of a strip, such as its features or its pixels, evenly spaced from its left edge on. A digit takes a
            whole number of them, or one and a half, two and a half, ...; the last column may stand half over the edge.
        digits: of the strip.

    Raises:
        BadInput: fewer columns than digits.
    """
    if not 1 <= digits <= columns:
        raise BadInput(
            f"A strip of {digits} digits has at least as many columns, and one digit or more, not {columns}."
        )
    return torch.arange(columns) * 2 // (2 * columns // digits)


def by_digit(values: Tensor, digits: int) -> Tensor:
    """Return the sum of some values over the columns of each digit.

    Args:
        values: float (..., column).
        digits: of the strip.

    Returns:
        float (..., digit)
    """
    which = digit_of(values.shape[-1], digits).to(values.device)
    sums = values.new_zeros(*values.shape[:-1], digits)
    return sums.index_add(-1, which, values)
