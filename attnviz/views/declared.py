"""One declaration of what a component receives: packing, reading, checks and the type for JavaScript follow from it.

    @dataclass(frozen=True, eq=False)
    class Maps(Payload):
        maps: Annotated[Array, Axes("head row column")]
        received: Annotated[Array, Axes("head token")]
        unit: str = "pixel"

Axes of the same name have the same size. What is no array is plain JSON and stands in the header. Loads no numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias, get_args, get_origin, get_type_hints

from attnviz.errors import BadInput
from attnviz.views.payload import pack, unpack

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray
else:
    Array = object  # numpy takes a tenth of a second, and the home page draws a viewer before that

ADDED = ("request", "fields", "state", "plain", "asked")  # to a header, by whoever draws the component


@dataclass(frozen=True)
class Axes:
    """What the axes of an array mean.

    Args:
        words: a word for each axis.
        dtypes: which one of them its numbers have.
    """

    words: str
    dtypes: tuple[str, ...] = ("float64",)


class Payload:
    """What a component receives: the base of a frozen dataclass whose fields say all of it."""

    together: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Names of fields of which all are given, or none."""

    def __post_init__(self) -> None:
        """Check the arrays.

        Raises:
            BadInput: an array has another type, or an axis another size than the axis of that name elsewhere.
        """
        for names in self.together:
            given = [getattr(self, name) is not None for name in names]
            if any(given) and not all(given):
                raise BadInput(f"{', '.join(names[:-1])} and {names[-1]} belong together: give all of them, or none.")
        sizes = self.sizes()
        for name, axes in arrays_of(type(self)).items():
            array, words = getattr(self, name), axes.words.split()
            if array is None:
                continue
            if array.ndim == len(words):
                sizes = {**dict(zip(words, array.shape, strict=True)), **sizes}
            shape = tuple(sizes.get(word, word) for word in words)
            if array.shape != shape or array.dtype.name not in axes.dtypes:
                expected = f"{' or '.join(axes.dtypes)} of the shape ({', '.join(map(str, shape))})"
                raise BadInput(f"{name}: expected {expected}, got {array.dtype} of {array.shape}.")

    def sizes(self) -> dict[str, int]:
        """Return the sizes of the axes that follow from what is no array."""
        return {}

    def packed(self) -> bytes:
        """Return it as the browser receives it; what belongs together and is not given is left out."""
        arrays = arrays_of(type(self))
        absent = {name for names in self.together for name in names if getattr(self, name) is None}
        plain = (one.name for one in fields(self) if one.name not in {*arrays, *absent})  # type: ignore[arg-type]
        header = {name: _plain(getattr(self, name)) for name in plain}
        return pack(
            header, self.to_wire({name: value for name in arrays if (value := getattr(self, name)) is not None})
        )

    @classmethod
    def unpacked(cls, data: bytes) -> Self:
        """Return what `packed` made these bytes from; what a page has added to the header is left out.

        Raises:
            BadInput: the bytes are no such payload.
        """
        header, arrays = unpack(data)
        hints = _hints(cls)
        plain = {name: tuple(value) if _is_tuple(hints[name]) else value for name, value in header.items()
                 if name not in ADDED}  # fmt: skip
        return cls(**plain, **cls.from_wire(arrays))

    def to_wire(self, arrays: dict[str, Array]) -> dict[str, Array]:
        """Return the arrays as they travel; by default as they are."""
        return arrays

    @classmethod
    def from_wire(cls, arrays: dict[str, Array]) -> dict[str, Array]:
        """Undo `to_wire`."""
        return arrays


def arrays_of(payload: type[Payload]) -> dict[str, Axes]:
    """Return the arrays of a payload: name -> axes."""
    found = {name: _axes(hint) for name, hint in _hints(payload).items()}
    return {name: axes for name, axes in found.items() if axes is not None}


def typescript(payload: type[Payload]) -> str:
    """Return the type of a payload for JavaScript, as `npm run types` reads it."""
    hints, optional = _hints(payload), {one.name for one in fields(payload) if one.default is None}  # type: ignore[arg-type]
    arrays = arrays_of(payload)
    plain = [f"    {name}: {_in_typescript(hint)};" for name, hint in hints.items() if name not in arrays]
    lines = [
        f"    {name}{'?' if name in optional else ''}: {_view(axes)}; // {axes.words.replace(' ', ', ')}"
        for name, axes in arrays.items()
    ]
    return "\n".join(
        [f"interface {payload.__name__} {{", "  header: {", *plain, "  };", "  arrays: {", *lines, "  };", "}"]
    )


def _hints(payload: type[Payload]) -> dict[str, Any]:
    if payload in _known:
        return _known[payload]
    hints = get_type_hints(payload, include_extras=True)
    return _known.setdefault(payload, {one.name: hints[one.name] for one in fields(payload)})  # type: ignore[arg-type]


_known: dict[type, dict[str, Any]] = {}


def _axes(hint: Any) -> Axes | None:
    found = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((one for one in found if isinstance(one, Axes)), None)


def _is_tuple(hint: Any) -> bool:
    return get_origin(hint) is tuple


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else [*value] if isinstance(value, tuple | list) else value


def _view(axes: Axes) -> str:
    names = {"float64": "Float64Array", "float32": "Float32Array", "int32": "Int32Array", "uint8": "Uint8Array"}
    return " | ".join(names[dtype] for dtype in axes.dtypes)


def _in_typescript(hint: Any) -> str:
    if isinstance(hint, UnionType):
        return " | ".join(map(_in_typescript, get_args(hint)))
    origin, parts = get_origin(hint), get_args(hint)
    if origin is None:
        return {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}[hint]
    if issubclass(origin, Mapping):
        return f"Record<string, {_in_typescript(parts[1])}>"
    return f"({_in_typescript(parts[0])})[]" if isinstance(parts[0], UnionType) else f"{_in_typescript(parts[0])}[]"
