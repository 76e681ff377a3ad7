"""A single declaration of a component's data, from which packing, reading, checks and the JavaScript type follow.

    @dataclass(frozen=True, eq=False)
    class Maps(Payload):
        maps: Annotated[Array, Axes("head row column")]
        received: Annotated[Array, Axes("head token")]
        unit: str = "pixel"

Axes of the same name have the same size. Fields other than arrays are plain JSON in the header. A field may also be a
payload itself, or a tuple of payloads; its arrays are then named FIELD.ARRAY, or INDEX.ARRAY. Importing loads no numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

from attnviz.errors import BadInput
from attnviz.views.payload import pack, unpack

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray
else:
    Array = object  # importing numpy takes a tenth of a second, and the home page draws a viewer before it is loaded

FLOATS = ("float64", "float32")


@dataclass(frozen=True)
class Axes:
    """The meaning of an array's axes.

    Args:
        words: a word for each axis; "..." for any axes.
        dtypes: the allowed dtypes.
        sent: the dtype for transfer; None for the array's own.
    """

    words: str
    dtypes: tuple[str, ...] = ("float64",)
    sent: str | None = None


class Payload:
    """The base of frozen dataclasses whose fields declare the data of a component."""

    together: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of fields that are given all together or not at all."""
    following: ClassVar[tuple[str, ...]] = ()
    """The keys that `facts` adds to the header."""

    def __post_init__(self) -> None:
        """Check the dtypes of arrays, and that axes of one name have one size."""
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
            shape = array.shape if words == ["..."] else tuple(sizes.get(word, word) for word in words)
            if array.shape != shape or array.dtype.name not in axes.dtypes:
                expected = f"{' or '.join(axes.dtypes)} of the shape ({', '.join(map(str, shape))})"
                raise BadInput(f"{name}: expected {expected}, got {array.dtype} of {array.shape}.")

    def sizes(self) -> dict[str, int]:
        """Return the sizes of the axes that follow from fields other than arrays."""
        return {}

    def packed(self) -> bytes:
        """Return the bytes for the browser."""
        return pack(*self.split())

    def split(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the header and the arrays, without groups of fields that are not given."""
        known = arrays_of(type(self))
        absent = {name for names in self.together for name in names if getattr(self, name) is None}
        header: dict[str, Any] = {}
        inner: dict[str, Array] = {}
        for name in _hints(type(self)):
            value = getattr(self, name)
            if name in known or name in absent:
                continue
            if isinstance(value, Payload):
                header[name], arrays = value.split()
                inner |= {f"{name}.{one}": array for one, array in arrays.items()}
            elif isinstance(value, tuple | list) and value and isinstance(value[0], Payload):
                rows = [row.split() for row in value]
                header[name] = [row for row, _ in rows]
                inner |= {f"{at}.{one}": array for at, (_, arrays) in enumerate(rows) for one, array in arrays.items()}
            else:
                header[name] = _plain(value)
        own = self.to_wire({name: value for name in known if (value := getattr(self, name)) is not None})
        sent = {name: known[name].sent for name in own if name in known}
        own = {name: array.astype(kind) if (kind := sent.get(name)) else array for name, array in own.items()}
        return {**header, **self.facts()}, own | inner

    @classmethod
    def unpacked(cls, data: bytes) -> Self:
        """Return the payload that `packed` wrote, if it contains no other one. Keys that a page added are dropped."""
        header, arrays = unpack(data)
        hints = _hints(cls)
        plain = {name: _tuples(value) if _is_tuple(hints[name]) else value for name, value in header.items()
                 if name in hints}  # fmt: skip
        return cls(**plain, **cls.from_wire(arrays))

    def facts(self) -> dict[str, Any]:
        """Return the entries of the header that follow from the fields."""
        return {}

    def to_wire(self, arrays: dict[str, Array]) -> dict[str, Array]:
        """Return the arrays in the form for transfer, by default unchanged."""
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
    """Return the type of a payload for JavaScript, which `npm run types` checks."""
    plain = [f"    {name}: {_in_typescript(hint)};" for name, hint in _hints(payload).items() if not _axes(hint)]
    plain += [f"    {name}: any; // follows from the fields" for name in payload.following]
    parts = {"header": plain, "arrays": [*_arrays(payload)]}
    lines = [
        line
        for name, inner in parts.items()
        for line in ([f"  {name}: {{", *inner, "  };"] if inner else [f"  {name}: {{}};"])
    ]
    return "\n".join([f"interface {payload.__name__} {{", *lines, "}"])


def _arrays(payload: type[Payload], before: str = "") -> Iterator[str]:
    optional = {one.name for one in fields(payload) if one.default is None}  # type: ignore[arg-type]
    for name, hint in _hints(payload).items():
        axes, row, part = _axes(hint), _row(hint), _part(hint)
        if axes:
            key = f"[name: `{before}{name}`]" if "$" in before else f'"{before}{name}"' if before else name
            mark = "?" if name in optional and "$" not in before else ""
            yield f"    {key}{mark}: {_view(axes)}; // {axes.words.replace(' ', ', ')}"
        elif row:
            yield from _arrays(row, "${number}.")
        elif part:
            yield from _arrays(part, f"{before}{name}.")


def _hints(payload: type[Payload]) -> dict[str, Any]:
    if payload in _known:
        return _known[payload]
    hints = get_type_hints(payload, include_extras=True)
    return _known.setdefault(payload, {one.name: hints[one.name] for one in fields(payload)})  # type: ignore[arg-type]


_known: dict[type, dict[str, Any]] = {}


def _axes(hint: Any) -> Axes | None:
    found = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((one for one in found if isinstance(one, Axes)), None)


def _row(hint: Any) -> type[Payload] | None:
    """Return the payload type of a field that is a tuple of payloads, else None."""
    return _part(get_args(hint)[0]) if _is_tuple(hint) else None


def _part(hint: Any) -> type[Payload] | None:
    """Return the payload type of a field that is a payload and is given, else None."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return next((one for one in kinds if isinstance(one, type) and issubclass(one, Payload)), None)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _is_tuple(hint: Any) -> bool:
    return get_origin(hint) is tuple


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else [*value] if isinstance(value, tuple | list) else value


def _view(axes: Axes) -> str:
    names = {"float64": "Float64Array", "float32": "Float32Array", "int32": "Int32Array", "uint8": "Uint8Array"}
    return " | ".join(names[dtype] for dtype in ([axes.sent] if axes.sent else axes.dtypes))


def _in_typescript(hint: Any) -> str:
    if isinstance(hint, UnionType):
        return " | ".join(map(_in_typescript, get_args(hint)))
    origin, parts = get_origin(hint), get_args(hint)
    if part := _part(hint):
        return f'{part.__name__}["header"]'
    if hint is Any:
        return "any"
    if get_origin(hint) is Literal:
        return " | ".join(f'"{one}"' for one in parts)
    if origin is None:
        return {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}[hint]
    if issubclass(origin, Mapping):
        return f"Record<string, {_in_typescript(parts[1])}>"
    if issubclass(origin, tuple) and parts[-1] is not Ellipsis:
        return f"[{', '.join(map(_in_typescript, parts))}]"
    return f"({_in_typescript(parts[0])})[]" if isinstance(parts[0], UnionType) else f"{_in_typescript(parts[0])}[]"
