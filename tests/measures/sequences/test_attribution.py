"""Which digits count, attnviz/measures/sequences/attribution.py, on a model whose answers are known by hand."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnviz.measures.sequences.attribution import METHODS, agreements, by_method
from attnviz.tracing import Layer

SIDE, COLUMNS = 4, 2  # of a digit of this test: 4 x 4 pixels, two features


class Reader(Layer):
    """Step i attends to the columns with fixed scores; the logit of symbol 1 is the mean it gets, that of 0 is 0.

    The second column of each digit counts negatively; in the strip of these tests it is empty.
    """

    taps = ("scores", "weights")

    def __init__(self, scores: Tensor) -> None:
        super().__init__()
        self.scores = nn.Parameter(scores, requires_grad=False)  # (step, key)

    def forward(self, strips: Tensor, targets: Tensor) -> Tensor:
        columns = strips.sum((1, 2)).unflatten(-1, (-1, SIDE // COLUMNS)).sum(-1)  # (batch, key)
        wanted = self.scores[None, None, : targets.shape[1]].expand(len(strips), -1, -1, -1)
        weights = self.tap(
            "weights", self.tap("scores", wanted, "batch head query key").softmax(-1), "batch head query key"
        )
        columns = columns * torch.tensor([1.0, -1.0]).repeat(columns.shape[-1] // COLUMNS)
        answer = (weights[:, 0] @ columns[..., None])[..., 0]
        return torch.stack([torch.zeros_like(answer), answer], -1)


STRIP = torch.zeros(1, 1, SIDE, 3 * SIDE)
STRIP[0, 0, 0, [0, 4, 8]] = torch.tensor([1.0, 2.0, 3.0])  # the first pixel of each digit
SCORES = torch.log(torch.tensor([[0.6, 0.1, 0.1, 0.1, 0.05, 0.05], [0.1, 0.1, 0.2, 0.3, 0.2, 0.1]]).repeat(2, 1))


@pytest.fixture(scope="module")
def found() -> dict[str, Tensor]:
    texts = torch.tensor([[1, 1, 1, 0]])
    return by_method(Reader(SCORES), STRIP, texts, weights=["weights"], scores=["scores"])


def test_there_is_a_number_for_each_method_step_and_digit(found: dict[str, Tensor]):
    assert set(found) == set(METHODS)
    assert {values.shape for values in found.values()} == {(1, 3, 3)}


def test_weights_are_summed_over_the_columns_of_a_digit(found: dict[str, Tensor]):
    torch.testing.assert_close(found["weights"][0, :2], torch.tensor([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]]))


def test_the_gradient_of_each_pixel_is_the_weight_of_its_column(found: dict[str, Tensor]):
    torch.testing.assert_close(found["gradient"], SIDE * SIDE / 2 * found["weights"])


def test_erased_pixels_take_their_part_of_the_answer_away(found: dict[str, Tensor]):
    weights = SCORES.exp()[0]
    parts = weights[[0, 2, 4]] * torch.tensor([1.0, 2.0, 3.0])  # what each digit adds to the logit
    log = torch.nn.functional.logsigmoid
    torch.testing.assert_close(found["pixels"][0, 0], log(parts.sum()) - log(parts.sum() - parts))


def test_what_is_masked_gets_no_weight_and_the_others_share_it(found: dict[str, Tensor]):
    weights, columns = SCORES.exp()[0], torch.tensor([1.0, 0, 2, 0, 3, 0])
    log = torch.nn.functional.logsigmoid
    expected = []
    for digit in range(3):
        left = weights.clone()
        left[2 * digit : 2 * digit + 2] = 0
        expected.append(log(weights @ columns) - log(left @ columns / left.sum()))
    torch.testing.assert_close(found["annotations"][0, 0], torch.stack(expected))


def test_agreements_by_hand():
    one = torch.tensor([[[1.0, 2, 3], [1.0, 1, 1]]])
    other = torch.tensor([[[1.0, 3, 2], [1.0, 2, 3]]])
    correlation = agreements({"a": one, "b": other})
    assert list(correlation) == [("a", "b")]
    np.testing.assert_allclose(correlation["a", "b"], [[1 / 3, np.nan]])
