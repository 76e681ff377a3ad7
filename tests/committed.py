"""The committed checkpoints as parameters: the first of each model in every run, the others among the slow tests."""

from collections.abc import Iterable
from functools import cache
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


@cache
def one_per_kind() -> frozenset[str]:
    """Return the first checkpoint of each model and choice of its options, amounts aside."""
    found: dict[object, str] = {}
    for name in cards.names():
        options = {
            key: value if isinstance(value, str | bool | None) else ...
            for key, value in cards.read(name).config.items()
        }
        found.setdefault((name.partition(".")[0], repr(options), bool(cards.usable([name]))), name)
    return frozenset(found.values())
