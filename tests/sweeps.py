"""Sweeps over many like cases: some run always, all of them among the slow tests."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def sweep(values: Iterable[Any], always: Callable[[Any], bool]) -> list[Any]:
    """Return the parameters of a test, of which all but some are slow.

    Args:
        values: one of each case; a tuple where a case has several arguments.
        always: whether a case is run always.
    """
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=[] if always(one) else [pytest.mark.slow])
        for one in values
    ]
