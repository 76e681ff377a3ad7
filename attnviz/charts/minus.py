"""The minus sign: as wide and as high as a plus, where Python writes a hyphen."""

MINUS = "\u2212"


def with_minus(number: str) -> str:
    """Return a number that Python has written, with a true minus sign."""
    return number.replace("-", MINUS)
