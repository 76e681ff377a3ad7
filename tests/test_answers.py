"""From pictures to a batch and from logits to an answer, against numbers worked out by hand."""

import numpy as np
import pytest
import torch

from attnviz.answers import answer_factors, as_batch, predicted, probabilities
from attnviz.errors import BadInput

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


def test_an_answer_per_step_is_normalised_over_the_classes_and_not_over_the_steps():
    logits = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(0))
    found = probabilities(logits)
    for step in range(5):
        torch.testing.assert_close(found[:, step], probabilities(logits[:, step]), rtol=0, atol=0)
    torch.testing.assert_close(found.sum(-1), torch.ones(2, 5))
    assert predicted(logits).tolist() == logits.argmax(-1).tolist()
    assert predicted(logits[..., :1]).tolist() == (logits[..., 0] > 0).long().tolist()


@pytest.mark.parametrize("shape", [(3,), (), (1, 2, 3, 4)])
def test_logits_that_are_no_answer_are_one_sentence(shape):
    for ask in (probabilities, predicted):
        with pytest.raises(BadInput, match=r"An answer is one distribution, logits \(batch, class\), or one per step"):
            ask(torch.zeros(shape))


def test_the_factors_of_an_answer_per_step_are_refused():
    with pytest.raises(BadInput, match=r"One distribution has logits \(class,\), not \(5, 3\): choose a step first"):
        answer_factors(torch.zeros(5, 3))
