"""Dot-product attention of one layer on one picture, for the pixel viewer and for figures.

A *choice* is a dictionary that selects what to show, whose words in a URL `FIELDS` defines: "query" and "key" ([row,
column], or None while nothing is locked), "head" (a number or "mean"), "show" (weights, scores, carried), "direction"
(from, to, received), "scale" (share, all, map), "map" (attention, jacobian). In a choice, as in arrays, rows, columns
and heads count from 0, and [-1, i] is the i-th token without a position (a class token). In text for people, including
the URL, they count from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from attnviz.errors import BadInput
from attnviz.views.declared import FLOATS, Array, Axes, Payload
from attnviz.views.url_fields import Field, Fields

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

OF_TOKENS = ("query", "key", "value", "log_normaliser", "carried", "received")  # (head, token, ...)

FIELDS = Fields(
    Field("query", "place"),
    Field("key", "place"),
    Field("head", "head", 0),
    Field("show", "choice", "weights", ("weights", "scores", "carried")),
    Field("direction", "choice", "from", ("from", "to", "received")),
    Field("scale", "choice", "share", ("share", "all", "map")),
    Field("map", "choice", "attention", ("attention", "jacobian")),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class LayerView(Payload):
    """One picture, one attention layer, and all numbers needed to compute the weight between any two of its tokens.

    There are N tokens: `prefix` tokens without a position, then rows x columns, row by row from the top left.

    Args:
        picture: each token's intensity, 0..1, in which the edge of the ink is found.
        query, key: the score is their dot product over the root of their size.
        scores: inputs of the softmax, if they are not such products, or if a token attends to some tokens only; query
            and key are then None.
        attending, attended: if not every token attends to every token: the tokens that attend, and the equally many
            tokens that each of them attends to. They are the axes query and key of `scores`.
        value: None if omitted, as in figures, which should be small.
        log_normaliser: log of the sum of exp(score) over all keys, for each query; 0 for a token that attends to none.
        carried: contribution of a key to the projection of the heads if its weight were 1: signed if that is one
            number, else the norm of the contribution.
        carried_signed: whether `carried` has a sign.
        received: mean weight over all queries that attend to the key; an even share is 1 / `inside`.
        output: output of the layer; None if omitted.
        rows, columns: size of the grid.
        prefix: number of leading tokens without a position.
        classes: names of the answers; empty if the model gives no answer.
        probabilities: the model's answer, 0..1.
        label: the true class, if known.
        origin: software version, model, recipe, seed, digest, image, address; included in every export.
        ink: whether the edge of the ink is drawn on the maps, as for drawn digits.
        background: a picture of one or three colours, drawn instead of `picture` at its own resolution.
        projection, readout, of_heads, logit: how the answer depends on the layer's output, as in
            `attnviz.measures.attention.Readout`, so that the browser can compute the contribution of a pair; all None
            if the answer is not such a sum.
        before, own, added, scale, eps: for a layer that ends in ReLU and layer normalisation, so that the browser can
            compute how a pair changes the output: the input of ReLU; the part of it that comes from the token itself;
            the contribution of a key to it if its weight were 1; the scale of the norm; and the norm's epsilon for the
            variance. All None if the projection is the output.
        boxes: where the tokens' boxes lie on `background`, as in `Grid.boxes`; None if they are its pixels, or tile it.
        unit: name of a token: "pixel", "box", "block".
        names: names of the tokens without a position; None if they have no names.
    """

    together = (
        ("attending", "attended"),
        ("projection", "readout", "of_heads", "logit"),
        ("before", "own", "added", "scale", "eps"),
    )

    picture: Annotated[Array, Axes("row column")]
    query: Annotated[Array | None, Axes("head token size", FLOATS)] = None
    key: Annotated[Array | None, Axes("head token size", FLOATS)] = None
    value: Annotated[Array | None, Axes("head token number", FLOATS)] = None
    scores: Annotated[Array | None, Axes("head query key", FLOATS)] = None
    attending: Annotated[Array | None, Axes("query", ("int32",))] = None
    attended: Annotated[Array | None, Axes("query key", ("int32",))] = None
    log_normaliser: Annotated[Array, Axes("head token")]
    carried: Annotated[Array, Axes("head token")]
    carried_signed: bool
    received: Annotated[Array, Axes("head token")]
    output: Annotated[Array | None, Axes("token feature", FLOATS)] = None
    rows: int
    columns: int
    prefix: int
    classes: tuple[str, ...]
    probabilities: Annotated[Array, Axes("class")]
    label: str | None = None
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    ink: bool = True
    background: Annotated[Array | None, Axes("y x colour", ("uint8",))] = None
    projection: Annotated[Array | None, Axes("feature head number")] = None
    readout: Annotated[Array | None, Axes("token feature")] = None
    of_heads: Annotated[Array | None, Axes("head")] = None
    logit: float | None = None
    before: Annotated[Array | None, Axes("token feature")] = None
    own: Annotated[Array | None, Axes("token feature")] = None
    added: Annotated[Array | None, Axes("head token feature")] = None
    scale: Annotated[Array | None, Axes("feature")] = None
    eps: float | None = None
    boxes: Sequence[float] | None = None
    unit: str = "pixel"
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.scores is None) != (self.query is not None and self.key is not None):
            raise BadInput("Give query and key, or scores in their place.")
        if self.names is not None and len(self.names) != self.prefix:
            raise BadInput(f"names: expected {self.prefix}, one for each token without a position, got {self.names}.")
        if self.attending is not None and self.scores is None:
            raise BadInput("If tokens attend only to some tokens, give scores instead of query and key.")
        picture = self.background
        if picture is not None and picture.shape[2] not in (1, 3):
            raise BadInput(f"background: expected one colour or three, got the shape {picture.shape}.")
        if self.boxes is not None and (picture is None or len(self.boxes) != 6):
            raise BadInput(f"boxes: expected six numbers and a background that they lie on, got {self.boxes}.")

    def sizes(self) -> dict[str, int]:
        """Return the axis sizes that follow from the grid and the classes."""
        tokens = self.prefix + self.rows * self.columns
        return {
            "row": self.rows, "column": self.columns, "token": tokens, "class": len(self.classes),
            "query": tokens if self.attending is None else len(self.attending), "key": self.inside,
        }  # fmt: skip

    @property
    def heads(self) -> int:
        """The number of heads."""
        return int(self.log_normaliser.shape[0])

    @property
    def tokens(self) -> int:
        """The number of tokens, including those without a position."""
        return self.prefix + self.rows * self.columns

    @property
    def inside(self) -> int:
        """The number of tokens that a query attends to."""
        return self.tokens if self.attended is None else int(self.attended.shape[1])

    def token(self, place: Sequence[int]) -> int:
        """Return the token at a choice's [row, column]."""
        row, column = place
        if row == -1 and 0 <= column < self.prefix:
            return column
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            tokens = f", or one of {self.prefix} tokens without a position" if self.prefix else ""
            raise BadInput(
                f"The query ({row}, {column}) is not on this layer's grid: rows 0 to {self.rows - 1}, "
                f"columns 0 to {self.columns - 1}{tokens}."
            )
        return self.prefix + row * self.columns + column

    def scores_of(self, query: int) -> npt.NDArray[np.float64]:
        """Return the inputs of the softmax for a query, (head, key); -inf for keys that it does not attend to."""
        import numpy as np

        if self.attending is not None:
            assert self.scores is not None and self.attended is not None
            some = np.full((self.heads, self.tokens), -np.inf)
            for place in np.flatnonzero(self.attending == query):
                some[:, self.attended[place]] = self.scores[:, place]
            return some
        if self.scores is not None:
            return self.scores[:, query].astype(np.float64)
        assert self.query is not None and self.key is not None
        query_of, keys = self.query[:, query].astype(np.float64), self.key.astype(np.float64)
        scores: npt.NDArray[np.float64] = np.einsum("hs,hts->ht", query_of / np.sqrt(query_of.shape[-1]), keys)
        return scores

    def scores_to(self, key: int) -> npt.NDArray[np.float64]:
        """Return the scores of a key for every query, (head, query)."""
        import numpy as np

        if self.attending is not None:
            assert self.scores is not None and self.attended is not None
            some = np.full((self.heads, self.tokens), -np.inf)
            places, at = np.nonzero(self.attended == key)
            some[:, self.attending[places]] = self.scores[:, places, at]
            return some
        if self.scores is not None:
            return self.scores[:, :, key].astype(np.float64)
        assert self.query is not None and self.key is not None
        key_of, queries = self.key[:, key].astype(np.float64), self.query.astype(np.float64)
        scores: npt.NDArray[np.float64] = np.einsum("hs,hts->ht", key_of / np.sqrt(key_of.shape[-1]), queries)
        return scores

    def weights(self, query: int) -> npt.NDArray[np.float64]:
        """Return the weights of a query over all keys, (head, key); those of each head add up to one."""
        import numpy as np

        weights: npt.NDArray[np.float64] = np.exp(self.scores_of(query) - self.log_normaliser[:, [query]])
        return weights

    def to_wire(self, arrays: dict[str, Array]) -> dict[str, Array]:
        """Send each distinct token once, and the picture last, so that several layers can share it."""
        first, place = distinct(self)
        sent = {name: array[:, first] if name in OF_TOKENS else array for name, array in arrays.items()}
        background = sent.pop("background", None)
        return {**sent, "place": place, **({} if background is None else {"background": background})}

    @classmethod
    def from_wire(cls, arrays: dict[str, Array]) -> dict[str, Array]:
        """Restore the numbers of every token."""
        place = arrays.pop("place")
        return {name: array[:, place] if name in OF_TOKENS else array for name, array in arrays.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class AttentionView(LayerView):
    """A complete `LayerView`, of one of our models."""

    query: Annotated[Array, Axes("head token size")]
    key: Annotated[Array, Axes("head token size")]
    value: Annotated[Array, Axes("head token number")]
    output: Annotated[Array, Axes("token feature")]


def distinct(view: LayerView) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the first token of each kind, (distinct,), and the index of each token's kind in it, (token,).

    Equal tokens are sent to the browser only once, and for some models a tenth of the tokens are distinct. Equivalent
    to `attnviz.equal_tokens.distinct`, but without torch, which the first page with a viewer has not loaded yet.
    """
    import numpy as np

    arrays = [array for name in OF_TOKENS if (array := getattr(view, name)) is not None]
    rows = np.concatenate([array.reshape(*array.shape[:2], -1) for array in arrays], 2)
    rows = np.ascontiguousarray(rows.transpose(1, 0, 2))  # (token, head, numbers)
    kinds: dict[bytes, int] = {}
    place = np.array([kinds.setdefault(row.tobytes(), len(kinds)) for row in rows], np.int32)
    return np.unique(place, return_index=True)[1].astype(np.int32), place
