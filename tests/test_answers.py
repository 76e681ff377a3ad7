"""From pictures to a batch and from logits to an answer, against numbers worked out by hand."""

import numpy as np
import pytest
import torch

from attnviz.answers import as_batch, predicted, probabilities

PICTURE = np.array([[[0, 51], [102, 153]]], np.uint8)  # one row, two columns, two channels


@pytest.mark.parametrize(("double", "dtype"), [(False, torch.float32), (True, torch.float64)])
def test_channels_come_first_and_255_becomes_one(double: bool, dtype: torch.dtype) -> None:
    batch = as_batch(np.stack([PICTURE, 255 - PICTURE]), double=double)
    expected = torch.tensor([[[[0.0, 0.4]], [[0.2, 0.6]]], [[[1.0, 0.6]], [[0.8, 0.4]]]], dtype=dtype)
    torch.testing.assert_close(batch, expected)


def test_a_single_picture_is_a_batch_of_one() -> None:
    assert torch.equal(as_batch(PICTURE), as_batch(PICTURE[None]))


def test_one_column_is_the_log_odds_of_the_second_of_two_classes() -> None:
    logits = torch.tensor([[np.log(3.0)], [-np.log(3.0)], [0.0]], dtype=torch.float32)
    torch.testing.assert_close(probabilities(logits), torch.tensor([[0.25, 0.75], [0.75, 0.25], [0.5, 0.5]]))
    assert predicted(logits).tolist() == [1, 0, 0]


def test_several_columns_go_through_a_softmax() -> None:
    logits = torch.tensor([[0.0, np.log(2.0), 0.0]], dtype=torch.float32)
    torch.testing.assert_close(probabilities(logits), torch.tensor([[0.25, 0.5, 0.25]]))
    assert predicted(logits).tolist() == [1]
