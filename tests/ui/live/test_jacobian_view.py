"""The Jacobian as a view: pixels without a derivative are empty, or slow, attnviz/ui/live/jacobian_view.py."""

import numpy as np

from attnviz import subjects
from attnviz.measures.jacobian import jacobian
from attnviz.subjects import Picture, Subject
from attnviz.ui.live.jacobian_view import JACOBIAN_VIEW, Found, first, whole
from attnviz.ui.shared import inference
from attnviz.views.payload import unpack

LINEAR = Subject(subjects.net("pixel_line.digits"), Picture("strokes", 3))
POOLED = Subject(subjects.net("cnn_attention.digits"), Picture("strokes", 3))
VALUES = np.arange(784.0).reshape(1, 28, 28)


def test_where_there_is_a_derivative_everywhere_both_are_the_same() -> None:
    one, other = (unpack(JACOBIAN_VIEW.of(LINEAR, steps=steps)) for steps in (False, True))
    assert other[0].pop("request")["parameters"] != one[0].pop("request")["parameters"]
    assert one[0] == other[0]
    np.testing.assert_array_equal(one[1]["maps"], other[1]["maps"])


def test_without_a_derivative_values_are_empty_at_first() -> None:
    header, arrays = unpack(JACOBIAN_VIEW.of(POOLED))
    empty = np.isnan(arrays["maps"])
    assert 0 < empty.sum() < 784
    assert f"At {empty.sum()} of 784 pixels the maximum is taken over equal values" in header["note"]
    loaded = POOLED.net.load(double=True)
    expected = jacobian(loaded.model, inference.batch_of(loaded, POOLED.example))[0].numpy()
    np.testing.assert_allclose(arrays["maps"][~empty], expected[~empty], rtol=1e-12)


def test_steps_that_differ_have_maps_of_their_own() -> None:
    header, arrays = unpack(whole(POOLED, Found("3", VALUES, np.array([4, 5])), np.array([[1.0, 2.0], [1.0, -2.0]])))
    assert header["labels"] == ["intensity, step up", "intensity, step down", "intensity, difference"]
    up, down, difference = arrays["maps"].reshape(3, -1)
    assert (up[4], up[5], down[4], down[5], up[6], down[6]) == (1, 2, 1, -2, 6, 6)
    assert np.flatnonzero(difference).tolist() == [5]
    assert "At 1 of 784 pixels there is no derivative" in header["note"]


def test_steps_that_agree_are_the_derivative() -> None:
    header, arrays = unpack(whole(POOLED, Found("3", VALUES, np.array([4, 5])), np.array([[1.0, 2.0], [1.0, 2.0]])))
    assert header["labels"] == ["intensity"]
    assert arrays["maps"].reshape(-1)[[4, 5, 6]].tolist() == [1, 2, 6]


def test_first_leaves_other_values_alone() -> None:
    _, arrays = unpack(first(POOLED, Found("3", VALUES, np.array([4]))))
    assert np.flatnonzero(np.isnan(arrays["maps"])).tolist() == [4]
