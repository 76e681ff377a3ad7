"""A whole picture, scaled: attnviz/data/inputs/prepared.py."""

import numpy as np
import pytest

from attnviz.data.inputs.prepared import resized, scaled


def area_means(picture: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Average over areas by cutting every pixel into so many parts that all edges fall between parts."""
    fine = picture.repeat(rows, 0).repeat(columns, 1).astype(float)
    high, wide = picture.shape[:2]
    return np.rint(fine.reshape(rows, high, columns, wide, -1).mean((1, 3)))


@pytest.mark.parametrize("shape", [(32, 32, 3), (28, 28, 1), (7, 11, 3)], ids=str)
@pytest.mark.parametrize(("rows", "columns"), [(28, 28), (60, 60), (5, 12)])
def test_each_pixel_is_the_mean_of_the_area_that_it_covers(shape, rows, columns):
    picture = np.random.default_rng(3).integers(0, 256, shape, np.uint8)
    np.testing.assert_allclose(scaled(picture, rows, columns), area_means(picture, rows, columns), atol=1)
    exact = picture.repeat(2, 0).repeat(3, 1)
    np.testing.assert_array_equal(scaled(exact, shape[0], shape[1]), picture)


def test_grey_is_repeated_and_the_sentence_names_both_shapes():
    picture = np.full((28, 28), 9, np.uint8)
    seen = resized(picture, rows=32, columns=40, channels=3, centred=True)
    assert (seen.picture == 9).all()
    assert seen.picture.shape == (32, 40, 3)
    assert seen.words == "The whole picture of 28 × 28 pixels was scaled to 40 × 32."
