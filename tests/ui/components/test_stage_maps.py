"""The view of the maps of convolutions in the words of a URL, and what the wrapper refuses."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.ui.components.payload import unpack
from attnviz.ui.components.stage_maps import FIELDS, ConvolutionMaps, StageMapsView, packed


def test_a_view_goes_into_the_url_and_comes_back() -> None:
    view = {"layer": 2, "stage": "pool", "channel": 190}
    words = FIELDS.write(view)
    assert words == {"layer": "3", "stage": "pool", "channel": "191"}
    assert FIELDS.read({name: word for name, word in words.items() if word}) == view
    assert set(FIELDS.write(FIELDS.defaults).values()) == {None}


def test_maps_and_the_grid_that_they_lie_on_belong_together() -> None:
    maps = np.zeros((2, 3, 4))
    with pytest.raises(BadInput, match="expected maps of 4 x 3"):
        ConvolutionMaps("conv.0", maps, None, Grid(4, 3), None)
    with pytest.raises(BadInput, match="belong together"):
        ConvolutionMaps("conv.0", maps, maps, Grid(3, 4), None)


def test_a_view_is_packed_without_what_belongs_to_a_page() -> None:
    maps, picture = np.arange(24.0).reshape(2, 3, 4), np.zeros((3, 4, 1), np.uint8)
    layer = ConvolutionMaps("conv.0", maps, None, Grid(3, 4), None)
    header, arrays = unpack(packed(StageMapsView(picture, (layer,), ink=True, origin={"seed": 1})))
    boxes = {"conv": [0, 0, 1, 1, 1, 1], "pool": None}
    assert header == {"layers": [{"path": "conv.0", "boxes": boxes}], "ink": True, "origin": {"seed": 1}}
    assert arrays.keys() == {"picture", "0.conv"}
    np.testing.assert_array_equal(arrays["0.conv"], maps)
