"""Examples: the inputs of nets. Most are pictures of a data set, or a visitor's drawing.

In the URL a picture of a data set is `data=strokes&number=23`. Any other example is one word in a field named after its
kind: `drawing=eJx...`. A request of the live channel names a picture of a data set as {"data": "strokes", "number":
23}, and any other example as {"data": "drawing:eJx...", "number": 0}.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from attnviz.arrays import Bytes
from attnviz.subjects.net import Net


class Example(Protocol):
    """An input of nets. Examples are compared by value, and are hashable."""

    @property
    def key(self) -> str:
        """Its name in exports and file names, such as "strokes/test/23"."""
        ...

    @property
    def words(self) -> Mapping[str, str]:
        """The URL fields that name it."""
        ...

    @property
    def asked(self) -> Mapping[str, Any]:
        """Its name in a request of the live channel: "data" and "number"."""
        ...

    @property
    def data(self) -> str | None:
        """The data set of the picture, or None if it does not belong to one."""
        ...

    @property
    def target(self) -> str | None:
        """The correct answer in words, or None if it is unknown."""
        ...

    @property
    def ink(self) -> bool:
        """Whether it is ink on empty paper: maps over it show the outline of the ink."""
        ...

    @property
    def picture(self) -> Bytes:
        """The picture itself, uint8 (row, column, channel).

        Raises:
            UnknownName: there is no such data set.
            BadInput: there is no such picture.
            DataError: the data set has not been downloaded.
        """
        ...

    def taken_by(self, net: Net) -> Bytes:
        """Return the picture as a net's input, uint8 (row, column, channel); BadInput: it cannot be converted."""
        ...


@dataclass(frozen=True)
class ExampleKind:
    """A kind of example whose examples are each named by one word.

    Args:
        title: its label in the choice of pictures.
        read: a function from a word to its example; it raises BadInput for an invalid word.
        page: the file in pages/ where such an example is made, or "".
        back: the text of the link to that page.
        first: a function from a net that cannot take pictures of any data set to its first example, or None if it
            cannot take this kind either.
    """

    title: str
    read: Callable[[str], Example]
    page: str = ""
    back: str = ""
    first: Callable[[Net], Example | None] = lambda net: None
