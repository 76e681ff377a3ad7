"""A visitor's drawing as an example: the URL holds its pixels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attnviz.arrays import Bytes
from attnviz.data.inputs import drawing
from attnviz.data.inputs.prepared import checked
from attnviz.subjects.net import Net


@dataclass(frozen=True)
class Drawing:
    """A drawing, as a net received it, with its pixels as text (attnviz/data/inputs/drawing.py)."""

    word: str

    @property
    def key(self) -> str:
        """A short name, the same for the same pixels: "drawing/" and a digest."""
        return drawing.place(drawing.named(self.word))

    @property
    def words(self) -> Mapping[str, str]:
        """The URL field that holds it."""
        return {"drawing": self.word}

    @property
    def asked(self) -> Mapping[str, Any]:
        """Its name in a request of the live channel."""
        return {"data": drawing.named(self.word), "number": 0}

    @property
    def data(self) -> None:
        """None: it does not belong to a data set."""
        return

    @property
    def target(self) -> None:
        """None: its class is unknown."""
        return

    @property
    def ink(self) -> bool:
        """Whether it is ink on paper, which a picture in colour is not."""
        return bool(self.picture.shape[2] == 1)

    @property
    def picture(self) -> Bytes:
        """The drawing, uint8 (row, column, 1), or in colour (row, column, 3)."""
        return checked(drawing.read(drawing.named(self.word)))

    def taken_by(self, net: Net) -> Bytes:
        """Return the drawing as a net's input."""
        return net.fitted(self.picture)
