"""Requests to the live channel (attnviz/ui/live/channel.py): each is one message, validated strictly.

A request is a payload (attnviz/views/payload.py). Its header:

    {"number": 12,                                        numbers the requests of a visitor; every answer repeats it
     "pictures": [{"data": "strokes", "number": 3}],      test pictures by name; or an array "pictures", uint8
                                                          (row, column, channel) or (picture, row, column, channel)
     "asks": [{"checkpoint": "pixel_attention.1v8",       one answer each, in this order
               "edits": [{"edit": "scale", "address": "attention.mixed", "index": {"head": [1, 3]}, "factor": 0.5},
                         {"edit": "off", "address": "attention.mixed", "index": {"head": 4}},
                         {"edit": "uniform", "address": "attention.mixed", "index": {"head": 5}},
                         {"edit": "set", "address": "attention.mixed", "index": {"head": 6}, "value": 0.5},
                         {"edit": "set", "address": "...", "array": "grid"}],         an array of the payload
               "seed": 0,                                    of everything that the model draws at random; without it,
                                                             the model draws nothing and takes the mean instead
               "wanted": {"row": {"address": "attention.weights", "index": {"head": 3, "query": 17}},
                          "ink": {"derived": "mean_row", "parameters": {"layer": "attention", "head": 3}},
                          "sum": {"derived": "added_by_pixel"}}}]}

An index names a part: axis -> a number, counted from 0, or several numbers in an edit. The opener of the channel
determines which derived values exist (attnviz/ui/derived_values.py).

With "prepare": {"centred": true} the array "pictures" is one canvas, uint8 (row, column, channel), 0 is background;
each model receives the result of the preparation that its `Input` names.
"""

import json
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, PrivateAttr, Tag, ValidationError
from pydantic_core import PydanticCustomError

from attnviz.data import inputs
from attnviz.data.inputs import Prepared
from attnviz.errors import BadInput
from attnviz.models import Input
from attnviz.recipes.recipe import Strict
from attnviz.subjects import EXAMPLES
from attnviz.ui.live import wrong
from attnviz.ui.live.derived import Address, Derived, Index, View
from attnviz.ui.live.wrong import RESERVED
from attnviz.views.payload import unpack

MESSAGE = 1 << 20  # bytes of a request: 784 variants of a digit take 0.6 million
HEADER = 1 << 16  # bytes of its header, which is parsed while everyone else waits
PICTURES, ASKS, EDITS, WANTED = 64, 32, 256, 64  # maximum numbers in a request, or in one of its asks
PIXELS = 1 << 18  # pixels of all pictures together
WORD = 4210  # characters of an example's URL word; the longest are drawings
LARGEST_NUMBER = 2**53 - 1  # JavaScript's largest exact integer
LARGEST_VALUE = float(np.finfo(np.float32).max)  # models compute in float32

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")]
NetKey = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,199}$")]
Value = Annotated[float, Field(ge=-LARGEST_VALUE, le=LARGEST_VALUE, allow_inf_nan=False)]
Indices = Annotated[
    list[Index],
    Field(min_length=1, max_length=4096),
    BeforeValidator(lambda given: [given] if type(given) is int else given),
]


def _of_a_kind(data: str) -> str:
    kind, colon, _ = data.partition(":")
    if colon and kind not in EXAMPLES:
        raise PydanticCustomError("string_pattern_mismatch", "no kind of example")
    return data


class Picture(Strict):
    """An example by name: a data set and a number, or KIND:WORD and the number 0 for an example of another kind.

    A word may be the name of a file.
    """

    data: Annotated[
        str,
        Field(pattern=rf"^[A-Za-z0-9_][A-Za-z0-9_.-]{{0,99}}(:[^\x00-\x1f\x7f]{{1,{WORD}}})?$"),
        AfterValidator(_of_a_kind),
    ]
    number: Annotated[int, Field(ge=0)]


class Scale(Strict):
    """Multiply a part by a number."""

    edit: Literal["scale"]
    address: Address
    index: dict[str, Indices] = {}
    factor: Value


class Put(Strict):
    """Set a part to a number, or to an array of the payload over its last axes."""

    edit: Literal["set"]
    address: Address
    index: dict[str, Indices] = {}
    value: Value | None = None
    array: Name | None = None


class Off(Strict):
    """Set a part to 0."""

    edit: Literal["off"]
    address: Address
    index: dict[str, Indices] = {}


class Uniform(Strict):
    """Make a part of an attention layer attend to all tokens equally; the path is that of its tap "mixed"."""

    edit: Literal["uniform"]
    address: Address
    index: dict[str, Indices] = {}


class Part(Strict):
    """Return a tap, or the part of it that an index names."""

    address: Address
    index: dict[str, Index] = {}


Find = Callable[[str], Derived[Any] | View[Any]]
"""Returns the derived value or view of a name; raises UnknownName if there is none."""


class DerivedWanted(Strict):
    """Return a derived value, or a view."""

    derived: Name
    parameters: dict[str, Any] = {}
    _find: Find | None = PrivateAttr(None)

    def found_by(self, find: Find) -> None:
        """Set the lookup, which is called when the ask is answered, so that an error affects only that ask."""
        self._find = find

    @cached_property
    def row(self) -> Derived[Any] | View[Any]:
        """The derived value or the view of that name."""
        assert self._find is not None, "a request that is read knows how its derived values are found"
        return self._find(self.derived)

    @property
    def values(self) -> Derived[Any]:
        """The derived value of that name, which is not a view."""
        assert isinstance(self.row, Derived)
        return self.row

    @cached_property
    def given(self) -> Strict:
        """Its parameters, validated."""
        try:
            read: Strict = self.row.parameters.model_validate(self.parameters, strict=True)
        except ValidationError as error:
            raise BadInput(
                f"The parameters of {self.derived} cannot be used: {wrong.first(error, self.parameters)}"
            ) from error
        return read


PART, DERIVED = "a part", "a derived value"  # discriminator tags, never part of a request; see `_first`


def _kind(wanted: Any) -> str:
    return DERIVED if isinstance(wanted, dict) and "derived" in wanted else PART


Wanted = Annotated[
    Annotated[Part, Tag(PART)] | Annotated[DerivedWanted, Tag(DERIVED)],
    Discriminator(_kind),
]
Edit = Annotated[Scale | Put | Off | Uniform, Field(discriminator="edit")]


def _not_reserved(name: str) -> str:
    if name in RESERVED:
        raise ValueError
    return name


WantedName = Annotated[Name, AfterValidator(_not_reserved)]


class Ask(Strict):
    """A request to one model, for one answer."""

    checkpoint: NetKey
    seed: Annotated[int, Field(ge=0, le=LARGEST_NUMBER)] | None = None
    edits: Annotated[list[Edit], Field(max_length=EDITS)] = []
    wanted: Annotated[dict[WantedName, Wanted], Field(max_length=WANTED)] = {}


class Prepare(Strict):
    """The preparation of a canvas for the models: cut out, scaled and centred, or only scaled."""

    centred: bool


class Head(Strict):
    """The header of a request."""

    number: Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]
    pictures: Annotated[list[Picture], Field(min_length=1, max_length=PICTURES)] | None = None
    prepare: Prepare | None = None
    asks: Annotated[list[Ask], Field(min_length=1, max_length=ASKS)]


class Request(Strict, arbitrary_types_allowed=True):
    """A valid request: its header, its pictures, uint8 (picture, row, column, channel), unless they are given by name,
    and the other arrays of the payload.
    """

    head: Head
    pictures: np.ndarray | None
    arrays: dict[str, np.ndarray]

    @cached_property
    def _prepared(self) -> "dict[Input, Prepared]":
        return {}

    def prepared(self, shape: "Input") -> "Prepared | None":
        """Return the canvas as prepared for a model, once for each kind of input, or None without a canvas."""
        if self.head.prepare is None or self.pictures is None:
            return None
        if shape not in self._prepared:
            prepare = inputs.named(shape.preparation)
            centred = self.head.prepare.centred
            self._prepared[shape] = prepare(
                self.pictures[0], rows=shape.rows, columns=shape.columns, channels=shape.channels, centred=centred
            )
        return self._prepared[shape]


def read(message: bytes, find: Find) -> Request:
    """Read a request. `find`, which returns the derived value of a name, is called when an ask is answered, so that an
    unknown name affects only that ask.
    """
    if len(message) > MESSAGE:
        raise BadInput(f"A request may have at most {MESSAGE:,} bytes; this one has {len(message):,}.")
    if _header_length(message) > HEADER:
        length = _header_length(message)
        raise BadInput(f"The header of a request may have at most {HEADER:,} bytes; this one has {length:,}.")
    try:
        header, arrays = unpack(message)
    except (ArithmeticError, RecursionError) as error:
        raise BadInput(
            "These bytes are not a payload of attnviz: a number in them is too large, or they are nested too deeply."
        ) from error
    try:
        head = Head.model_validate(header, strict=True)
    except ValidationError as error:
        raise BadInput(f"This request cannot be used: {wrong.first(error, header)}") from error
    pictures = arrays.pop("pictures", None)
    if (pictures is None) == (head.pictures is None):
        raise BadInput('A request has either named "pictures" in its header or an array "pictures".')
    if head.prepare is not None and (pictures is None or pictures.ndim != 3 or pictures.shape[2] not in (1, 3)):
        given = "pictures by name" if pictures is None else f"{pictures.shape}"
        raise BadInput(f'"prepare" takes one canvas in the array "pictures", (row, column, 1 or 3); this is {given}.')
    values = [edit for ask in head.asks for edit in ask.edits if isinstance(edit, Put)]
    for edit in values:
        _check_value(edit, arrays)
    for name in {edit.array for edit in values if edit.array is not None}:
        _check_finite(name, arrays[name])
    for ask in head.asks:
        for wanted in ask.wanted.values():
            if isinstance(wanted, DerivedWanted):
                wanted.found_by(find)
    return Request(head=head, pictures=None if pictures is None else _checked(pictures), arrays=arrays)


def number_of(message: bytes) -> int | None:
    """Return the number of a request even if the rest is invalid, or None if it cannot be read."""
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
        raise BadInput(f"The payload has no array {edit.array!r} for the edit of {edit.address}.")


def _check_finite(name: str, values: np.ndarray) -> None:
    with np.errstate(over="ignore"):  # values that overflow are refused
        single = values.astype(np.float32)
    if not np.isfinite(single).all():
        raise BadInput(f"The array {name!r} holds values that are not finite numbers in single precision.")


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
