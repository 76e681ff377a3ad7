"""The objective of models that say a text: attnviz/training/objectives/texts.py."""

import math

import pytest
import torch
from torch import Tensor, nn

from attnviz.training.examples import Examples, Parts
from attnviz.training.objectives.texts import ENOUGH, Texts

STOP = 3


class Says(nn.Module):
    """Given the right texts, it gives each right symbol the logit 2 and others 0; by itself it outputs its own."""

    def __init__(self, *said: int) -> None:
        super().__init__()
        self.said = said
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, images: Tensor, targets: Tensor | None = None) -> Tensor:
        if targets is None:
            targets = torch.tensor(self.said).expand(len(images), -1)
        return self.scale * torch.eye(4)[targets]


def examples(*texts: list[int]) -> Examples:
    return Examples(torch.zeros(len(texts), 1, 28, 28 * (len(texts[0]) - 1), dtype=torch.uint8), torch.tensor(texts))


def test_the_loss_is_the_cross_entropy_with_the_true_symbols_before_each():
    images, labels = torch.zeros(2, 1, 28, 56), torch.tensor([[0, 1, STOP], [2, 2, STOP]])
    loss = Texts().loss(Says(0), images, labels, torch.Generator())["loss"]
    assert loss.item() == pytest.approx(math.log(1 + 3 * math.exp(-2)))
    loss.backward()


def test_what_it_says_by_itself_is_measured_by_hand():
    parts = Parts((examples([0, 1, STOP], [0, 2, STOP]), examples([0, STOP])))
    found = Texts().measure(Says(0, 1, STOP), parts)
    assert found["accuracy"].value == pytest.approx(1 / 3)
    assert found["accuracy"].correct.tolist() == [True, False, False]
    assert found["digits"].value == pytest.approx(4 / 5)  # of all digits, not the mean over texts
    assert found["stopped"].value == pytest.approx(2 / 3)
    assert found["distance"].value == pytest.approx((0 + 1 / 2 + 1) / 3)
    assert found["told"].value == 1
    assert found["loss"].value == pytest.approx(math.log(1 + 3 * math.exp(-2)))
    assert set(found) == {"loss", "told", "accuracy", "digits", "stopped", "distance"}


def test_lengths_of_which_there_are_enough_are_measured_alone():
    many = examples(*[[0, 1, STOP]] * ENOUGH)
    found = Texts().measure(Says(0, 1, STOP), Parts((many, examples(*[[0, STOP]] * (ENOUGH - 1)))))
    assert found["digits_2"].value == found["accuracy_2"].value == found["stopped_2"].value == 1
    assert found["distance_2"].value == 0
    assert found["digits_2"].count == ENOUGH and found["digits_2"].correct is None
    assert "digits_1" not in found and "digits_15" not in found
    assert found["digits"].count is None


def test_parts_of_one_length_are_measured_together_and_in_their_order():
    asked = []

    class Counts(Says):
        def forward(self, images: Tensor, targets: Tensor | None = None) -> Tensor:
            asked.append(tuple(images.shape))
            return super().forward(images, targets)

    parts = Parts(tuple(examples(*[[0, 1, STOP]] * 200) for _ in range(3)) + (examples([0, STOP]), examples([2, STOP])))
    found = Texts().measure(Counts(0, STOP), parts)
    assert asked == [
        shape for count, wide in ((200, 56), (200, 56), (200, 56), (2, 28)) for shape in [(count, 1, 28, wide)] * 2
    ]
    assert found["accuracy"].correct[-2:].tolist() == [True, False]


def test_every_measure_has_a_unit_and_a_direction():
    assert Texts.measures["distance_15"].better == "lower" and Texts.measures["digits_30"].unit == "share"
    assert Texts.per_step
