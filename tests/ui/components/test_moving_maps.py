"""What maps that follow a hand are computed from, attnviz/ui/components/moving_maps.py."""

from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from attnviz.views.payload import unpack


def weight() -> None:
    import numpy as np

    from attnviz.ui.components.moving_maps import moving_maps, turn_weight

    picture = np.array([[-1.0, 0.5], [2.0, 0.0]])
    payload = turn_weight(picture, -0.25, start=0.75, limit=3, origin={"model": "m"})
    moving_maps(payload, key="maps", at=1.5, on_change=lambda: None)


def similar() -> None:
    import numpy as np

    from attnviz.ui.components.moving_maps import moving_maps, places

    code = np.array([[3.0, 0.0], [0.0, 4.0], [1.0, 1.0], [0.0, 0.0]])
    payload = places(code, np.eye(2), cosine=False, start=2, origin={"model": "m"})
    moving_maps(payload, key="maps", at=None, on_change=lambda: None)


def divided() -> None:
    import numpy as np

    from attnviz.ui.components.moving_maps import moving_maps, temperature

    payload = temperature(
        np.ones((2, 3)), np.ones((4, 3)), ["ink, row 1", "paper, row 2"], [0, 3], np.eye(2),
        stops=[("as trained", 0.0)], low=-2, high=2, origin={},
    )  # fmt: skip
    moving_maps(payload, key="maps", at=None, on_change=lambda: None)


def sent(page: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    test = AppTest.from_function(page).run()
    assert not test.exception
    (found,) = test.get("bidi_component")
    return unpack(found.proto.bytes)


def test_the_fixed_scale_of_a_weight_holds_every_value_that_the_slider_can_reach() -> None:
    header, arrays = sent(weight)
    np.testing.assert_array_equal(arrays["picture"], [[-1.0, 0.5], [2.0, 0.0]])
    own, fixed = header["panes"]
    assert own["scale"] == "map" and fixed["fixed"]
    assert fixed["bounds"] == [-6.25, 6.25]  # 3 x 2 + 0.25
    assert header["handle"]["stops"] == [["as learnt", 0.75], ["0", 0.0], ["reversed sign", -0.75]]
    assert header["state"]["at"]["value"] == 1.5
    assert (header["rows"], header["columns"], header["origin"]) == (2, 2, {"model": "m"})


def test_a_dot_product_of_codes_is_on_a_scale_that_holds_the_longest_with_itself() -> None:
    header, arrays = sent(similar)
    assert header["panes"][1]["bounds"] == [-16.0, 16.0]
    assert header["panes"][2]["labels"] == ["no. 1", "no. 2"]
    np.testing.assert_array_equal(arrays["maps_2"], arrays["code"].T)
    assert header["start"] == 2 and header["state"]["at"]["value"] is None


def test_a_query_is_captioned_by_what_comes_before_the_comma_and_outlined() -> None:
    header, arrays = sent(divided)
    (pane,) = header["panes"]
    assert (pane["labels"], pane["outlined"], pane["tokens"]) == (["ink", "paper"], [0, 3], 4)
    assert header["names"] == ["ink, row 1", "paper, row 2"]
    assert arrays["query"].shape == (2, 3) and arrays["key"].shape == (4, 3)
