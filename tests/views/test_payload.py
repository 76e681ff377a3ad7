"""What is packed comes back; what is no payload, or a cut one, is refused in a sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.errors import BadInput
from attnviz.views.payload import ALIGNMENT, DTYPES, header_of, pack, unpack, with_header

HEADER = {"title": "Größe ∞", "numbers": [1, 2.5, None]}


def arrays_of_all_types() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    return {
        "float64": random.normal(size=(3, 5)),
        "float32": random.normal(size=7).astype(np.float32),
        "int32": np.arange(-3, 4, dtype=np.int32),
        "uint8": np.arange(11, dtype=np.uint8).reshape(11, 1),
        "empty": np.zeros((0, 4)),
        "number": np.array(2.5),
        "strange": np.array([np.nan, np.inf, -np.inf, -0.0]),
    }


def test_round_trip() -> None:
    arrays = arrays_of_all_types()
    header, found = unpack(pack(HEADER, arrays))
    assert header == HEADER
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        np.testing.assert_array_equal(found[name], array)


@given(
    st.dictionaries(st.text(), st.one_of(st.none(), st.integers(-(2**53), 2**53), st.text())),
    st.dictionaries(
        st.text(max_size=5),
        st.tuples(st.sampled_from(DTYPES), st.lists(st.integers(0, 4), max_size=3)),
        max_size=4,
    ),
)
def test_round_trip_of_anything(header: dict, kinds: dict) -> None:
    header.pop("arrays", None)
    arrays = {name: np.ones(shape, dtype) for name, (dtype, shape) in kinds.items()}
    found_header, found = unpack(pack(header, arrays))
    assert found_header == header
    assert {name: (array.dtype.name, list(array.shape)) for name, array in found.items()} == {
        name: (dtype, list(shape)) for name, (dtype, shape) in kinds.items()
    }


def test_arrays_are_aligned_and_little_endian() -> None:
    data = pack(HEADER, {"a": np.zeros(3, np.uint8), "b": np.array([1.0], ">f8")})
    length = int.from_bytes(data[:4], "little")
    assert (4 + length) % ALIGNMENT == 0
    assert np.frombuffer(data, "<f8", 1, 4 + length + ALIGNMENT)[0] == 1.0


def test_an_array_that_is_not_contiguous_keeps_its_order() -> None:
    array = np.arange(12.0).reshape(3, 4).T[::2]
    np.testing.assert_array_equal(unpack(pack({}, {"a": array}))[1]["a"], array)


@pytest.mark.parametrize("bad", [{"x": float("nan")}, {"x": float("inf")}, {"x": object()}, {"arrays": 1}])
def test_a_header_that_json_cannot_say_is_refused(bad: dict) -> None:
    with pytest.raises(BadInput, match="header"):
        pack(bad, {})


@pytest.mark.parametrize("dtype", [np.float16, np.int64, bool, complex, "U3"])
def test_other_types_are_refused(dtype: object) -> None:
    with pytest.raises(BadInput, match="'a' has the type .*; expected one of float64"):
        pack({}, {"a": np.zeros(2, dtype)})


def test_every_cut_is_noticed() -> None:
    data = pack(HEADER, {"a": np.ones(3), "b": np.ones(5, np.float32)[:4]})
    for length in range(len(data)):
        with pytest.raises(BadInput):
            unpack(data[:length])


@given(st.binary(max_size=200))
def test_foreign_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        unpack(data)


@pytest.mark.parametrize(
    "text",
    [b"{}", b"[]", b'{"arrays": {"a": {"dtype": "float64", "shape": [-1], "offset": 0}}}',
     b'{"arrays": {"a": {"dtype": "object", "shape": [1], "offset": 0}}}',
     b'{"arrays": {"a": {"dtype": "uint8", "shape": [1], "offset": -9}}}',
     b'{"arrays": {"a": {"dtype": "uint8", "shape": [1]}}}',
     b'{"arrays": {"a": {"dtype": "uint8", "shape": [1.0], "offset": 0}}}',
     b'{"arrays": {"a": {"dtype": "uint8", "shape": [true], "offset": 0}}}',
     b'{"arrays": {"a": {"dtype": "uint8", "shape": 5, "offset": 0}}}',
     b'{"arrays": {"a": {"dtype": ["uint8"], "shape": [1], "offset": 0}}}',
     b'{"arrays": {"a": {"dtype": "uint8", "shape": [-1, -1], "offset": 0}}}',
     b'{"arrays": {"a": {"dtype": "uint8", "shape": [0, 4294967295, 4294967295, 4294967295], "offset": 0}}}',
     b'{"arrays": {"a": {"dtype": "uint8", "shape": [1, 1, 1, 1, 1, 1, 1, 1, 1], "offset": 0}}}',
     b'{"arrays": {"a": 5}}', b'{"arrays": 5}', b"\xff"],
)  # fmt: skip
def test_a_table_that_lies_is_refused_without_a_word_of_python(text: bytes) -> None:
    with pytest.raises(BadInput, match="array|table|JSON"):
        unpack(len(text).to_bytes(4, "little") + text + bytes(16))


def test_a_header_is_changed_and_the_arrays_stay() -> None:
    data = pack({"a": 1, "b": "ä"}, {"one": np.arange(5.0), "two": np.zeros((2, 3), np.uint8)})
    header, arrays = unpack(with_header(data, b="longer than before", c=[1, 2]))
    assert header == {"a": 1, "b": "longer than before", "c": [1, 2]}
    assert {name: array.tolist() for name, array in arrays.items()} == {"one": [0, 1, 2, 3, 4], "two": [[0, 0, 0]] * 2}
    assert header_of(data)["b"] == "ä"
    with pytest.raises(BadInput, match="cannot be written as JSON"):
        with_header(data, a=float("nan"))
    with pytest.raises(BadInput):
        with_header(b"nonsense", a=1)
