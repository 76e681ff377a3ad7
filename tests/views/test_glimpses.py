"""The view of the glimpse player in the words of a URL, which draw it means, and paths that are refused."""

import re
from typing import Any

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.ui.components.component import FRONTEND
from attnviz.views.glimpses import FIELDS, MOST_DRAWS, GlimpsePath, GlimpseView, draw_of
from attnviz.views.payload import header_of

VIEW = {"glimpse": 2, "locations": "fifty", "draw": 4, "moved": [[1, 4, 6]]}


def test_a_view_goes_into_the_url_and_comes_back() -> None:
    words = FIELDS.write(VIEW)
    assert words == {"glimpse": "3", "locations": "fifty", "draw": "5", "moved": "2.5.7"}
    assert FIELDS.read({name: word for name, word in words.items() if word}) == VIEW
    assert set(FIELDS.write(FIELDS.defaults).values()) == {None}


@pytest.mark.parametrize(
    ("state", "draw"),
    [({}, 0), ({"draw": 3}, 3), ({"locations": "fifty", "draw": 3}, 3), ({"locations": "means", "draw": 3}, None)]
    + [({"draw": nonsense}, 0) for nonsense in ("three", -1, True, None, 1000)]
    + [({"draw": 999}, 999)],
)
def test_the_means_are_no_draw_and_nonsense_is_the_first(state: dict[str, Any], draw: int | None) -> None:
    assert draw_of(state) == draw


def test_the_browser_knows_as_many_draws() -> None:
    [most] = re.findall(r"MOST_DRAWS = (\d+);", (FRONTEND / "glimpse_player" / "view.js").read_text())
    assert int(most) == MOST_DRAWS


def path(**changed: np.ndarray) -> GlimpsePath:
    arrays = {
        "location": np.zeros((4, 2)), "location_mean": np.zeros((4, 2)), "corner": np.zeros((4, 3, 2), np.int32),
        "patches": np.zeros((4, 3, 8, 8)), "belief": np.zeros((4, 10)), "baseline": np.zeros(4),
    }  # fmt: skip
    return GlimpsePath(**{**arrays, **changed})


def test_every_array_of_a_path_has_a_row_for_each_glimpse_and_a_corner_for_each_scale() -> None:
    path()
    for name in ("location_mean", "belief", "baseline"):
        with pytest.raises(BadInput, match=rf"{name}: expected float64 or float32 of the shape \(4"):
            path(**{name: getattr(path(), name)[:3]})
    with pytest.raises(BadInput, match=r"patches: expected float64 or float32 of the shape \(4, 2,"):
        path(corner=np.zeros((4, 2, 2), np.int32))
    with pytest.raises(BadInput, match=r"location: expected float64 or float32 of the shape \(4, 2\)"):
        path(location=np.zeros((4, 3)))


@pytest.mark.parametrize("known", [True, False])
def test_what_was_packed_can_be_read_again(known: bool) -> None:
    generator = np.random.default_rng(0)
    single = {name: generator.random(array.shape).astype(np.float32) for name, array in vars(path()).items()}
    view = GlimpseView(
        picture=generator.integers(0, 256, (9, 7, 1), np.uint8), **single, draw=3 if known else None,
        policy="learnt", std=0.1, centre=True, classes=("a", "b"), label="b" if known else None, checkpoint="m.n",
        ask={"data": "drawn", "number": 4}, forced=((0.5, -1.0),) * known, ink=known, origin={"seed": 1},
    )  # fmt: skip
    found = GlimpseView.unpacked(view.packed())
    arrays = dict.fromkeys(("picture", *single))
    assert {**vars(found), **arrays} == {**vars(view), **arrays}
    np.testing.assert_array_equal(found.picture, view.picture)
    for name, array in single.items():
        np.testing.assert_array_equal(getattr(found, name), array)
    assert not {"state", "fields", "parts"} & header_of(view.packed()).keys(), "those belong to a page"
