"""Which kinds of examples there are, and the example that a request or a URL names."""

from __future__ import annotations

from collections.abc import Mapping

from attnviz import data as datasets
from attnviz.data.inputs import drawing
from attnviz.errors import UnknownName
from attnviz.extensions import Table
from attnviz.subjects.drawings import Drawing
from attnviz.subjects.example import Example, ExampleKind
from attnviz.subjects.net import Net
from attnviz.subjects.photos import Photo
from attnviz.subjects.pictures import Picture
from attnviz.subjects.strips import PREPARATION, Strip


def _first_drawing(net: Net) -> Example | None:
    """Return a drawn digit for a net that was trained on pictures that are in no data set here: a visitor's own."""
    if net.data is not None or net.input.preparation == PREPARATION:
        return None
    return Drawing(drawing.word(drawing.name(datasets.load("strokes", "test", count=1).images[0, :, :, 0])))


def _first_strip(net: Net) -> Example | None:
    return Strip.test("strokes", 5, 0) if net.input.preparation == PREPARATION else None


EXAMPLES: Table[ExampleKind] = Table(
    "examples",
    {
        "drawing": ExampleKind("Your drawing", Drawing, "05_draw.py", "Back to your drawing", _first_drawing),
        "strip": ExampleKind("A strip of digits", Strip, first=_first_strip),
        "photo": ExampleKind("Your photograph", Photo),
    },
)
"""Kinds of examples besides pictures of a data set, by the URL field that holds their word; other packages add rows."""


def example(data: str, number: int = 0) -> Example:
    """Return an example as a request of the live channel names it.

    Args:
        data: a data set, or KIND:WORD for an example of another kind.
        number: the index in the test split; ignored for other kinds.

    Raises:
        UnknownName: there is no such kind.
        BadInput: the word names no example of its kind.
    """
    kind, colon, word = data.partition(":")
    if not colon:
        return Picture(data, number)
    if kind not in EXAMPLES:
        raise UnknownName("kind of example", kind, EXAMPLES)
    return EXAMPLES[kind].read(word)


def first_example(net: Net) -> Example | None:
    """Return what a net is shown at first that no picture of a data set suits; None where no kind of example does."""
    return next((found for row in EXAMPLES.values() if (found := row.first(net))), None)


def example_in_url(words: Mapping[str, str]) -> Example | None:
    """Return the example that the URL names by one word; None where it names none, or a picture of a data set."""
    for kind in EXAMPLES:
        if kind in words:
            return EXAMPLES[kind].read(words[kind])
    return None
