"""A view declares its fields once: checks, bytes and the type for JavaScript follow from it."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.ui.components import __main__ as types
from attnviz.views.attention import AttentionView
from attnviz.views.declared import Array, Axes, Payload, typescript
from attnviz.views.payload import unpack, with_header
from tests.browser.apps.pixel_viewer import make_view


@dataclass(frozen=True, eq=False, kw_only=True)
class Maps(Payload):
    together = (("low", "high"),)

    maps: Annotated[Array, Axes("head token")]
    weights: Annotated[Array | None, Axes("token", ("float32", "uint8"))] = None
    names: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Several(Payload):
    first: Maps
    rows: tuple[Maps, ...]
    absent: Maps | None = None
    any_shape: Annotated[Array, Axes("...", ("float64", "float32"), sent="float32")]


MAPS = np.arange(6.0).reshape(2, 3)


def test_it_comes_back_from_its_bytes() -> None:
    whole = Maps(maps=MAPS, weights=np.ones(3, np.float32), names=("a", "b"), low=0.5, high=2.0)
    found = Maps.unpacked(with_header(whole.packed(), state={"view": 1}))
    np.testing.assert_array_equal(found.maps, MAPS)
    assert found.weights is not None and found.weights.dtype == np.float32
    assert (found.names, found.low, found.high) == (("a", "b"), 0.5, 2.0)


def test_what_is_not_given_is_left_out() -> None:
    header, arrays = unpack(Maps(maps=MAPS).packed())
    assert (header, [*arrays]) == ({"names": []}, ["maps"])


def test_payloads_inside_are_named_by_their_field_or_their_place() -> None:
    one, other = Maps(maps=MAPS), Maps(maps=MAPS[:, :1], names=("a",))
    header, arrays = unpack(Several(first=one, rows=(one, other), any_shape=np.ones((2, 1, 2))).packed())
    assert header == {"first": {"names": []}, "rows": [{"names": []}, {"names": ["a"]}], "absent": None}
    assert {name: array.shape for name, array in arrays.items()} == {
        "any_shape": (2, 1, 2), "first.maps": (2, 3), "0.maps": (2, 3), "1.maps": (2, 1),
    }  # fmt: skip
    assert arrays["any_shape"].dtype == np.float32
    assert "[name: `${number}.maps`]: Float64Array; // head, token" in typescript(Several)
    assert '"first.maps": Float64Array; // head, token' in typescript(Several)
    assert 'absent: Maps["header"] | null;' in typescript(Several)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"maps": MAPS[0]}, r"maps: expected float64 of the shape \(head, token\), got float64 of \(3,\)"),
        ({"maps": MAPS.astype(int)}, r"maps: expected float64 of the shape \(2, 3\), got int64"),
        (
            {"weights": np.ones(4, np.uint8)},
            r"weights: expected float32 or uint8 of the shape \(3\), got uint8 of \(4,",
        ),
        ({"low": 1.0}, "low and high belong together"),
    ],
)
def test_what_does_not_fit_is_named(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Maps(**{"maps": MAPS, **wrong})


def test_the_type_for_javascript_says_the_same() -> None:
    assert typescript(Maps) == (
        "interface Maps {\n  header: {\n    names: string[];\n    low: number | null;\n    high: number | null;\n  };\n"
        "  arrays: {\n    maps: Float64Array; // head, token\n    weights?: Float32Array | Uint8Array; // token\n"
        "  };\n}"
    )
    assert types.FILE.read_text() == types.declarations(), "run python -m attnviz.ui.components"


@pytest.mark.parametrize("kind", ["plain", "sum", "photo"])
def test_a_view_of_attention_comes_back_from_its_bytes(kind: str) -> None:
    view = make_view(kind=kind, prefix=2)
    found = AttentionView.unpacked(view.packed())
    for name, value in vars(view).items():
        np.testing.assert_array_equal(getattr(found, name), value, err_msg=name)
    np.testing.assert_allclose(view.weights(9).sum(1), 1, rtol=1e-12)
