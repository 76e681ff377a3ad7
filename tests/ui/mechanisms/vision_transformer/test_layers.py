"""What the board of layers shows equals tensors that are computed apart."""

from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz.answers import as_batch, probabilities
from attnviz.errors import BadInput
from attnviz.subjects import Picture, net
from attnviz.tracing import trace
from attnviz.ui.components.layer_board import OF_TOKENS
from attnviz.ui.live.derived import Context
from attnviz.ui.mechanisms.vision_transformer import answers, layers, words
from attnviz.ui.mechanisms.vision_transformer.derived import OfHead, answer_row, panel_of, taps_of
from attnviz.views.payload import unpack
from tests.measures.vision_transformer.outlier import with_an_outlier

from .placed import SHOWN

PICTURE = Picture("strokes", 23)


@pytest.mark.parametrize("name", SHOWN)
def test_weights_distances_and_answers_equal_those_of_a_pass_that_spells_them_out(here: Path, name: str) -> None:
    loaded = net(f"vision_transformer.{name}").load(double=True)
    picture = Picture("cifar10", 1) if name == "cifar" else PICTURE
    view = layers.view(loaded, picture)
    images = as_batch(picture.taken_by(loaded.net), double=True)
    with torch.no_grad(), trace(loaded.model, "*") as seen:
        logits = loaded.model(images)
    grid = loaded.model.grid
    places = torch.tensor([[row, column] for row in range(grid.rows) for column in range(grid.columns)]) * grid.stride
    away = torch.cdist(places.double(), places.double())
    for layer in range(3):
        weights = seen[f"layers.{layer}.attention.weights"].tensor[0]
        scores = np.einsum("hqs,hks->hqk", view.query[layer], view.key[layer]) / np.sqrt(view.query.shape[-1])
        np.testing.assert_allclose(np.exp(scores - view.log_normaliser[layer][..., None]), weights, atol=1e-12)
        np.testing.assert_allclose(view.received[layer], weights.mean(1), atol=1e-12)
        entropy = -(weights * weights.log2()).sum(-1).mean(-1)
        np.testing.assert_allclose(view.entropy[layer], entropy, atol=1e-9)
        np.testing.assert_allclose(view.nowhere[layer], weights[..., : grid.prefix].sum(-1).mean(-1), atol=1e-12)
        among = weights[:, grid.prefix :, grid.prefix :]
        distance = (among / among.sum(-1, keepdim=True) * away).sum(-1).mean(-1)
        np.testing.assert_allclose(view.distance[layer], distance, atol=1e-9)
        tokens = loaded.model.answer.norm(seen[f"layers.{layer}.output"].tensor[0])
        read = tokens[grid.prefix :].mean(0) if loaded.model.answer.mean else tokens[0]
        expected = torch.softmax(loaded.model.answer.scores(read), -1).detach()
        np.testing.assert_allclose(view.answers[layer], expected, atol=1e-12)
        attention = loaded.model.layers[layer].attention
        value = seen[f"layers.{layer}.attention.value"].tensor[0]
        for head in range(2):
            part = attention.output.weight[:, head * 4 : head * 4 + 4]
            expected = (value[head] @ part.mT).norm(dim=-1).detach()
            np.testing.assert_allclose(view.carried[layer, head], expected, atol=1e-12)
    np.testing.assert_allclose(view.answers[-1], probabilities(logits)[0], atol=1e-12)
    np.testing.assert_allclose(view.probabilities, view.answers[-1], atol=1e-12)


def test_queries_of_one_picture_meet_the_keys_of_another(here: Path) -> None:
    loaded, other = net("vision_transformer.digits").load(double=True), Picture("strokes", 4)
    view = layers.across(loaded, PICTURE, other.data, other.number)
    tensors = []
    for picture, tap in ((PICTURE, "query"), (other, "key")):
        with torch.no_grad(), trace(loaded.model, [f"layers.1.attention.{tap}"]) as seen:
            loaded.model(as_batch(picture.taken_by(loaded.net), double=True))
        tensors.append(seen[f"layers.1.attention.{tap}"].tensor[0])
    query, key = tensors
    expected = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    scores = np.einsum("hqs,hks->hqk", view.query[1], view.key[1]) / np.sqrt(query.shape[-1])
    np.testing.assert_allclose(np.exp(scores - view.log_normaliser[1][..., None]), expected, atol=1e-12)
    np.testing.assert_allclose(view.received[1], expected.mean(1), atol=1e-12)
    np.testing.assert_array_equal(view.background, other.taken_by(loaded.net))


def test_the_tokens_that_lie_nowhere_have_names_and_the_payload_holds_every_layer(here: Path) -> None:
    view = layers.view(net("vision_transformer.registers").load(double=True), PICTURE)
    assert view.names == ("register 1", "register 2")
    header, arrays = unpack(view.packed())
    assert (header["layers"], header["prefix"], header["names"]) == (3, 2, ["register 1", "register 2"])
    for name in OF_TOKENS:
        np.testing.assert_array_equal(arrays[name], getattr(view, name))
    assert layers.names_of(3, class_token=True) == ("class token", "register 1", "register 2")


def test_a_net_whose_attention_is_even_is_refused_with_a_sentence(here: Path) -> None:
    with pytest.raises(BadInput, match="has no layers in which patches attend to one another"):
        layers.view(net("vision_transformer.even").load(double=True), PICTURE)


def test_the_panel_shows_the_last_layer_and_of_the_control_the_picture(here: Path) -> None:
    panel = panel_of(net("vision_transformer.digits"))
    assert (panel.rows, panel.columns, panel.prefix, panel.heads) == (4, 4, 1, 2)
    assert panel.wanted["parameters"] == {"layer": "layers.2.attention", "head": 0}
    assert "the class token attends to" in panel.says
    assert "the patches together attend to" in panel_of(net("vision_transformer.registers")).says
    assert panel_of(net("vision_transformer.even")).renderer == "ink"


@pytest.mark.parametrize("name", ["digits", "registers"])
def test_outliers_move_to_a_register_and_a_sentence_says_what_that_changes(here: Path, name: str) -> None:
    loaded = net(f"vision_transformer.{name}").load(double=True)
    classes = loaded.net.classes
    assert words.register(answers.look(loaded, PICTURE), classes).startswith("No patch has an outlying norm")
    images = as_batch(PICTURE.taken_by(loaded.net), double=True)
    found = answers.look(loaded._replace(model=with_an_outlier(loaded.model, images)), PICTURE)
    assert found.moved is not None and found.own["outliers"] >= 1
    said = words.register(found, classes)
    assert f"({found.own['norm']:.1f} without)" in said and "The answer" in said


@pytest.mark.parametrize(("name", "mean"), [("digits", False), ("registers", True)])
def test_what_the_answer_is_read_from_takes_as_the_weights_say(here: Path, name: str, mean: bool) -> None:
    loaded = net(f"vision_transformer.{name}").load(double=True)
    images = as_batch(PICTURE.taken_by(loaded.net), double=True)
    given = OfHead(layer="layers.2.attention", head=1)
    with torch.no_grad(), trace(loaded.model, [*taps_of(given), "layers.2.attention.weights"]) as seen:
        loaded.model(images)
    found = answer_row(Context(loaded, images, given, seen=seen))
    weights = seen["layers.2.attention.weights"].tensor[0, 1]
    expected = weights[2:].mean(0) if mean else weights[0]
    np.testing.assert_allclose(found.tensor[0], expected * weights.shape[-1], atol=1e-12)
    with pytest.raises(BadInput, match="has 2 heads, counted from 0; there is no head 2"):
        answer_row(Context(loaded, images, OfHead(layer="layers.2.attention", head=2), seen=seen))
