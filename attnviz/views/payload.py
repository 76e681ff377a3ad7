"""Many arrays and a header as one string of bytes, which a component receives and its browser side reads.

    bytes 0-3        length of the header, unsigned, little-endian
        the header       JSON in UTF-8, padded with spaces so that the arrays start at a multiple of 8
    the arrays       each little-endian, row by row, starting at a multiple of 8

The header also contains "arrays": {name: {"dtype", "shape", "offset"}}, with offsets from the end of the header.
`frontend/core/payload.js` is the counterpart of this file.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput

if TYPE_CHECKING:
    import numpy as np

DTYPES = ("float64", "float32", "int32", "uint8")
ALIGNMENT = 8
DIMENSIONS = 8  # maximum number of dimensions of an array that is read
LARGEST = 2**31 - 1  # maximum size of an axis, and maximum offset in bytes


def pack(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Write a header and named arrays as one string of bytes.

    Args:
        header: plain JSON values; no NaN or infinity, no key "arrays".
        arrays: name -> array of any shape, of float64, float32, int32 or uint8 (NaN and infinity are allowed here).

    Returns:
        The bytes, which `unpack` and `frontend/core/payload.js` read.
    """
    table: dict[str, dict[str, Any]] = {}
    blocks: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        if array.dtype.name not in DTYPES:
            raise BadInput(f"The array {name!r} has the type {array.dtype}; expected one of {', '.join(DTYPES)}.")
        block = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()  # row by row, whatever its layout
        table[name] = {"dtype": array.dtype.name, "shape": list(array.shape), "offset": offset}
        blocks.append(block + bytes(-len(block) % ALIGNMENT))
        offset += len(blocks[-1])
    if "arrays" in header:
        raise BadInput("The header has a key 'arrays' of its own; that name belongs to the table of arrays.")
    return _joined({**header, "arrays": table}, blocks)


def with_header(data: bytes, **changes: Any) -> bytes:
    """Return a payload with changed or added entries in its header, and the same arrays. Does not load numpy."""
    header, start = _split(data)
    return _joined({**header, **changes}, [data[start:]])


def header_of(data: bytes) -> dict[str, Any]:
    """Return the header of a payload, including its table of arrays. Does not load numpy."""
    return _split(data)[0]


def _joined(header: dict[str, Any], blocks: list[bytes]) -> bytes:
    try:
        text = json.dumps(header, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise BadInput(f"The header cannot be written as JSON: {error}.") from error
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    return b"".join([len(text).to_bytes(4, "little"), text, *blocks])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header of bytes from `pack`, without its table of arrays, and name -> array, a read-only view of
    `data`. BadInput if the bytes are truncated or are not from `pack`.
    """
    header, start = _split(data)
    table = header.pop("arrays")
    return header, {name: _view(name, data, start, entry) for name, entry in table.items()}


def _split(data: bytes) -> tuple[dict[str, Any], int]:
    """Return the header including its table of arrays, and the offset of the arrays."""
    start = 4 + int.from_bytes(data[:4], "little")
    if len(data) < max(4, start):
        raise BadInput(f"The payload is truncated: expected at least {max(4, start)} bytes, got {len(data)}.")
    try:
        header = json.loads(data[4:start])
    except (ValueError, RecursionError) as error:
        raise BadInput("These bytes are not a payload of attnviz: the header is not JSON.") from error
    if not isinstance(header, dict) or not isinstance(header.get("arrays"), dict):
        raise BadInput('These bytes are not a payload of attnviz: the header has no table "arrays".')
    return header, start


def _view(name: str, data: bytes, start: int, entry: Any) -> np.ndarray:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "offset"}:
        raise BadInput(f"The array {name!r} needs dtype, shape and offset in its table, and nothing else.")
    dtype, shape, offset = entry["dtype"], entry["shape"], entry["offset"]
    if dtype not in DTYPES:
        raise BadInput(f"The array {name!r} has the type {dtype!r}; expected one of {', '.join(DTYPES)}.")
    if not isinstance(shape, list) or len(shape) > DIMENSIONS or not all(_is_size(size) for size in (*shape, offset)):
        raise BadInput(
            f"The array {name!r} needs a shape of up to {DIMENSIONS} whole numbers and an offset, 0 to {LARGEST:,}."
        )
    import numpy as np

    kind = np.dtype(dtype).newbyteorder("<")
    count = math.prod(shape)
    end = start + offset + count * kind.itemsize
    span = math.prod(max(size, 1) for size in shape) * kind.itemsize  # as NumPy counts, even if a size is 0
    if end > len(data) or span > LARGEST:
        raise BadInput(f"The payload is truncated: the array {name!r} ends at byte {end} of {len(data)}.")
    return np.frombuffer(data, kind, count, start + offset).reshape(shape)


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST
