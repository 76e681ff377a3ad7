"""Subjects: a net on an example."""

from typing import NamedTuple

from attnviz.arrays import Bytes
from attnviz.subjects.example import Example
from attnviz.subjects.net import Net
from attnviz.version import VERSION


class Subject(NamedTuple):
    """A net on an example: the subject of a page, a view or an experiment."""

    net: Net
    example: Example

    @property
    def image(self) -> Bytes:
        """The example as the net's input, uint8 (row, column, channel)."""
        return self.example.taken_by(self.net)

    @property
    def asked(self) -> dict[str, object]:
        """Its name in a request of the live channel, as JSON: the net's key, and the example."""
        return {"checkpoint": self.net.key, "picture": dict(self.example.asked)}

    def origin(self, tap_path: str = "") -> dict[str, str | int | float]:
        """Return the origin of a view of it, which every export contains."""
        origin = {**origin_of(self.net), "image": self.example.key}
        return {**origin, "address": tap_path} if tap_path else origin


def origin_of(net: Net) -> dict[str, str | int | float]:
    """Return the origin of a net's values: software, model, recipe, seed, digest of the weights, and the epoch."""
    return {
        "software": f"attnviz {VERSION}",
        "model": net.architecture,
        "recipe": net.recipe,
        "seed": net.seed,
        **({} if net.epoch is None else {"epoch": net.epoch}),
        "digest": net.digest,
    }
