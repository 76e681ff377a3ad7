"""Derived values in the answers of the live channel, against the model itself."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attnviz import cards, checkpoints, data
from attnviz.answers import as_batch, predicted
from attnviz.data import always, strokes
from attnviz.errors import AttnvizError
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import Layer, trace
from tests.training.several import lay_several

from .asked import CANVAS, TOKENS, answer, ask, given, read
from .live_server import NAME, request


def test_a_mean_row_is_the_mean_of_the_weights_of_what_has_ink(model: PixelAttention, images: np.ndarray) -> None:
    images = np.where(images > 120, images, 0).astype(np.uint8)
    wanted = {"row": {"derived": "mean_row", "parameters": {"layer": "attention", "head": 1}}}
    header, arrays = ask(images, wanted=wanted)
    with trace(model, "attention.weights") as seen:
        model(as_batch(images))
    weights = seen["attention.weights"].at(head=1).numpy()  # (batch, query, key)
    for picture, found, rows in zip(images, arrays["row"], weights, strict=True):
        np.testing.assert_allclose(found, rows[picture.flatten() > 0].mean(0) * TOKENS, rtol=1e-5)
    assert header["axes"] == {"row": ["batch", "key"]}


def test_a_mean_row_leaves_the_layer_its_fused_path(
    model: PixelAttention, images: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    spelled: list[str] = []
    real = type(model.attention).tap

    def tap(layer: Any, name: str, *more: Any, **named: Any) -> Tensor:
        spelled.append(name)
        return real(layer, name, *more, **named)

    monkeypatch.setattr(type(model.attention), "tap", tap)
    wanted = {"derived": "mean_row", "parameters": {"layer": "attention", "head": 0}}
    ask(images, wanted={str(number): wanted for number in range(60)})  # more than there may be maps over all pairs
    assert not {"scores", "weights"} & set(spelled)
    assert "query" in spelled
    with pytest.raises(
        AttnvizError, match="mean_row can be requested 256 times at once, counting every picture; here it is 300"
    ):
        ask(np.concatenate([images, images[:2]]), wanted={str(number): wanted for number in range(60)})


def test_edits_before_the_weights_change_a_mean_row_and_later_ones_are_refused(
    model: PixelAttention, images: np.ndarray
) -> None:
    wanted = {"row": {"derived": "mean_row", "parameters": {"layer": "attention", "head": 1}}}
    off = {"edit": "off", "address": "attention.query", "index": {"head": 1}}
    np.testing.assert_allclose(ask(images, wanted=wanted, edits=[off])[1]["row"], 1, rtol=1e-5)
    for tap in ("scores", "weights"):
        with pytest.raises(AttnvizError, match=f"cannot show the edit of attention.{tap}"):
            ask(images, wanted=wanted, edits=[{**off, "address": f"attention.{tap}"}])
    mixed = ask(images, wanted=wanted, edits=[{**off, "address": "attention.mixed"}])[1]
    np.testing.assert_array_equal(mixed["row"], ask(images, wanted=wanted)[1]["row"])


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            {"derived": "mean_row", "parameters": {"layer": "attention", "head": 3}},
            "head 3 does not exist; there are 3",
        ),
        ({"derived": "mean_row", "parameters": {"layer": "attention2", "head": 0}}, "Did you mean 'attention.key'"),
        ({"derived": "added_by_pixel"}, "not a sum over pixels"),
    ],
)
def test_what_cannot_be_made_is_said(model: PixelAttention, images: np.ndarray, wanted: dict, said: str) -> None:
    with pytest.raises(AttnvizError, match=said):
        ask(images, wanted={"a": wanted})


class Other(Layer):
    """A layer with queries and keys that does not take their dot product."""

    taps = ("query", "key")

    def forward(self, images: Tensor) -> Tensor:
        tokens = images.flatten(2).mT[:, None]  # (batch, head, token, feature)
        tokens = self.tap("query", tokens, axes="batch head token feature")
        return self.tap("key", tokens, axes="batch head token feature").flatten(1)[:, :3]


def test_a_mean_row_of_another_kind_of_layer_is_refused(monkeypatch: pytest.MonkeyPatch, images: np.ndarray) -> None:
    given(monkeypatch, Other())
    with pytest.raises(AttnvizError, match="not dot-product attention"):
        ask(images, wanted={"a": {"derived": "mean_row", "parameters": {"layer": "", "head": 0}}})


def test_the_least_uniform_head_is_found_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    name = lay_several(tmp_path).name
    asks = [
        {
            "checkpoint": name,
            "wanted": {"row": {"derived": "mean_row", "parameters": {"layer": "attention", "head": head}}},
        }
        for head in ("least_uniform", 0, 1, 2, 3)
    ]
    asked = read(request(1, {"pictures": CANVAS}, prepare={"centred": True}, asks=asks))
    header, arrays = answer(asked, 0)
    rows = [answer(asked, place)[1]["row"] for place in range(1, 5)]
    np.testing.assert_array_equal(arrays["row"], rows[header["parameters"]["row"]["head"]])
    # Apart, spelled out: on a drawn digit of each class, the head whose mean row has the smallest entropy.
    model, card = checkpoints.load(name)
    labels = data.labels("strokes", "test")[:256]
    entropies = np.zeros(4)
    for label in card.recipe.classes:
        image = strokes.load("test", 256)[0][[int(np.flatnonzero(labels == label)[0])]]
        with torch.no_grad(), trace(model, "attention.weights") as seen:
            model(as_batch(image))
        grid = seen["attention.weights"].grid
        side = int(grid.stride)
        inked = as_batch(image)[0, 0].reshape(grid.rows, side, grid.columns, side).amax((1, 3)).flatten() > 0
        mean = seen["attention.weights"].at(batch=0)[:, inked].mean(1).double()
        entropies += -(mean * mean.log()).sum(1).numpy()
    assert header["parameters"]["row"]["head"] == entropies.argmin()


@pytest.mark.parametrize(
    "name",
    [
        "pixel_line.digits",
        "pixel_line.1v8",
        "histogram_line.digits",
        "histogram_line.1v8",
        "pixel_attention.1v8-one-token",
        "pixel_line.cifar",  # in colour: a pixel adds what its three numbers add
    ],
)
def test_what_pixels_add_makes_the_answer_together(name: str) -> None:
    kind = always.source(cards.read(name).recipe.data)
    assert kind
    image = data.load(kind, data.shown(kind).split, count=4).images[[3]]
    message = request(
        1,
        {"pictures": np.concatenate([image, 0 * image])},
        asks=[{"checkpoint": name, "wanted": {"map": {"derived": "added_by_pixel"}}}],
    )
    header, arrays = answer(message)
    assert header["axes"] == {"map": ["batch", "row", "column"]}
    assert not arrays["map"][:, (image[0] == 0).all(-1)].any()
    drawn, blank = arrays["logits"]
    best = int(predicted(torch.tensor(drawn)[None]))
    sides = np.array([2 * best - 1]) if len(drawn) == 1 else np.eye(len(drawn))[best] - 1 / len(drawn)
    np.testing.assert_allclose(sides @ blank + arrays["map"][0].sum(), sides @ drawn, atol=1e-4)


def test_nets_that_are_no_sum_are_refused() -> None:
    image = strokes.load("test", 256)[0][3]
    for name in ("histogram_mlp.digits", "ink.digits", NAME):
        message = request(
            1, {"pictures": image}, asks=[{"checkpoint": name, "wanted": {"map": {"derived": "added_by_pixel"}}}]
        )
        with pytest.raises(AttnvizError, match="not a sum over pixels"):
            answer(message)
