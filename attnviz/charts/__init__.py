"""Numbers as charts, of plotly or in HTML: pure functions of arrays, which know neither torch nor streamlit."""

MINUS = "\u2212"


def with_minus(number: str) -> str:
    """Return a number that Python has written, with a true minus sign."""
    return number.replace("-", MINUS)
