"""The attention of the pixel under the pointer: the data for `frontend/pixel_viewer/`, and the state of its view.

A *view* is a dictionary: "query" and "key" ([row, column], or None while nothing is locked), "head" (a number or
"mean"), "show" (weights, scores, carried), "direction" (from, to, received), "scale" (share, all, map), "map"
(attention, jacobian). In it, as in arrays, rows, columns and heads count from 0; [-1, i] is the i-th token without a
position (a class token). In what a person reads, including the URL, they count from 1: `FIELDS` converts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput
from attnviz.ui.components import url_view
from attnviz.ui.components.url_view import settled_view as settled_view
from attnviz.views.payload import pack, unpack
from attnviz.views.url_fields import Field, Fields

if TYPE_CHECKING:  # the home page draws a viewer before numpy is loaded
    import numpy as np
    import numpy.typing as npt

OF_TOKENS = ("query", "key", "value", "log_normaliser", "carried", "received")  # (head, token, ...), of a view
OF_READOUT = ("projection", "readout", "of_heads")  # of a view whose answer is a sum over pairs
OF_END = ("before", "own", "added", "scale")  # of a view whose layer ends in ReLU and a norm

FIELDS = Fields(
    Field("query", "place"),
    Field("key", "place"),
    Field("head", "head", 0),
    Field("show", "choice", "weights", ("weights", "scores", "carried")),
    Field("direction", "choice", "from", ("from", "to", "received")),
    Field("scale", "choice", "share", ("share", "all", "map")),
    Field("map", "choice", "attention", ("attention", "jacobian")),
)

DECLARED = (
    "answer", "probability", "logit", "query", "key", "head", "heads", "tokens", "score", "weight", "share", "value",
    "carried", "added", "added_by_all", "half", "query_number", "key_number", "value_number",
)  # fmt: skip
"""What lessons can ask for: the answer; the pair, from the score to what it adds to the answer; and `half`, on how many
tokens half of the map lies. Rows, columns and heads count from 1. A query, key or value of one number is named, too."""


@dataclass(frozen=True, eq=False)
class AttentionView:
    """One picture, one attention layer, and what is needed to compute every weight between two of its tokens.

    N tokens: `prefix` that lie nowhere, then rows x columns, row by row from the top left. All floats are float64.

    Args:
        picture: (row, column) each token's intensity, 0..1; the edge of the ink is found in it.
        query: (head, token, size)
        key: (head, token, size)
        value: (head, token, size)
        log_normaliser: (head, token) log of the sum of exp(score) over all keys, for each query.
        carried: (head, token) what a key would add to the projection of the heads if its weight were 1: signed where
            that is one number, else the length of what it adds.
        carried_signed: whether `carried` has a sign.
        received: (head, token) mean weight over all queries; 1/N is an even share.
        output: (token, feature) what comes out of the layer.
        rows: of the grid.
        columns: of the grid.
        prefix: how many leading tokens lie nowhere.
        classes: the names of the answers.
        probabilities: (class,) the model's answer, 0..1.
        label: the true class, if it is known.
        origin: software version, model, recipe, seed, digest, image, address: stands in every export.
        ink: whether the edge of the ink is drawn on the maps (it is for drawn digits).
        background: uint8 (row, column, 1 or 3), drawn instead of `picture`, at its own resolution.
        projection, readout, of_heads, logit: how the answer is read out of the layer's output, as in
            `attnviz.measures.readout.Readout`, so that the browser can compute what a pair adds to the answer; all
            None for a model where that is no sum.
        before, own, added, scale, eps: where the layer ends in ReLU and a layer normalisation, so that the browser can
            compute what a pair changes in the output: (token, feature) what enters ReLU; the part of it that comes from
            the token itself; (head, token, feature) what a key would add to it if its weight were 1; (feature,) the
            scale of the norm; and what the norm adds to the variance. All None where the projection is the output.
        boxes: where the tokens' boxes lie on `background`, as `Grid.boxes` says; None where they are its pixels, or lie
            side by side and cover it.
        unit: what a token is called: "pixel", "box", "block".
    """

    picture: np.ndarray
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    log_normaliser: np.ndarray
    carried: np.ndarray
    carried_signed: bool
    received: np.ndarray
    output: np.ndarray
    rows: int
    columns: int
    prefix: int
    classes: tuple[str, ...]
    probabilities: np.ndarray
    label: str | None = None
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    ink: bool = True
    background: np.ndarray | None = None
    projection: np.ndarray | None = None
    readout: np.ndarray | None = None
    of_heads: np.ndarray | None = None
    logit: float | None = None
    before: np.ndarray | None = None
    own: np.ndarray | None = None
    added: np.ndarray | None = None
    scale: np.ndarray | None = None
    eps: float | None = None
    boxes: Sequence[float] | None = None
    unit: str = "pixel"

    def __post_init__(self) -> None:
        import numpy as np

        tokens = self.prefix + self.rows * self.columns
        if self.query.ndim != 3:
            raise BadInput(f"query: expected (head, token, size), got the shape {self.query.shape}.")
        heads, _, size = self.query.shape
        expected: dict[str, tuple[int, ...]] = {
            "picture": (self.rows, self.columns),
            "query": (heads, tokens, size),
            "key": (heads, tokens, size),
            "value": (heads, tokens, self.value.shape[-1]),
            "log_normaliser": (heads, tokens),
            "carried": (heads, tokens),
            "received": (heads, tokens),
            "output": (tokens, self.output.shape[-1]),
            "probabilities": (len(self.classes),),
        }
        given = [getattr(self, name) is not None for name in (*OF_READOUT, "logit")]
        if any(given):
            if not all(given):
                raise BadInput("projection, readout, of_heads and logit belong together: give all of them, or none.")
            features = self.output.shape[-1]
            expected["projection"] = (features, heads, self.value.shape[-1])
            expected["readout"] = (tokens, features)
            expected["of_heads"] = (heads,)
        ends = [getattr(self, name) is not None for name in (*OF_END, "eps")]
        if any(ends):
            if not all(ends):
                raise BadInput("before, own, added, scale and eps belong together: give all of them, or none.")
            features = self.output.shape[-1]
            expected |= {"before": (tokens, features), "own": (tokens, features), "scale": (features,)}
            expected["added"] = (heads, tokens, features)
        for name, shape in expected.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != np.float64:
                raise BadInput(f"{name}: expected float64 of the shape {shape}, got {array.dtype} of {array.shape}.")
        picture = self.background
        if picture is not None and (picture.ndim != 3 or picture.shape[2] not in (1, 3) or picture.dtype != np.uint8):
            found = f"{picture.dtype} of {picture.shape}"
            raise BadInput(f"background: expected uint8 of the shape (row, column, 1 or 3), got {found}.")
        if self.boxes is not None and (picture is None or len(self.boxes) != 6):
            raise BadInput(f"boxes: expected six numbers and a background that they lie on, got {self.boxes}.")


def pixel_viewer(
    view: AttentionView | bytes,
    *,
    key: str,
    state: Mapping[str, Any] | None = None,
    asked: Mapping[str, Any] | None = None,
    plain: bool = False,
    on_change: Callable[[], None] | None = None,
) -> dict[str, Any] | None:
    """Draw the viewer.

    Args:
        view: what to look at; or what `packed` returned for it.
        key: the component's name in this page; keep it fixed, so that what the visitor locked survives a new picture.
        state: the view that the URL asks for; fields may be missing (the default) or nonsense (the default, and a
            visible sentence). None leaves the visitor's own view as it is.
        asked: how the Jacobian is asked for, from `jacobian_map.asked`; None offers no switch to it.
        plain: without the controls, the exports and the maps of query, key and value: for a first look.
        on_change: called when a view has settled (lock, release, a control), before the page runs again; `settled_view`
            gives it there. Never called while the pointer only moves.

    Returns:
        The view that has settled last, all fields filled; None before the first time.
    """
    return url_view.draw(
        "pixel_viewer",
        view if isinstance(view, bytes) else packed(view),
        FIELDS,
        key=key,
        state=state,
        on_change=on_change,
        plain=plain,
        asked=None if asked is None else dict(asked),
    )


def packed(view: AttentionView) -> bytes:
    """Return a view as the browser gets it, each distinct token once."""
    first, place = distinct(view)
    arrays = {
        "picture": view.picture,
        "place": place,
        **{name: getattr(view, name)[:, first] for name in OF_TOKENS},
        "output": view.output,
        "probabilities": view.probabilities,
    }
    if view.background is not None:
        arrays["background"] = view.background
    arrays |= {name: getattr(view, name) for name in (*OF_READOUT, *OF_END) if getattr(view, name) is not None}
    header = {
        "rows": view.rows,
        "columns": view.columns,
        "prefix": view.prefix,
        "classes": list(view.classes),
        "label": view.label,
        "origin": dict(view.origin),
        "ink": view.ink,
        "carried_signed": view.carried_signed,
        "logit": view.logit,
        "boxes": None if view.boxes is None else [*view.boxes],
        "unit": view.unit,
        **({} if view.eps is None else {"eps": view.eps}),
    }
    return pack(header, arrays)


def unpacked(data: bytes) -> AttentionView:
    """Return the view that `packed` made these bytes from, or that a `View` has made of them."""
    header, arrays = unpack(data)
    header.pop("request", None)
    place = arrays.pop("place")
    for name in OF_TOKENS:
        arrays[name] = arrays[name][:, place]
    fields: dict[str, Any] = {**header, "classes": tuple(header["classes"]), **arrays}
    return AttentionView(**fields)


def distinct(view: AttentionView) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Find the distinct tokens: equal ones are sent to the browser only once, which for some models is a tenth of all.

    As `attnviz.equal_tokens.distinct`, but without torch, which the first page that shows a viewer has not yet loaded.

    Returns:
        (distinct,): the first token of each kind. (token,): the place of each token's kind in it.
    """
    import numpy as np

    rows = np.concatenate([getattr(view, name).reshape(*view.query.shape[:2], -1) for name in OF_TOKENS], 2)
    rows = np.ascontiguousarray(rows.transpose(1, 0, 2))  # (token, head, numbers)
    kinds: dict[bytes, int] = {}
    place = np.array([kinds.setdefault(row.tobytes(), len(kinds)) for row in rows], np.int32)
    return np.unique(place, return_index=True)[1].astype(np.int32), place
