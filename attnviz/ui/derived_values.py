"""The derived values of the live channel: those of every net with attention or a gradient, and those of all mechanisms.

The table stands above the live channel and the mechanisms, and is handed down to the channel. Importing it costs no
torch.
"""

from itertools import chain
from typing import Any

from attnviz.errors import UnknownName
from attnviz.ui.live.attention_view import ATTENTION_VIEW
from attnviz.ui.live.derived import Derived, View
from attnviz.ui.live.jacobian import JACOBIAN
from attnviz.ui.live.mean_row import MEAN_ROW
from attnviz.ui.mechanisms import MECHANISMS


def known() -> dict[str, Derived[Any] | View[Any]]:
    """Return all derived values and views by name."""
    of_mechanisms = chain.from_iterable(mechanism.derived() for mechanism in MECHANISMS.values())
    rows = (JACOBIAN, MEAN_ROW, ATTENTION_VIEW, *of_mechanisms)
    return {row.name: row for row in rows}


def find(name: str) -> Derived[Any] | View[Any]:
    """Return a derived value or a view by name.

    Raises:
        UnknownName: there is none of that name; the closest ones are listed.
    """
    found = known()
    if name not in found:
        raise UnknownName("derived value", name, found)
    return found[name]
