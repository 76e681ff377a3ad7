"""Conditions of tasks are read as they are meant."""

import pytest

from attnviz.errors import BadInput
from attnviz.lessons import conditions

from .samples import KNOWN


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("query is 12,13", [["query", "is", "12,13"]]),
        ("a is not set and b changed", [["a", "is not set", ""], ["b", "changed", ""]]),
        ("viewer.answer is not 8", [["viewer.answer", "is not", "8"]]),
        ("off contains 3", [["off", "contains", "3"]]),
        ("other.thing >= -2.5", [["other.thing", ">=", "-2.5"]]),
    ],
)
def test_conditions_are_read(words: str, meant: list[list[str]]) -> None:
    assert conditions.read(words, KNOWN.declared) == meant


@pytest.mark.parametrize(
    "words", ["", "query", "query is", "a changed b", "a > b", "viewer.none is 1", "a is 1 and", "1 is a"]
)
def test_what_is_none_is_refused(words: str) -> None:
    with pytest.raises(BadInput):
        conditions.read(words, KNOWN.declared)
