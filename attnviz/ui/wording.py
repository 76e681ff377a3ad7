"""Numbers in a sentence: four digits at most, as the components write them (frontend/numbers.js)."""

import math

MINUS = "\u2212"
RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def short(value: float, digits: int = 4) -> str:
    """Return a number as a person reads it: 0.0049, 12.30, 1.2 × 10⁻⁷.

    Args:
        value: any number, also one that is not finite.
        digits: at most so many count; of very large and very small ones, at most three.
    """
    if math.isnan(value):
        return "NaN"
    sign = MINUS if value < 0 else ""
    size = abs(value)
    if math.isinf(size):
        return f"{sign}\u221e"
    if size == 0:
        return "0"
    if size >= 1e5 or size < 1e-4:
        mantissa, power = f"{size:.{min(digits, 3) - 1}e}".split("e")
        return f"{sign}{mantissa}\u00a0\u00d7\u00a010{str(int(power)).translate(RAISED)}"
    return f"{sign}{size:.{max(0, digits - 1 - math.floor(math.log10(size)))}f}"
