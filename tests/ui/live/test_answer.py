"""What comes back over the live channel, against the model itself."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attnviz.answers import as_batch
from attnviz.edits import off, scale
from attnviz.errors import AttnvizError, BadInput
from attnviz.models.pixel_attention import PixelAttention
from attnviz.readings import Reading
from attnviz.tracing import Layer, trace
from attnviz.ui.live import answer as live_answer

from .asked import HEADS, TOKENS, answer, ask, given
from .live_server import request


class Glimpses(Layer):
    """A model that looks twice, and adds up what it sees there."""

    taps = ("query",)

    def forward(self, images: Tensor) -> Tensor:
        for _ in range(2):
            images = images + 1
            images = self.tap("query", images.flatten(1), axes="batch feature", per="glimpse").view_as(images)
        return images.flatten(1)[:, :3]


def test_logits_and_probabilities_are_the_models(model: PixelAttention, images: np.ndarray) -> None:
    header, arrays = ask(images)
    logits = model(as_batch(images))
    assert header.pop("milliseconds") > 0
    assert header == {
        "number": 1, "ask": 0, "done": True, "checkpoint": "any", "digest": "abc", "axes": {}, "parameters": {}
    }  # fmt: skip
    np.testing.assert_array_equal(arrays["logits"], logits)
    np.testing.assert_allclose(arrays["probabilities"], torch.cat([-logits, logits], 1).sigmoid())
    assert {array.dtype.name for array in arrays.values()} == {"float32"}


def test_a_head_switched_off_and_one_scaled(model: PixelAttention, images: np.ndarray) -> None:
    _, arrays = ask(
        images,
        edits=[
            {"edit": "off", "address": "attention.mixed", "index": {"head": 1}},
            {"edit": "scale", "address": "attention.mixed", "index": {"head": [0, 2]}, "factor": 1.5},
        ],
    )
    with trace(model, [], {"attention.mixed": [off(head=1), scale(1.5, head=[0, 2])]}):
        expected = model(as_batch(images))
    np.testing.assert_array_equal(arrays["logits"], expected)
    assert not np.allclose(arrays["logits"], ask(images)[1]["logits"])


def test_a_part_keeps_nothing_else_of_its_tap_in_memory(
    model: PixelAttention, images: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Tensor] = []
    joined = live_answer.joined

    def noted(parts: list[Reading]) -> Reading:
        kept.extend(part.tensor for part in parts)
        return joined(parts)

    monkeypatch.setattr(live_answer, "joined", noted)
    row = {"derived": "mean_row", "parameters": {"layer": "attention", "head": 0}}
    ask(images, wanted={"row": {"address": "attention.weights", "index": {"head": 1, "query": 2}}, "mean": row})
    assert len(kept) == 6
    assert [one.untyped_storage().nbytes() for one in kept] == [one.nbytes for one in kept]


def test_edits_that_overflow_are_a_sentence(model: PixelAttention, images: np.ndarray) -> None:
    grow = {"edit": "scale", "address": "attention.mixed", "factor": 1e38}
    assert np.isfinite(ask(images, edits=[{**grow, "factor": 1e30}])[1]["logits"]).all()
    with pytest.raises(BadInput, match="the numbers in any become too large for an answer"):
        ask(images, edits=[grow, grow])


def test_an_array_can_be_set_and_a_head_made_uniform(model: PixelAttention, images: np.ndarray) -> None:
    mixed = np.random.default_rng(1).normal(size=(TOKENS, 2))
    edits = [
        {"edit": "set", "address": "attention.mixed", "index": {"head": 2}, "array": "new"},
        {"edit": "set", "address": "attention.mixed", "index": {"head": 0, "token": 5}, "value": 7},
        {"edit": "uniform", "address": "attention.mixed", "index": {"head": 1}},
    ]
    wanted = {name: {"address": f"attention.{name}"} for name in ("mixed", "value")}
    message = request(
        1, {"pictures": images, "new": mixed}, asks=[{"checkpoint": "x", "edits": edits, "wanted": wanted}]
    )
    header, arrays = answer(message)
    assert header["axes"]["mixed"] == ["batch", "head", "token", "feature"]
    for picture in range(3):
        np.testing.assert_allclose(arrays["mixed"][picture, 2], mixed, rtol=1e-6)
    assert (arrays["mixed"][:, 0, 5] == 7).all()
    even = arrays["value"][:, 1].mean(1, keepdims=True)
    np.testing.assert_allclose(arrays["mixed"][:, 1], np.broadcast_to(even, (3, TOKENS, 2)), rtol=1e-5)


@pytest.mark.parametrize(
    ("index", "axes", "place"),
    [
        ({"head": 2, "query": 17}, ["batch", "key"], np.s_[:, 2, 17]),
        ({"head": 0, "key": 3, "batch": 2}, ["query"], np.s_[2, 0, :, 3]),
        ({"query": 35}, ["batch", "head", "key"], np.s_[:, :, 35]),
        ({}, ["batch", "head", "query", "key"], np.s_[:]),
    ],
)
def test_what_is_wanted_of_several_pictures(
    model: PixelAttention, images: np.ndarray, index: dict, axes: list[str], place: Any
) -> None:
    header, arrays = ask(images, wanted={"row": {"address": "attention.weights", "index": index}})
    with trace(model, "attention.weights") as seen:
        model(as_batch(images))
    assert header["axes"] == {"row": axes}
    np.testing.assert_allclose(arrays["row"], seen["attention.weights"].tensor.numpy()[place], rtol=1e-5)


def test_glimpses_can_be_edited_and_wanted_by_their_number(monkeypatch: pytest.MonkeyPatch, images: np.ndarray) -> None:
    given(monkeypatch, Glimpses())
    header, arrays = ask(
        images,
        edits=[{"edit": "off", "address": "query", "index": {"glimpse": 0}}],
        wanted={"first": {"address": "query", "index": {"glimpse": 0}}, "both": {"address": "query"}},
    )
    assert header["axes"] == {"first": ["batch", "feature"], "both": ["glimpse", "batch", "feature"]}
    assert not arrays["first"].any()
    assert (arrays["both"][1] == 1).all()
    assert arrays["probabilities"].shape == (3, 3)


def test_maps_are_made_for_one_picture_at_a_time(
    model: PixelAttention, images: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    model.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0])))
    ask(images)
    ask(images, wanted={"all": {"address": "attention.mixed"}})
    assert sizes == [3, 3]
    ask(images, edits=[{"edit": "off", "address": "attention.weights", "index": {"head": 1}}])
    assert sizes[2:] == [1, 1, 1]
    monkeypatch.setattr(live_answer, "PAIRS", 5)
    with pytest.raises(AttnvizError, match="5 times at once, counting every picture; here it is 6 times"):
        ask(images, wanted={name: {"address": "attention.weights", "index": {"head": 0}} for name in "ab"})


def test_an_answer_that_would_be_too_large(
    model: PixelAttention, images: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    bytes_ = 3 * HEADS * TOKENS * TOKENS * 4
    monkeypatch.setattr(live_answer, "ANSWER", bytes_)
    ask(images, wanted={"all": {"address": "attention.weights"}})
    monkeypatch.setattr(live_answer, "ANSWER", bytes_ - 1)
    with pytest.raises(AttnvizError, match="may have at most .* bytes; this one would have more. Name an index"):
        ask(images, wanted={"all": {"address": "attention.weights"}})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"wanted": {"a": {"address": "attention.weight"}}}, "Did you mean 'attention.weights'"),
        ({"wanted": {"a": {"address": "attention.mixed", "index": {"head": 3}}}}, "head 3 does not exist; there are 3"),
        ({"wanted": {"a": {"address": "attention.mixed", "index": {"key": 3}}}}, "has no axis 'key'"),
        ({"wanted": {"a": {"address": "attention.mixed", "index": {"batch": 3}}}}, "batch 3 does not exist"),
        ({"edits": [{"edit": "off", "address": "mixed"}]}, "Did you mean 'attention.mixed'"),
        ({"edits": [{"edit": "off", "address": "attention.mixed", "index": {"head": 3}}]}, "there are 3, counted from"),
        ({"edits": [{"edit": "uniform", "address": "attention.value"}]}, "not at 'attention.value'"),
    ],
)
def test_what_there_is_not_is_said(model: PixelAttention, images: np.ndarray, asked: dict, said: str) -> None:
    with pytest.raises(AttnvizError, match=said):
        ask(images, **asked)


def test_pictures_of_another_size(model: PixelAttention) -> None:
    with pytest.raises(AttnvizError, match=r"shape \(batch, 1, 6, 6\), not"):
        ask(np.zeros((5, 5, 1), np.uint8))
