"""What the browser gets of the trials of a search."""

import numpy as np
import pytest

from attnviz.recipes.axes import Axis
from attnviz.ui.components import parallel_coordinates as lines
from attnviz.views.payload import unpack
from attnviz.work.search import trials
from attnviz.work.search.trials import Found, Trial

AXES = (Axis(name="heads", choices=(1, 8, 25)), Axis(name="learning_rate", low=1e-3, high=1e-1, log=True))


def _found(*made: Trial) -> Found:
    return Found(name="a", title="A", source="", axes=AXES, trials=made)


def _trial(number: int, heads: int, rate: float, value: float | None, state: str = "complete") -> Trial:
    fields = {"number": number, "state": state, "params": {"heads": heads, "learning_rate": rate}, "value": value}
    return Trial.model_validate({**fields, "why": "" if state == "complete" else "it diverged"})


def test_lines_lie_where_their_values_do_and_end_where_there_is_none():
    found = _found(
        _trial(0, 1, 1e-3, 0.9), _trial(1, 25, 1e-2, 1.0), _trial(2, 8, 1e-1, None, "pruned"),
        _trial(3, 8, 1e-1, None, "running"),
    )  # fmt: skip
    header, arrays = unpack(lines.packed(found, (0.8, 1.0), {"search": "a"}))
    np.testing.assert_allclose(arrays["places"], [[0, 0, 0.5], [1, 0.5, 1], [0.5, 1, np.nan]])
    assert [trial["number"] for trial in header["trials"]] == [0, 1, 2]
    assert [trial["why"] for trial in header["trials"]] == ["", "", "it diverged"]
    assert header["trials"][1]["words"] == ["25", "0.01"]
    assert [tick["words"] for tick in header["axes"][1]["ticks"]] == ["0.001", "0.01", "0.1"]
    assert [axis["choices"] for axis in header["axes"]] == [True, False, False]
    assert [tick["words"] for tick in header["axes"][2]["ticks"]] == ["0.800", "0.900", "1.000"]


def test_trials_of_one_choice_are_spread_in_the_order_of_their_values_and_stay_near_it():
    apart = lines.spread(np.array([0.5, 0.5, 0.5, 1.0, np.nan]), [0.9, None, 0.8, 0.7, 0.6])
    assert apart[1] < apart[2] < apart[0]
    assert np.ptp(apart[:3]) == pytest.approx(2 * lines.SPREAD)
    assert apart[3] == 1.0 and np.isnan(apart[4])


@pytest.mark.parametrize("name", trials.names())
def test_what_is_shipped_can_be_drawn(name):
    found = trials.shipped(name)
    _, arrays = unpack(lines.packed(found, (0.0, 1.0), {}))
    assert arrays["places"].shape == (len(found.finished), len(found.axes) + 1)
    assert np.isfinite(arrays["places"][:, :-1]).all()
