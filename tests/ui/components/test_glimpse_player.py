"""The view of the glimpse player in the words of a URL, which draw it means, and paths that are refused."""

from typing import Any

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.ui.components.glimpse_player import FIELDS, Path, draw_of

VIEW = {"glimpse": 2, "locations": "fifty", "draw": 4, "moved": [[1, 4, 6]]}


def test_a_view_goes_into_the_url_and_comes_back() -> None:
    words = FIELDS.write(VIEW)
    assert words == {"glimpse": "3", "locations": "fifty", "draw": "5", "moved": "2.5.7"}
    assert FIELDS.read({name: word for name, word in words.items() if word}) == VIEW
    assert set(FIELDS.write(FIELDS.defaults).values()) == {None}


@pytest.mark.parametrize(
    ("state", "draw"),
    [({}, 0), ({"draw": 3}, 3), ({"locations": "fifty", "draw": 3}, 3), ({"locations": "means", "draw": 3}, None)]
    + [({"draw": nonsense}, 0) for nonsense in ("three", -1, True, None)],
)
def test_the_means_are_no_draw_and_nonsense_is_the_first(state: dict[str, Any], draw: int | None) -> None:
    assert draw_of(state) == draw


def path(**changed: np.ndarray) -> Path:
    arrays = {
        "location": np.zeros((4, 2)), "location_mean": np.zeros((4, 2)), "corner": np.zeros((4, 3, 2)),
        "patches": np.zeros((4, 3, 8, 8)), "belief": np.zeros((4, 10)), "baseline": np.zeros(4),
    }  # fmt: skip
    return Path(**{**arrays, **changed})


def test_every_array_of_a_path_has_a_row_for_each_glimpse_and_a_corner_for_each_scale() -> None:
    path()
    for name in ("location_mean", "belief", "baseline"):
        with pytest.raises(BadInput, match="expected arrays of 4 glimpses"):
            path(**{name: getattr(path(), name)[:3]})
    with pytest.raises(BadInput, match="expected a corner for each of 3 scales"):
        path(corner=np.zeros((4, 2, 2)))
