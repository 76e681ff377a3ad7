"""The view of gates in the words of a URL, what the wrapper refuses, and what the browser gets."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.ui.components.gates import FIELDS, GatesOfLayer, GatesView, GateTap, read_turns, write_turns
from attnviz.views.payload import unpack


def layer(channels: int = 3, units: int = 2) -> GatesOfLayer:
    numbers = np.linspace(0, 1, channels)
    return GatesOfLayer(
        title="Block 1", path="blocks.0.attention", form="gate", gate=numbers, kinds=("varies",) * 3,
        tap=GateTap("blocks.0.attention.gate", numbers, None), mean=0.75 * numbers, lowest=numbers / 2, highest=numbers,
        squeezed=numbers, squeezed_max=None, reduced=np.ones(units),
        excite=np.ones((channels, units)), shift=np.zeros(channels), shift_is="the bias",
    )  # fmt: skip


def test_a_view_goes_into_the_url_and_comes_back() -> None:
    view = {"layer": 5, "channel": 0, "gates": "mean", "turned": [[0, 4, 25], [5, 63, 100]]}
    words = FIELDS.write(view)
    assert words == {"layer": "6", "channel": "1", "gates": "mean", "turned": "1.5-25,6.64-100"}
    assert FIELDS.read({name: word for name, word in words.items() if word}) == view
    assert set(FIELDS.write(FIELDS.defaults).values()) == {None}


@pytest.mark.parametrize("word", ["", "1.5", "1.5-", "1.5-25,", "1,5-25", "a.b-c", "1.5-2555", "\u0661.5-25"])
def test_nonsense_turns_no_gate(word: str) -> None:
    assert read_turns(word) is None
    assert FIELDS.read({"turned": word})["turned"] == word, "for the browser to name"


def test_turns_are_written_as_they_are_read() -> None:
    assert write_turns(read_turns("1.5-25,2.3-0") or []) == "1.5-25,2.3-0"


def test_the_weights_of_a_layer_fit_its_gates() -> None:
    with pytest.raises(BadInput, match=r"gate: expected float64 or float32 of the shape \(3\)"):
        layer(channels=2)


def test_a_view_is_packed_with_what_each_gate_is_computed_from() -> None:
    view = GatesView(
        picture=np.zeros((4, 6, 3), np.uint8), ink=False, layers=(layer(),), classes=("a", "b"), label="a",
        logits=np.zeros(1), probabilities=np.array([0.5, 0.5]), many="2 pictures", other=None, checkpoint="net",
        asked={"data": "x", "number": 1}, origin={"seed": 0},
    )  # fmt: skip
    header, arrays = unpack(view.packed())
    assert header["layers"][0]["tap"]["address"] == "blocks.0.attention.gate"
    assert header["layers"][0]["space_tap"] is None
    assert header["asked"] == {"data": "x", "number": 1}
    np.testing.assert_array_equal(arrays["0.mean"], [0, 0.375, 0.75])
    np.testing.assert_array_equal(arrays["0.lowest"], [0, 0.25, 0.5])
    assert arrays["0.tap.mean"].dtype == np.float32
    assert "0.tap.other" not in arrays
