"""Anything may come over the live channel; it is read strictly or refused in a sentence."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.errors import BadInput, UnknownName
from attnviz.ui.dot_product.mean_row import OfHead
from attnviz.ui.live.derived import NoParameters
from attnviz.ui.live.request import HEADER, LARGEST_NUMBER, DerivedWanted, Prepare, Put, Scale, number_of
from attnviz.views.payload import pack

from .asked import read

PICTURE = {"pictures": np.arange(12, dtype=np.uint8).reshape(2, 3, 2)}
ASK = {"checkpoint": "pixel_attention.1v8"}


def with_edit(**edit: object) -> bytes:
    return pack({"number": 1, "asks": [{**ASK, "edits": [edit]}]}, PICTURE)


def framed(header: str, rest: bytes = bytes(64)) -> bytes:
    """Return a payload with a header written by hand."""
    return len(header.encode()).to_bytes(4, "little") + header.encode() + rest


def test_a_whole_request() -> None:
    edits = [
        {"edit": "scale", "address": "attention.mixed", "index": {"head": [1, 3]}, "factor": 2},
        {"edit": "set", "address": "grid", "array": "theta"},
        {"edit": "off", "address": "a.b.c", "index": {"head": 0}},
        {"edit": "uniform", "address": "attention.mixed"},
    ]
    wanted = {"row": {"address": "attention.weights", "index": {"head": 3, "query": 17}}}
    header = {"number": 12, "asks": [{**ASK, "edits": edits, "wanted": wanted}, ASK]}
    request = read(pack(header, {**PICTURE, "theta": np.ones((2, 3))}))
    first, second = request.head.asks
    assert first.edits[0] == Scale(edit="scale", address="attention.mixed", index={"head": [1, 3]}, factor=2)
    assert first.edits[1] == Put(edit="set", address="grid", array="theta")
    assert first.wanted["row"].index == {"head": 3, "query": 17}
    assert (second.edits, second.wanted) == ([], {})
    np.testing.assert_array_equal(request.pictures, PICTURE["pictures"][None])
    assert list(request.arrays) == ["theta"]


def test_pictures_by_name() -> None:
    request = read(pack({"number": 0, "pictures": [{"data": "strokes", "number": 3}] * 2, "asks": [ASK]}, {}))
    assert [(named.data, named.number) for named in request.head.pictures or ()] == [("strokes", 3)] * 2
    assert request.pictures is None


def test_a_canvas_to_prepare_and_what_is_made_of_models() -> None:
    wanted = {
        "row": {"derived": "mean_row", "parameters": {"layer": "attention", "head": 5}},
        "best": {"derived": "mean_row", "parameters": {"layer": "", "head": "least_uniform"}},
        "map": {"derived": "added_by_pixel"},
    }
    canvas = {"pictures": np.zeros((280, 280, 1), np.uint8)}
    header = {"number": 1, "prepare": {"centred": False}, "asks": [{**ASK, "wanted": wanted}]}
    found = read(pack(header, canvas)).head
    assert found.prepare == Prepare(centred=False)
    given = {name: one.given for name, one in found.asks[0].wanted.items() if isinstance(one, DerivedWanted)}
    assert given == {
        "row": OfHead(layer="attention", head=5),
        "best": OfHead(layer="", head="least_uniform"),
        "map": NoParameters(),
    }
    assert found.asks[0].seed is None


@pytest.mark.parametrize(
    ("seed", "said"), [(-1, "seed must be at least 0"), (2**60, "seed"), (1.5, "seed"), ("1", "seed")]
)
def test_a_seed_that_is_none(seed: object, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read(pack({"number": 1, "asks": [{**ASK, "seed": seed}]}, PICTURE))
    assert read(pack({"number": 1, "asks": [{**ASK, "seed": 7}]}, PICTURE)).head.asks[0].seed == 7


def parameters(wanted: dict) -> object:
    """Return the parameters of what an ask wants, which are read when it is answered: others of its request may do."""
    (ask,) = read(pack({"number": 1, "asks": [{**ASK, "wanted": {"a": wanted}}]}, PICTURE)).head.asks
    (found,) = ask.wanted.values()
    return found.given if isinstance(found, DerivedWanted) else found


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"derived": "mean_row"}, "parameters of mean_row cannot be used: layer is missing"),
        ({"derived": "mean_row", "parameters": {"layer": "a b", "head": 1}}, "layer is not a name"),
        ({"derived": "mean_row", "parameters": {"layer": "a", "head": -1}}, "head.* must be at least 0"),
        ({"derived": "mean_row", "parameters": {"layer": "a", "head": True}}, "head"),
        ({"derived": "mean_row", "parameters": {"layer": "a", "head": "best"}}, "cannot be used: head must be"),
        ({"derived": "mean_row", "parameters": {"layer": "a", "head": 1, "query": 2}}, "query is not known here"),
        ({"derived": "added_by_pixel", "parameters": {"class": 1}}, "class is not known here"),
        ({"derived": "added_by_pixel", "parameters": []}, "parameters must be an object"),
        ({"derived": "added_by_pixel", "address": "a"}, "is not known here"),
        ({"index": {}}, r"wanted\.a\.address is missing"),
        ({"address": "a", "index": {"head": 0.5}}, r"wanted\.a\.index\.head must be a whole number"),
    ],
)
def test_wanted_outside_the_vocabulary(wanted: dict, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parameters(wanted)


def test_a_derived_value_that_there_is_not() -> None:
    with pytest.raises(UnknownName, match="no derived value 'mean_rows'. Did you mean 'mean_row'"):
        parameters({"derived": "mean_rows"})


@pytest.mark.parametrize(
    ("header", "arrays", "came"),
    [
        ({}, {"pictures": np.zeros((1, 28, 28, 1), np.uint8)}, r"\(1, 28, 28, 1\)"),
        ({}, {"pictures": np.zeros((28, 28, 2), np.uint8)}, r"\(28, 28, 2\)"),
        ({}, {"pictures": np.zeros((3, 28, 1, 1), np.uint8)}, r"\(3, 28, 1, 1\)"),
        ({}, {"pictures": np.zeros((28, 28), np.uint8)}, r"\(28, 28\)"),
        ({"pictures": [{"data": "strokes", "number": 1}]}, {}, "pictures by name"),
    ],
)
def test_only_one_canvas_can_be_prepared(header: dict, arrays: dict, came: str) -> None:
    with pytest.raises(BadInput, match=f"takes one canvas .* this is {came}"):
        read(pack({"number": 1, "asks": [ASK], "prepare": {"centred": True}, **header}, arrays))


@pytest.mark.parametrize("prepare", [True, {}, {"centred": 1}, {"centred": True, "x": 1}])
def test_a_preparation_outside_the_vocabulary(prepare: object) -> None:
    with pytest.raises(BadInput, match="prepare"):
        read(pack({"number": 1, "asks": [ASK], "prepare": prepare}, PICTURE))


def test_an_example_may_be_a_file_of_any_name() -> None:
    named = [{"data": "photo:a ship, é (2).png", "number": 0}]
    request = read(pack({"number": 1, "asks": [ASK], "pictures": named}, {}))
    assert request.head.pictures[0].data == named[0]["data"]


@pytest.mark.parametrize("data", ["drawing:", "drawing:a\nb", "drawing:" + "a" * 4211, "drawings:abc", "x drawing:abc"])
def test_a_name_that_no_drawing_has(data: str) -> None:
    with pytest.raises(BadInput, match="pictures.0.data is not a name"):
        read(pack({"number": 1, "asks": [ASK], "pictures": [{"data": data, "number": 0}]}, {}))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"edit": "grow", "address": "a"}, "must be one of 'scale', 'set', 'off', 'uniform'"),
        ({"edit": "scale", "address": "a"}, "factor is missing"),
        ({"edit": "scale", "address": "a", "factor": "2"}, "factor must be a number"),
        ({"edit": "off", "address": "*.mixed"}, "address is not a name"),
        ({"edit": "off", "address": "a", "index": {"head": -1}}, r"index\.head.* must be at least 0"),
        ({"edit": "off", "address": "a", "index": {"head": []}}, "head.* must have at least 1, not 0"),
        ({"edit": "off", "address": "a", "index": {"head": True}}, "head must be a list"),
        ({"edit": "off", "address": "a", "value": 1}, "is not known here"),
        ({"edit": "set", "address": "a"}, 'either a "value" or the name of an "array"'),
        ({"edit": "set", "address": "a", "value": 1, "array": "pictures"}, "either a"),
        ({"edit": "set", "address": "a", "array": "b"}, "The payload has no array 'b'"),
    ],
)
def test_an_edit_outside_the_vocabulary(edit: dict, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read(with_edit(**edit))


@pytest.mark.parametrize("factor", ["NaN", "Infinity", "1e999", "1e39", "-1e39", "9" * 400])
def test_a_factor_that_is_no_number_of_single_precision(factor: str) -> None:
    edit = f'{{"edit": "scale", "address": "a", "factor": {factor}}}'
    header = f'{{"number": 1, "asks": [{{"checkpoint": "x", "edits": [{edit}]}}], "arrays": {{}}}}'
    with pytest.raises(
        BadInput, match="factor must be (a finite number|a number|at most 3.4.*e.38|at least -3.4.*e.38)"
    ):
        read(framed(header))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, -1e39])
def test_an_array_that_is_not_finite(value: float) -> None:
    edits = [{"edit": "set", "address": "a", "array": "b"}]
    with pytest.raises(BadInput, match="not finite"):
        read(pack({"number": 1, "asks": [{**ASK, "edits": edits}]}, {**PICTURE, "b": np.array([value])}))


@pytest.mark.parametrize(
    "header",
    [
        "[" * 30_000,
        '{"arrays": {"a": {"dtype": "uint8", "shape": [' + "9" * 40 + '], "offset": 0}}}',
        '{"arrays": {"a": {"dtype": "uint8", "shape": [4294967296, 4294967296], "offset": 0}}}',
        '{"arrays": {"a": {"dtype": "uint8", "shape": [1], "offset": ' + "9" * 40 + "}}}",
        '{"arrays": {}, "number": ' + "9" * 5000 + "}",
        '{"arrays": 5}',
        "null",
    ],
)
def test_what_only_an_attacker_sends(header: str) -> None:
    with pytest.raises(BadInput):
        read(framed(header))
    assert number_of(framed(header)) is None


@pytest.mark.parametrize("name", ["logits", "probabilities", "seen"])
def test_what_is_wanted_replaces_no_array_that_every_answer_has(name: str) -> None:
    ask = {**ASK, "wanted": {name: {"address": "attention.mixed"}}}
    with pytest.raises(BadInput, match=f"asks.0.wanted.{name} cannot be requested: logits, probabilities, seen are"):
        read(pack({"number": 1, "asks": [ask]}, PICTURE))


PYTHON = re.compile(r"object|NoneType|unknown dimension|argument|Input should|String should|Traceback|\bdict|\btuple")


WORDS = ("number", "pictures", "asks", "checkpoint", "edits", "wanted", "arrays", "index", "address", "strokes")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(WORDS), JSON), st.binary(max_size=50))
def test_nothing_breaks_the_reader(header: dict, rest: bytes) -> None:
    message = framed(json.dumps(header), rest)
    with pytest.raises(BadInput) as refused:
        read(message)
    assert "\n" not in str(refused.value)
    assert not PYTHON.search(str(refused.value).replace("an object with named values", ""))
    number_of(message)


@given(st.binary(max_size=300))
def test_nor_do_other_bytes(message: bytes) -> None:
    with pytest.raises(BadInput):
        read(message)


@pytest.mark.parametrize(
    ("number", "found"),
    [
        (0, 0),
        (7, 7),
        (LARGEST_NUMBER, LARGEST_NUMBER),
        (LARGEST_NUMBER + 1, None),
        (-1, None),
        (True, None),
        (1.5, None),
    ],
)
def test_the_number_is_found_in_whatever_else_is_wrong(number: object, found: int | None) -> None:
    assert number_of(framed(json.dumps({"number": number, "x": [1]}), b"")) == found


def test_the_number_is_not_looked_for_in_a_header_that_is_too_large() -> None:
    assert number_of(framed(json.dumps({"number": 1, "x": "x" * HEADER}))) is None
