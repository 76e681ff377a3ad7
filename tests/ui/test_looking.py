"""What a page gets of a model and a picture, against the model itself and its weights."""

import numpy as np
import pytest
import torch

from attnviz import checkpoints, data
from attnviz.checkpoints import Checkpoint
from attnviz.ui import looking

NAME = "pixel_attention.1v8"


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return looking.exactly(NAME)


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    images, labels = data.load("strokes", "test", count=256)
    return images[np.flatnonzero(labels == 8)[0]]


def test_the_view_adds_up_to_the_models_answer(checkpoint: Checkpoint, image: np.ndarray) -> None:
    view = looking.attention(checkpoint, image, "8", "strokes/test/0")
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


def test_what_is_shown_exactly_is_what_the_net_computes_in_single_precision(
    checkpoint: Checkpoint, image: np.ndarray
) -> None:
    single = checkpoints.load(NAME).model(looking.as_batch(image).float())
    double = checkpoint.model(looking.as_batch(image))
    assert double.dtype == torch.float64
    assert torch.allclose(single.double(), double, rtol=1e-4)


def test_a_control_has_nothing_to_hear(image: np.ndarray) -> None:
    assert looking.heard(looking.exactly("pixel_line.1v8"), image) == {}


def test_answers_are_labels_for_known_classes_and_minus_one_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    few = data.load("strokes", "test", count=200)
    monkeypatch.setattr(looking.data, "load", lambda *_: few)
    found = looking.answers(NAME, "strokes")
    known = np.isin(few.labels, (1, 8))
    assert set(found[known]) == {1, 8}
    assert set(found[~known]) == {-1}
    assert (found[known] == few.labels[known]).mean() > 0.9
