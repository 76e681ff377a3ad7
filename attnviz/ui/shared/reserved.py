"""Reserves height for a picture of results before it is drawn, so that nothing below it moves.

Streamlit draws HTML only after fetching a script for it, and none of its elements accepts a height that depends on the
window's width. So a container's key holds the number of rows to come, and a style sheet sets their height.
"""

MOST_ROWS = 60  # per picture; no height is reserved for more


def container_key(rows: int, key: str) -> str:
    """Return the key of a container as high as a picture with this number of rows."""
    return f"dots-{rows}-{key}"


def style() -> str:
    """Return the style sheet for the head of every page; page.css sets the height of a row."""
    counts = "".join(f'[class*="st-key-dots-{rows}-"]{{--rows:{rows}}}' for rows in range(1, MOST_ROWS + 1))
    return f'#root [class*="st-key-dots-"]{{min-height:calc(var(--dots-row) * (var(--rows) + 1) + 1.5rem)}}{counts}'
