"""Two numbers a picture, compared: against numbers worked out by hand."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.measures.difference import paired


def test_mean_interval_and_share_of_differences() -> None:
    one, other = np.array([[1.0, 0], [4, 0], [2, 0], [5, 0]]), np.array([[2.0, 3], [2, 3], [3, 3], [1, 3]])
    found = paired(one, other)  # differences -1, 2, -1, 4 and -3 four times
    np.testing.assert_allclose(found.mean, [1, -3])
    error = np.sqrt((4 + 1 + 4 + 9) / 3 / 4)  # of which Student's t takes 3.182446, with 3 degrees of freedom
    np.testing.assert_allclose(found.low, [1 - 3.182446 * error, -3], rtol=1e-6)
    np.testing.assert_allclose(found.high, [1 + 3.182446 * error, -3], rtol=1e-6)
    np.testing.assert_allclose(found.below, [0.5, 1])
    assert found.verdicts.tolist() == [0, -1]
    assert paired(other, one).verdicts.tolist() == [0, 1]


@pytest.mark.parametrize("pictures", [2, 4, 60])
def test_the_interval_holds_the_mean_in_95_of_100_cases(pictures: int) -> None:
    random = np.random.default_rng(0)
    found = paired(random.normal(0.3, 1, (pictures, 20_000)), np.zeros((pictures, 20_000)))
    held = ((found.low < 0.3) & (found.high > 0.3)).mean()
    assert 0.945 < held < 0.955


@pytest.mark.parametrize(("one", "other"), [(np.zeros(1), np.zeros(1)), (np.zeros(3), np.zeros(2))])
def test_one_picture_and_other_pictures_are_refused(one: np.ndarray, other: np.ndarray) -> None:
    with pytest.raises(BadInput, match="the same pictures, at least two"):
        paired(one, other)
