"""A subject: a net on an example."""

from __future__ import annotations

from typing import NamedTuple

from attnviz.arrays import Bytes
from attnviz.subjects.example import Example
from attnviz.subjects.net import Net
from attnviz.version import VERSION


class Subject(NamedTuple):
    """A net on an example: what a page, a view or an experiment is about."""

    net: Net
    example: Example

    @property
    def image(self) -> Bytes:
        """The example as the net takes it, uint8 (row, column, channel)."""
        return self.example.taken_by(self.net)

    @property
    def asked(self) -> dict[str, object]:
        """How the live channel is asked about it, as JSON can say it: the net's key, and the example."""
        return {"checkpoint": self.net.key, "picture": dict(self.example.asked)}

    def origin(self, tap_path: str = "") -> dict[str, str | int | float]:
        """Return where a view of it comes from, which stands in every export."""
        origin = {**origin_of(self.net), "image": self.example.key}
        return {**origin, "address": tap_path} if tap_path else origin


def origin_of(net: Net) -> dict[str, str | int | float]:
    """Return where values of a net come from: software, model, recipe, seed, digest of the weights, and the epoch."""
    return {
        "software": f"attnviz {VERSION}",
        "model": net.architecture,
        "recipe": net.recipe,
        "seed": net.seed,
        **({} if net.epoch is None else {"epoch": net.epoch}),
        "digest": net.digest,
    }
