"""A reading laid out as maps: which axis lies on the picture, in which order, with which labels."""

import torch

from attnviz.measures.maps import maps
from attnviz.tracing import Grid, Reading


def reading(axes: str, *shape: int, grid: Grid | None = None) -> Reading:
    """A reading that counts: each value is its place in memory."""
    words = tuple(axes.split())
    return Reading("layer.tap", torch.arange(torch.Size(shape).numel()).reshape(shape).float(), words, grid)


def test_tokens_lie_on_the_grid_row_by_row_and_heads_and_features_count_maps() -> None:
    laid = maps(reading("batch head token feature", 1, 2, 6, 3, grid=Grid(2, 3)), batch=0)
    assert laid.values.shape == (6, 2, 3)
    # Head 2, feature 3, token at row 1, column 2 (all but the words from 0): ((1 * 6) + 5) * 3 + 2.
    assert laid.values[5, 1, 2] == 35
    assert laid.labels[0] == "head 1, feature 1"
    assert laid.labels[5] == "head 2, feature 3"
    assert laid.axes == ("head", "feature")
    assert laid.captions == ("1.1", "1.2", "1.3", "2.1", "2.2", "2.3")


def test_keys_lie_on_the_grid_where_a_query_is_held() -> None:
    laid = maps(reading("batch head query key", 1, 2, 6, 6, grid=Grid(2, 3)), batch=0, query=4)
    assert laid.labels == ["head 1", "head 2"]
    assert laid.values[1].tolist() == [[60, 61, 62], [63, 64, 65]]


def test_tokens_that_lie_nowhere_are_left_out() -> None:
    laid = maps(reading("token feature", 7, 1, grid=Grid(2, 3, prefix=1)))
    assert laid.values.tolist() == [[[1, 2, 3], [4, 5, 6]]]


def test_without_a_grid_a_map_is_one_row_of_the_last_axis() -> None:
    laid = maps(reading("batch class", 1, 4), batch=0)
    assert laid.values.tolist() == [[[0, 1, 2, 3]]]
    assert laid.labels == [""]


def test_rows_and_columns_lie_on_the_picture_as_they_are() -> None:
    laid = maps(reading("batch channel row column", 1, 2, 3, 4), batch=0)
    assert laid.values.shape == (2, 3, 4)
    assert laid.labels == ["channel 1", "channel 2"]
    assert laid.values[1, 2, 3] == 23
