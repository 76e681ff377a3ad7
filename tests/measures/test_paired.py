"""Two numbers a picture, compared: against numbers worked out by hand."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.measures.paired import paired


def test_mean_interval_and_share_of_differences() -> None:
    one, other = np.array([[1.0, 0], [4, 0], [2, 0], [5, 0]]), np.array([[2.0, 3], [2, 3], [3, 3], [1, 3]])
    found = paired(one, other)  # differences -1, 2, -1, 4 and -3 four times
    np.testing.assert_allclose(found.mean, [1, -3])
    error = np.sqrt((4 + 1 + 4 + 9) / 3 / 4)
    np.testing.assert_allclose(found.low, [1 - 1.959964 * error, -3])
    np.testing.assert_allclose(found.high, [1 + 1.959964 * error, -3])
    np.testing.assert_allclose(found.below, [0.5, 1])
    assert found.verdicts.tolist() == [0, -1]
    assert paired(other, one).verdicts.tolist() == [0, 1]


def test_the_interval_holds_the_mean_of_nine_in_ten_and_more() -> None:
    random = np.random.default_rng(0)
    found = paired(random.normal(0.3, 1, (60, 4000)), np.zeros((60, 4000)))
    held = ((found.low < 0.3) & (found.high > 0.3)).mean()
    assert 0.93 < held < 0.96


@pytest.mark.parametrize(("one", "other"), [(np.zeros(1), np.zeros(1)), (np.zeros(3), np.zeros(2))])
def test_one_picture_and_other_pictures_are_refused(one: np.ndarray, other: np.ndarray) -> None:
    with pytest.raises(BadInput, match="the same pictures, at least two"):
        paired(one, other)
