"""The derived values of the live channel: the Jacobian, the mean row, and those of all mechanisms.

Importing this costs no torch.
"""

from itertools import chain
from typing import Any

from attnviz.errors import UnknownName
from attnviz.ui.live.derived import Derived
from attnviz.ui.live.jacobian import JACOBIAN
from attnviz.ui.live.mean_row import MEAN_ROW
from attnviz.ui.mechanisms import MECHANISMS


def known() -> dict[str, Derived[Any]]:
    """Return all derived values by name."""
    of_mechanisms = chain.from_iterable(mechanism.derived() for mechanism in MECHANISMS.values())
    rows: tuple[Derived[Any], ...] = (JACOBIAN, MEAN_ROW, *of_mechanisms)
    return {row.name: row for row in rows}


def find(name: str) -> Derived[Any]:
    """Return a derived value by name.

    Raises:
        UnknownName: there is none of that name; the closest ones are listed.
    """
    found = known()
    if name not in found:
        raise UnknownName("derived value", name, found)
    return found[name]
