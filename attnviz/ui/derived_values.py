"""The derived values of the live channel: those for every net with attention or a gradient, and all mechanisms' own.

This module depends on the live channel and the mechanisms, and passes its table to the channel. Importing it does not
import torch.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from attnviz.errors import BadInput, UnknownName
from attnviz.ui.dot_product.attention_view import ATTENTION_VIEW
from attnviz.ui.dot_product.mean_row import MEAN_ROW
from attnviz.ui.explorer.own_board import OWN_ACROSS, OWN_BOARD
from attnviz.ui.explorer.own_passes import OWN_LAYER
from attnviz.ui.explorer.views import VIEWS as PLACE_MAPS
from attnviz.ui.live.derived import Derived, View
from attnviz.ui.live.jacobian import JACOBIAN
from attnviz.ui.live.jacobian_view import JACOBIAN_VIEW
from attnviz.ui.live.second_training import BESIDE_VIEW
from attnviz.ui.live.tap_view import TAP_VIEW
from attnviz.ui.mechanisms import MECHANISMS, guard

Row = Derived[Any] | View[Any]
OF_ANY_NET: tuple[Row, ...] = (
    JACOBIAN, JACOBIAN_VIEW, TAP_VIEW, BESIDE_VIEW, MEAN_ROW, ATTENTION_VIEW, OWN_LAYER, OWN_BOARD, OWN_ACROSS,
    *PLACE_MAPS,
)  # fmt: skip


def known() -> dict[str, Row]:
    """Return name -> derived value or view, of all mechanisms that can list theirs; the first use of a name counts."""
    return _known()[0]


def find(name: str) -> Row:
    """Return a derived value or a view by name."""
    found, failed = _known()
    if name in found:
        return found[name]
    if failed:
        raise BadInput(f"There is no derived value {name[:100]!r} at the moment. {failed[0]}")
    raise UnknownName("derived value", name, found)


def _known() -> tuple[dict[str, Row], list[guard.Failed]]:
    found: dict[str, Row] = {row.name: row for row in OF_ANY_NET}
    failed = []
    for mechanism in MECHANISMS.values():
        try:
            rows: tuple[Row, ...] = guard.call(mechanism, "derived values", _of, mechanism.derived)
        except guard.Failed as error:
            failed.append(error)
            continue
        for row in rows:
            found.setdefault(row.name, row)
    return found, failed


@lru_cache(maxsize=256)  # called at every pointer movement, and a mechanism may be slow
def _of(derived: Callable[[], tuple[Row, ...]]) -> tuple[Row, ...]:
    rows = derived()
    for row in rows:
        if not isinstance(row, Derived | View):
            raise TypeError(f"expected Derived or View, not {type(row).__name__}")
    return rows
