"""What the browser gets of a value per bar, and what the wrapper refuses."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.ui.components import value_bars
from attnviz.views.payload import unpack


def test_bars_have_a_name_each_and_say_what_they_reach_to() -> None:
    header, arrays = unpack(value_bars.packed(np.array([0.1, 0.9]), "channel", "2 values", "unit"))
    assert header["names"] == ["channel 1", "channel 2"]
    assert header["range"] == "unit"
    assert arrays.keys() == {"values"}
    _, marked = unpack(value_bars.packed(np.zeros(2), "unit", "title", marks=np.ones(2)))
    np.testing.assert_array_equal(marked["marks"], [1, 1])


def test_bars_without_values_or_with_other_names_are_refused() -> None:
    with pytest.raises(BadInput, match="at least one bar"):
        value_bars.packed(np.zeros((2, 2)), "channel", "title")
    with pytest.raises(BadInput, match="one for each of 2 bars"):
        value_bars.packed(np.zeros(2), "channel", "title", names=["one"])
