"""The committed checkpoints as parameters: the first of each model in every run, the others among the slow tests."""

from collections.abc import Iterable
from typing import Any

import pytest

from attnviz import cards


def one_per_model(names: Iterable[str] | None = None) -> list[Any]:
    """Return names of checkpoints, by default of all, as parameters of a test."""
    seen: set[str] = set()
    found = []
    for name in cards.names() if names is None else names:
        model = name.partition(".")[0]
        found.append(pytest.param(name, marks=[pytest.mark.slow] if model in seen else []))
        seen.add(model)
    return found
