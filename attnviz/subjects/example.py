"""An example: one thing that a net looks at. Most are pictures of a data set, or a visitor's drawing.

In the URL a picture of a data set is `data=strokes&number=23`. An example of any other kind is one word under the name
of its kind: `drawing=eJx...`. A request of the live channel names a picture of a data set as {"data": "strokes",
"number": 23}, and an example of another kind as {"data": "drawing:eJx...", "number": 0}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from attnviz.arrays import Bytes
from attnviz.subjects.net import Net


class Example(Protocol):
    """One thing that a net looks at. Examples are compared by value, and can be keys of a dictionary."""

    @property
    def key(self) -> str:
        """Its name in exports and file names, such as "strokes/test/23"."""
        ...

    @property
    def words(self) -> Mapping[str, str]:
        """The fields of the URL that name it."""
        ...

    @property
    def asked(self) -> Mapping[str, Any]:
        """How a request of the live channel names it: "data" and "number"."""
        ...

    @property
    def data(self) -> str | None:
        """The data set that it is a picture of; None for an example that is in none."""
        ...

    @property
    def target(self) -> str | None:
        """What a net should answer, in words; None if that is not known."""
        ...

    @property
    def ink(self) -> bool:
        """Whether it is ink on empty paper: maps over it carry the outline of the ink."""
        ...

    @property
    def picture(self) -> Bytes:
        """What it is made of, uint8 (row, column, channel).

        Raises:
            UnknownName: there is no such data set.
            BadInput: there is no such picture.
            DataError: the data set is not here.
        """
        ...

    def taken_by(self, net: Net) -> Bytes:
        """Return the picture as a net takes it, uint8 (row, column, channel); BadInput where it cannot become that."""
        ...


@dataclass(frozen=True)
class ExampleKind:
    """A kind of example, each of which is named by one word.

    Args:
        title: what such an example is called in the choice of pictures.
        read: from a word to the example that it names. It raises BadInput where the word names none.
        page: the file in pages/ where such an example is made; "" where there is none.
        back: the words of the link to that page.
        first: from a net that no picture of a data set suits to the example that it is shown at first; None where this
            kind does not suit it either.
    """

    title: str
    read: Callable[[str], Example]
    page: str = ""
    back: str = ""
    first: Callable[[Net], Example | None] = lambda net: None
