"""What a visitor may ask over the live channel (attnviz/ui/live.py): one message, read strictly.

A request is a payload (attnviz/ui/payload.py). Its header:

    {"number": 12,                                        counts the requests of a visitor; every answer repeats it
     "pictures": [{"data": "strokes", "number": 3}],      test pictures by name; or an array "pictures", uint8
                                                          (row, column, channel) or (picture, row, column, channel)
     "asks": [{"checkpoint": "pixel_attention.1v8",       one answer each, in this order
               "edits": [{"edit": "scale", "address": "attention.mixed", "index": {"head": [1, 3]}, "factor": 0.5},
                         {"edit": "off", "address": "attention.mixed", "index": {"head": 4}},
                         {"edit": "uniform", "address": "attention.mixed", "index": {"head": 5}},
                         {"edit": "set", "address": "attention.mixed", "index": {"head": 6}, "value": 0.5},
                         {"edit": "set", "address": "...", "array": "grid"}],         an array of the payload
               "wanted": {"row": {"address": "attention.weights", "index": {"head": 3, "query": 17}},
                          "ink": {"address": "attention.weights", "index": {"head": 3}, "mean": "ink"},
                          "sum": {"added": "pixel"}}}]}

An index says which part is meant: axis -> a place, counted from 0; in an edit also several places. `MeanRow` and
`AddedByPixels` say what is computed from taps, or from the model.

With "prepare": {"centred": true} the array "pictures" is one canvas, uint8 (row, column, 1), 0 is paper; the models see
what `attnviz.data.digit` makes of it.
"""

import json
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Discriminator, Field, Tag, ValidationError

from attnviz.data import drawing
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.ui.payload import unpack

if TYPE_CHECKING:
    from attnviz.data.digit import Prepared

MESSAGE = 1 << 20  # bytes of a request: 784 variants of a digit have 0.6 million
HEADER = 1 << 16  # bytes of its header, which is read while everybody else waits
PICTURES, ASKS, EDITS, WANTED = 64, 32, 256, 64  # of each at most so many in a request, or in one of its asks
PIXELS = 1 << 18  # numbers of all pictures together
LARGEST_NUMBER = 2**53 - 1  # that JavaScript counts to

Address = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.]{0,199}$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")]
Place = Annotated[int, Field(ge=0, lt=1 << 31)]
Places = Annotated[
    list[Place],
    Field(min_length=1, max_length=4096),
    BeforeValidator(lambda came: [came] if type(came) is int else came),
]


class Picture(Strict):
    """A test picture by name; of a drawing, which is its own name, there is number 0."""

    data: Annotated[str, Field(pattern=rf"^([A-Za-z0-9_][A-Za-z0-9_.-]{{0,99}}|{drawing.PATTERN})$")]
    number: Annotated[int, Field(ge=0)]


class Scale(Strict):
    """Multiply a part by a number."""

    edit: Literal["scale"]
    address: Address
    index: dict[str, Places] = {}
    factor: float


class Put(Strict):
    """Set a part to a number, or to an array of the payload over its last axes."""

    edit: Literal["set"]
    address: Address
    index: dict[str, Places] = {}
    value: float | None = None
    array: Name | None = None


class Off(Strict):
    """Set a part to 0."""

    edit: Literal["off"]
    address: Address
    index: dict[str, Places] = {}


class Uniform(Strict):
    """Let a part of an attention layer look at all tokens alike; the address is that of its tap "mixed"."""

    edit: Literal["uniform"]
    address: Address
    index: dict[str, Places] = {}


class Part(Strict):
    """A tap is to come back, or the part of it that an index names."""

    address: Address
    index: dict[str, Place] = {}


class MeanRow(Strict):
    """The mean of one head's rows of weights over all queries that have ink, as multiples of an even share.

    It is made of query and key, so that the layer need not spell its weights out. "furthest" is the head that is
    furthest from an even share on a few drawn digits; the header of the answer says which one that is.
    """

    address: Annotated[str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_.]{0,190}\.)?weights$")]
    index: Annotated[dict[Literal["head"], Place | Literal["furthest"]], Field(min_length=1)]
    mean: Literal["ink"]


class AddedByPixels(Strict):
    """What each pixel adds to the answer: of a model whose logits are sums over pixels."""

    added: Literal["pixel"]


def _kind(wanted: Any) -> str:
    return next((word for word in ("mean", "added") if isinstance(wanted, dict) and word in wanted), "part")


Wanted = Annotated[
    Annotated[Part, Tag("part")] | Annotated[MeanRow, Tag("mean")] | Annotated[AddedByPixels, Tag("added")],
    Discriminator(_kind),
]
Edit = Annotated[Scale | Put | Off | Uniform, Field(discriminator="edit")]


class Ask(Strict):
    """What one model is asked: it gets one answer."""

    checkpoint: Name
    edits: Annotated[list[Edit], Field(max_length=EDITS)] = []
    wanted: Annotated[dict[Name, Wanted], Field(max_length=WANTED)] = {}


class Prepare(Strict):
    """What the models see is to be made of a canvas: cut out, scaled and centred, or only scaled."""

    centred: bool


class Head(Strict):
    """The header of a request."""

    number: Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]
    pictures: Annotated[list[Picture], Field(min_length=1, max_length=PICTURES)] | None = None
    prepare: Prepare | None = None
    asks: Annotated[list[Ask], Field(min_length=1, max_length=ASKS)]


class Request(Strict, arbitrary_types_allowed=True):
    """A request that can be answered.

    Args:
        head: what stands in its header.
        pictures: uint8 (picture, row, column, channel), where they did not come by name.
        arrays: the other arrays of the payload.
    """

    head: Head
    pictures: np.ndarray | None
    arrays: dict[str, np.ndarray]

    @cached_property
    def prepared(self) -> "Prepared | None":
        """What the models see of the canvas, made once for all asks; None where pictures are taken as they are.

        Raises:
            BadInput: the canvas is none.
        """
        if self.head.prepare is None or self.pictures is None:
            return None
        from attnviz.data import digit

        return digit.prepare(self.pictures[0, :, :, 0], centred=self.head.prepare.centred)


def read(message: bytes) -> Request:
    """Read a request.

    Raises:
        BadInput: too large, no payload, or it asks for what cannot be asked; says what.
    """
    if len(message) > MESSAGE:
        raise BadInput(f"A request may have {MESSAGE:,} bytes; this one has {len(message):,}.")
    if _header_length(message) > HEADER:
        raise BadInput(f"The header of a request may have {HEADER:,} bytes; this one has {_header_length(message):,}.")
    try:
        header, arrays = unpack(message)
    except (ArithmeticError, RecursionError) as error:
        raise BadInput(
            "These bytes are not a payload of attnviz: a number or a nesting in them is too large."
        ) from error
    try:
        head = Head.model_validate(header, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BadInput(f"This request cannot be used: {place[:200] or 'the header'}: {first['msg']}.") from error
    pictures = arrays.pop("pictures", None)
    if (pictures is None) == (head.pictures is None):
        raise BadInput('A request has either named "pictures" in its header or an array "pictures".')
    if head.prepare is not None and (pictures is None or pictures.ndim != 3 or pictures.shape[2] != 1):
        came = "pictures by name" if pictures is None else f"{pictures.shape}"
        raise BadInput(f'To "prepare" takes one canvas in the array "pictures", (row, column, 1); this is {came}.')
    for ask in head.asks:
        for edit in ask.edits:
            if isinstance(edit, Put):
                _check_value(edit, arrays)
    return Request(head=head, pictures=None if pictures is None else _checked(pictures), arrays=arrays)


def number_of(message: bytes) -> int | None:
    """Return the number of a request, however bad the rest of it is; None where it cannot be read."""
    if _header_length(message) > HEADER:
        return None
    try:
        number: Any = json.loads(message[4 : 4 + _header_length(message)])["number"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return number if type(number) is int and 0 <= number <= LARGEST_NUMBER else None


def _header_length(message: bytes) -> int:
    return int.from_bytes(message[:4], "little")


def _check_value(edit: Put, arrays: dict[str, np.ndarray]) -> None:
    if (edit.value is None) == (edit.array is None):
        raise BadInput(f'The edit "set" of {edit.address} needs either a "value" or the name of an "array".')
    if edit.array is not None and edit.array not in arrays:
        raise BadInput(f"The payload has no array {edit.array!r}, to which {edit.address} is to be set.")
    if edit.array is not None and not np.isfinite(arrays[edit.array]).all():
        raise BadInput(f"The array {edit.array!r} holds values that are not finite numbers.")


def _checked(pictures: np.ndarray) -> np.ndarray:
    several = pictures[None] if pictures.ndim == 3 else pictures
    if pictures.dtype != np.uint8 or several.ndim != 4 or not several.size:
        raise BadInput(
            "The array of pictures must be uint8 (row, column, channel) or (picture, row, column, channel); "
            f"it is {pictures.dtype} {pictures.shape}."
        )
    if len(several) > PICTURES or several.size > PIXELS:
        raise BadInput(
            f"At most {PICTURES} pictures of together {PIXELS:,} numbers can be asked about at once; "
            f"these are {len(several)} of {several.size:,}."
        )
    return several
