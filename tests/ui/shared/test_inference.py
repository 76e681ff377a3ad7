"""What a page gets of a model and a picture, against the model itself and its weights."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnviz import checkpoints, data
from attnviz.answers import as_batch
from attnviz.checkpoints import Checkpoint
from attnviz.models import MODELS
from attnviz.ui.shared import inference
from tests.ui import colour_model

NAME = "pixel_attention.1v8"


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return inference.exactly(NAME)


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    images, labels = data.load("strokes", "test", count=256)
    return images[np.flatnonzero(labels == 8)[0]]


def test_the_view_adds_up_to_the_models_answer(checkpoint: Checkpoint, image: np.ndarray) -> None:
    view = inference.attention(checkpoint, image, "8", "strokes/test/0")
    layer, classifier = checkpoint.model.attention, checkpoint.model.classifier
    weights = np.exp(view.query @ view.key.transpose(0, 2, 1) - view.log_normaliser[..., None])  # size 1: no root
    np.testing.assert_allclose(weights.sum(-1), 1)
    np.testing.assert_allclose(view.received, weights.mean(1))
    output = (weights * view.carried[:, None, :]).sum((0, 2)) + layer.output.bias.item()
    np.testing.assert_allclose(view.output[:, 0], output)
    logit = output @ classifier.weight[0].numpy() + classifier.bias.item()
    np.testing.assert_allclose(view.probabilities, [1 / (1 + np.exp(logit)), 1 / (1 + np.exp(-logit))])
    assert view.carried_signed
    assert view.origin["digest"] == checkpoint.card.weights_digest
    assert view.origin["answer"] == inference.answer(checkpoint, image) == f"8, {100 / (1 + np.exp(logit)):.1f} %"


def test_what_is_shown_exactly_is_what_the_net_computes_in_single_precision(
    checkpoint: Checkpoint, image: np.ndarray
) -> None:
    single = checkpoints.load(NAME).model(as_batch(image, double=True).float())
    double = checkpoint.model(as_batch(image, double=True))
    assert double.dtype == torch.float64
    assert torch.allclose(single.double(), double, rtol=1e-4)


def test_a_control_has_nothing_to_hear() -> None:
    assert inference.list_taps(inference.exactly("pixel_line.1v8")) == {}


def test_answers_are_labels_for_known_classes_and_minus_one_for_others() -> None:
    few = data.load("strokes", "test", count=200)
    found = inference.answers(checkpoints.load(NAME), few, slice(0, 200))
    known = np.isin(few.labels, (1, 8))
    assert set(found[known]) == {1, 8}
    assert set(found[~known]) == {-1}
    assert (found[known] == few.labels[known]).mean() > 0.9
    assert inference.answers(checkpoints.load(NAME), few, slice(150, 180)).tolist() == found[150:180].tolist()


def test_a_colour_picture_keeps_its_colours_and_its_mean_lies_under_the_tokens(colour: str) -> None:
    image = data.load("cifar10", "samples").images[0]
    view = inference.attention(inference.exactly(colour), image, "ship", "cifar10/test/1", ink=False)
    np.testing.assert_array_equal(view.background, image)
    means = (image / 255).reshape(8, 4, 8, 4, 3).mean((1, 3, 4))
    np.testing.assert_allclose(view.picture, means)
    assert not view.ink
    assert (view.rows, view.columns, view.query.shape[:2]) == (8, 8, (2, 64))


def test_what_is_heard_of_a_model_says_where_its_tokens_lie(colour: str) -> None:
    found = inference.list_taps(inference.exactly(colour))
    assert found["attention.weights"].shape == (1, 2, 64, 64)
    assert found["attention.weights"].grid == colour_model.grid({})


class Drawing(torch.nn.Module):
    def forward(self, images: torch.Tensor, *, generator: torch.Generator) -> torch.Tensor:
        return torch.randn(len(images), 2, generator=generator)


def test_a_model_that_draws_random_numbers_gets_a_generator_of_the_seed(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = replace(MODELS["pixel_attention"], takes=("generator",))
    monkeypatch.setitem(MODELS, "pixel_attention", row)
    drawing = Checkpoint(Drawing(), checkpoint.card)
    batch = torch.zeros(3, 1, 28, 28)
    assert torch.equal(inference.ask(drawing, batch, seed=4), inference.ask(drawing, batch, seed=4))
    assert not torch.equal(inference.ask(drawing, batch, seed=4), inference.ask(drawing, batch, seed=5))
