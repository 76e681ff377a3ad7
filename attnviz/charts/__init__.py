"""Charts of numbers, in plotly or HTML: pure functions of arrays that depend on neither torch nor streamlit."""

MINUS = "\u2212"


def with_minus(number: str) -> str:
    """Return a number formatted by Python with a true minus sign."""
    return number.replace("-", MINUS)
