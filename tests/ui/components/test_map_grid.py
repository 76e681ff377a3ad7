"""The grid's Python side: what does not fit is named, what fits arrives."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui.components.map_grid import Table, map_grid
from attnviz.views.payload import unpack
from tests.browser.apps.map_grid import make_maps

APP = Path(__file__).parents[2] / "browser" / "apps" / "map_grid.py"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"maps": np.zeros((2, 3))}, r"maps: expected real numbers \(map, row, column\)"),
        ({"maps": np.zeros((2, 0, 3))}, "none of them 0"),
        ({"maps": np.zeros((2, 3, 3), complex)}, "complex128"),
        ({"labels": ["one"]}, "labels: expected 2, one per map, got 1"),
        ({"role": "colour"}, "role: expected one of signed"),
        ({"outlined": [1]}, r"outlined: expected 2 cells below 9, one per map, got \[1\]"),
        ({"outlined": [1, 9]}, "outlined: expected 2 cells below 9"),
        ({"table": Table(["a"], ["b"])}, "1 x 1 labels do not fit 2 maps"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], message: str) -> None:
    given = {"maps": np.zeros((2, 3, 3)), "labels": ["one", "two"], **change}
    with pytest.raises(BadInput, match=message):
        map_grid(given.pop("maps"), given.pop("labels"), key="maps", **given)


@pytest.mark.parametrize("kind", ["signed", "share", "unit", "table", "strip", "ink", "nan"])
def test_the_page_hands_over_the_maps(kind: str) -> None:
    test = AppTest.from_file(APP, default_timeout=120)
    test.query_params["kind"] = kind
    test.run()
    assert not test.exception
    header, arrays = unpack(test.get("bidi_component")[0].proto.bytes)
    np.testing.assert_array_equal(arrays["maps"], make_maps(kind))
    assert header["scale"] == ("share" if kind == "share" else "all")
