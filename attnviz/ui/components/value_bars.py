"""A value per channel, unit or class as a bar, `frontend/value_bars/`.

Bars are more informative than a map of one row: each value can be read off on the bars' own scale.
"""

from attnviz.ui.components.component import component
from attnviz.views.bars import packed

__all__ = ["packed", "value_bars"]


def value_bars(bars: bytes, *, key: str) -> None:
    """Draw one bar for each value."""
    component("value_bars")(key=key, data=bars)
