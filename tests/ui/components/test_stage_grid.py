"""The view of the stage grid in the words of a URL, and what the wrapper refuses."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui.components.stage_grid import FIELDS
from attnviz.views.payload import unpack
from tests.browser.apps.element_wise_nets import NETS

WHOLE = {
    "pixel": [11, 8], "layer": 1, "stage": "output", "head": 3, "channel": "red", "scale": "all",
    "off": [[0, 1], [1, 7]], "eps": 1e-09,
    "skip": False, "relevance": "mean", "inside": False,
}  # fmt: skip


def test_a_view_goes_into_the_url_and_comes_back() -> None:
    words = FIELDS.write(WHOLE)
    assert words == {
        "pixel": "12,9", "layer": "2", "stage": "output", "head": "4", "channel": "red", "scale": "all",
        "off": "1.2,2.8", "eps": "1e-09",
        "skip": "no", "relevance": "mean", "inside": "no",
    }  # fmt: skip
    assert FIELDS.read({name: word for name, word in words.items() if word}) == WHOLE
    assert set(FIELDS.write(FIELDS.defaults).values()) == {None}
    assert FIELDS.read({"head": "mean", "digit": "3"}) == {"head": "mean"}


@pytest.mark.parametrize(
    "words", [{"pixel": "a,b"}, {"off": "1.2.3"}, {"eps": "-1"}, {"skip": "maybe"}, {"layer": "-1"}]
)
def test_nonsense_stays_as_it_is_for_the_component_to_name(words: dict[str, str]) -> None:
    assert FIELDS.read(words) == words


def test_learnt_numbers_travel_in_single_precision_and_lose_nothing() -> None:
    def page() -> None:
        from attnviz.ui.components.stage_grid import stage_grid
        from tests.browser.apps.element_wise_nets import make_grey

        stage_grid(make_grey(), key="stages", state={"head": 2})
        stage_grid(make_grey().packed(), key="of bytes", state={"head": 2})

    at = AppTest.from_function(page, default_timeout=120).run()
    assert not at.exception
    (header, arrays), (again, same) = (unpack(one.proto.bytes) for one in at.get("bidi_component"))
    assert {**header, "state": None} == {**again, "state": None}, "a view and its bytes give the same"
    assert all(np.array_equal(array, same[name]) for name, array in arrays.items())
    view = NETS["grey"]()
    assert header["state"]["view"]["value"]["head"] == 2
    assert arrays["0.x_weights"].dtype == np.float32
    np.testing.assert_array_equal(arrays["0.x_weights"].astype(float), view.layers[0].x_weights)
    np.testing.assert_array_equal(arrays["input"].astype(float), view.input)
    assert header["layers"][0]["norm"]["eps"] == 1e-5


def test_arrays_that_do_not_fit_are_refused() -> None:
    view = NETS["colour"]()
    with pytest.raises(BadInput, match=r"input: expected float64 or float32 of the shape \(3, 32, 32\)"):
        replace(view, input=view.input[:, :5])
    with pytest.raises(BadInput, match=r"convolution: expected float64 or float32 of the shape \(3, 9, 3, 3\)"):
        replace(view, layers=(replace(view.layers[0], convolution=np.zeros((3, 4, 3, 3))),))
