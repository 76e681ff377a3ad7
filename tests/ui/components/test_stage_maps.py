"""The view of the maps of convolutions in the words of a URL, and what the wrapper refuses."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.ui.components.stage_maps import FIELDS, STAGES, LayerMaps, StageMaps, StageMapsView, fields_of, packed
from attnviz.views.payload import unpack


def test_a_view_goes_into_the_url_and_comes_back() -> None:
    view = {"layer": 2, "stage": "pool", "channel": 190}
    words = FIELDS.write(view)
    assert words == {"layer": "3", "stage": "pool", "channel": "191"}
    assert FIELDS.read({name: word for name, word in words.items() if word}) == view
    assert set(FIELDS.write(FIELDS.defaults).values()) == {None}


def test_maps_have_the_cells_of_the_grid_that_they_lie_on() -> None:
    with pytest.raises(BadInput, match="expected maps of 4 x 3"):
        StageMaps(np.zeros((2, 3, 4)), Grid(4, 3), "conv.0.after_conv")


def test_only_what_the_browser_can_derive_may_be_left_out() -> None:
    with pytest.raises(BadInput, match="first stage"):
        LayerMaps("Convolution 1", "conv.0", {})
    with pytest.raises(BadInput, match="first stage"):
        LayerMaps("Convolution 1", "conv.0", {"relu": StageMaps(np.zeros((2, 3, 4)), Grid(3, 4), "conv.0.after_relu")})


def test_another_net_has_other_stages_in_its_url() -> None:
    fields = fields_of({"norm": "after norm", "gate": "after the gate"}, "gate")
    assert fields.write({"layer": 0, "stage": "norm", "channel": None}) == {
        "layer": None,
        "stage": "norm",
        "channel": None,
    }
    assert fields.declared()[1]["options"] == ["norm", "gate"]


def test_a_view_is_packed_without_what_belongs_to_a_page() -> None:
    maps, picture = np.arange(24.0).reshape(2, 3, 4), np.zeros((3, 4, 1), np.uint8)
    layer = LayerMaps("Convolution 1", "conv.0", {"conv": StageMaps(maps, Grid(3, 4), "conv.0.after_conv")})
    header, arrays = unpack(packed(StageMapsView(picture, (layer,), ink=True, origin={"seed": 1})))
    described = {
        "title": "Convolution 1", "path": "conv.0", "channel": None, "boxes": {"conv": [0, 0, 1, 1, 1, 1]},
        "addresses": {"conv": "conv.0.after_conv"},
    }  # fmt: skip
    assert header == {"stages": dict(STAGES), "layers": [described], "ink": True, "origin": {"seed": 1}}
    assert arrays.keys() == {"picture", "0.conv"}
    np.testing.assert_array_equal(arrays["0.conv"], maps)
