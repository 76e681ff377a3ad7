"""How much is right of a text of sorted digits that is guessed without looking: the floor of that task.

The best guess of each place is one digit, whatever the strip shows. Digits are drawn evenly and independently.
"""

from itertools import pairwise
from math import comb, factorial

DIGITS = 10


def by_place(length: int) -> float:
    """Return the share of places that are right where each of a text of so many digits is guessed to be its most
    probable digit.
    """
    return sum(max(_at(place, length)) for place in range(length)) / length


def whole(length: int) -> float:
    """Return how often a whole text of so many digits is right that is guessed to be the most probable one."""
    each, more = divmod(length, DIGITS)  # how often a digit occurs in the most probable text
    orders: int = factorial(length) // (factorial(each) ** (DIGITS - more) * factorial(each + 1) ** more)
    return float(orders / DIGITS**length)


def _at(place: int, length: int) -> list[float]:
    """Return how probable each digit is at a place of a sorted text."""

    def up_to(digit: int) -> float:  # that at least place + 1 digits are at most this one
        share = (digit + 1) / DIGITS
        counts = range(place + 1, length + 1)
        return sum(comb(length, count) * share**count * (1 - share) ** (length - count) for count in counts)

    return [high - low for low, high in pairwise([0.0, *map(up_to, range(DIGITS))])]
