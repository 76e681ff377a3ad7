"""What the viewer shows of attention, against the model itself and its weights."""

import numpy as np
import pytest

from attnviz import data, subjects
from attnviz.errors import BadInput
from attnviz.subjects import Loaded, Picture
from attnviz.ui.dot_product import attending
from attnviz.ui.shared import inference
from attnviz.ui.shared.wording import share

EIGHT = Picture("strokes", int(np.flatnonzero(data.labels("strokes", "test") == 8)[0]))


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return subjects.net("pixel_attention.1v8").load(double=True)


def test_the_view_adds_up_to_the_models_answer(loaded: Loaded) -> None:
    view = attending.attention(loaded, EIGHT)
    layer, classifier = loaded.model.attention, loaded.model.classifier
    weights = np.exp(view.query @ view.key.transpose(0, 2, 1) - view.log_normaliser[..., None])  # size 1: no root
    np.testing.assert_allclose(weights.sum(-1), 1)
    np.testing.assert_allclose(view.received, weights.mean(1))
    output = (weights * view.carried[:, None, :]).sum((0, 2)) + layer.output.bias.item()
    np.testing.assert_allclose(view.output[:, 0], output)
    logit = output @ classifier.weight[0].numpy() + classifier.bias.item()
    np.testing.assert_allclose(view.probabilities, [1 / (1 + np.exp(logit)), 1 / (1 + np.exp(-logit))])
    assert view.carried_signed
    assert view.origin["digest"] == loaded.net.digest
    assert view.origin["answer"] == inference.answer(loaded, EIGHT) == f"8, {share(float(1 / (1 + np.exp(logit))))}"


def test_a_colour_picture_keeps_its_colours_and_its_mean_lies_under_the_tokens(colour: str) -> None:
    picture = Picture("cifar10", int(data.shown("cifar10").numbers[0]))
    image = data.load("cifar10", "samples").images[0]
    view = attending.attention(subjects.net(colour).load(double=True), picture)
    np.testing.assert_array_equal(view.background, image)
    means = (image / 255).reshape(8, 4, 8, 4, 3).mean((1, 3, 4))
    np.testing.assert_allclose(view.picture, means)
    assert not view.ink
    assert (view.rows, view.columns, view.query.shape[:2]) == (8, 8, (2, 64))


@pytest.mark.parametrize("name", ["transformer.strips-15", "cnn_attention.cluttered-zero"])
def test_a_net_whose_tokens_are_no_places_or_attend_to_nothing_is_refused(name: str) -> None:
    net = subjects.net(name)
    with pytest.raises(BadInput, match="has no layer in which tokens attend to one another"):
        attending.attention(net.load(double=True), Picture("strokes", 0))
