"""What the page is given of a strip: texts and weights against a computation in numpy, for every kind of net."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.subjects import Strip, Subject, net
from attnviz.ui.mechanisms.sequences import reading
from attnviz.ui.mechanisms.sequences.view import ALIGNMENT_VIEW
from attnviz.views.payload import unpack
from tests.ui.mechanisms.asked import ask_net

from .placed import NETS
from .spelled import moved, spelled

STRIP = Strip.test("strokes", 4, 2)


@pytest.mark.parametrize("key", NETS)
def test_texts_and_weights_are_those_of_the_file_of_weights(here: Path, key: str) -> None:
    one = net(key)
    header, arrays = unpack(ALIGNMENT_VIEW.of(Subject(one, STRIP)))
    net_on_strip = spelled(here, key, STRIP.picture)
    right = [*(int(digit) for digit in STRIP.target or ""), 10]
    assert header["right"] == right
    assert header["told"]["before"] == [11, *right[:-1]]
    own, told = net_on_strip.read(), net_on_strip.read(right)
    assert header["own"]["before"] == [11, *own.said[:-1]]
    np.testing.assert_allclose(arrays["own.probabilities"], own.probabilities, atol=1e-6)
    np.testing.assert_allclose(arrays["told.probabilities"], told.probabilities, atol=1e-6)
    for number, layer in enumerate(header["layers"][:-1]):  # the last one is the gradient
        np.testing.assert_allclose(arrays[f"{number}.own"], own.weights[layer["name"]], atol=1e-6)
        if layer["queries"] == "steps":
            np.testing.assert_allclose(arrays[f"{number}.right"], told.weights[layer["name"]], atol=1e-6)
    first = header["layers"][0]["name"]
    assert first == ("cross-2" if "transformer" in key else "context" if "one-vector" in key else "additive")


@pytest.mark.parametrize(
    ("key", "more"),
    [
        ("encoder_decoder.strips-15", {}),
        ("transformer.strips-15", {"layer": "cross-2"}),
        ("transformer.strips-15", {"layer": "cross-1", "head": 1}),
    ],
)
@pytest.mark.parametrize("told", [None, [3, 1, 4, 1, 10]])
def test_moved_weights_are_those_that_the_net_goes_on_with(
    here: Path, key: str, more: dict[str, Any], told: list[int] | None
) -> None:
    by = {1: 3, 2: -2}
    name = more.get("layer", "additive")
    parameters = {
        "told": told, "shown": [name], "moved": [{"step": step, "by": columns} for step, columns in by.items()], **more,
    }  # fmt: skip
    found = ask_net(key, STRIP.picture, {"read": {"derived": "read", "parameters": parameters}})
    wanted = spelled(here, key, STRIP.picture).read(told, by, more.get("layer", ""), more.get("head"))
    np.testing.assert_allclose(found.logits[0], wanted.logits, atol=2e-4)
    axes, weights = found.found[f"read.{name}"]
    assert axes == ["batch", "head", "query", "key"]
    np.testing.assert_allclose(weights[0], wanted.weights[name], atol=1e-5)


def test_without_its_mask_a_step_looks_at_later_ones(here: Path) -> None:
    told = [3, 1, 4, 1, 10]
    parameters = {"told": told, "unmasked": True, "shown": ["decoder-1"]}
    found = ask_net("transformer.strips-15", STRIP.picture, {"read": {"derived": "read", "parameters": parameters}})
    wanted = spelled(here, "transformer.strips-15", STRIP.picture).read(told, masked=False)
    np.testing.assert_allclose(found.logits[0], wanted.logits, atol=2e-4)
    assert float(found.found["read.decoder-1"][1][0, 0, 0, 1:].min()) > 0


def test_the_layer_that_looks_at_the_strip_last_is_called_first_of_any_net(here: Path) -> None:
    for key in NETS:
        found = ask_net(key, STRIP.picture, {"map": {"derived": "read", "parameters": {"shown": ["first"]}}})
        assert found.found["map.first"][1].shape[1] in (1, 2)


@pytest.mark.parametrize(
    ("key", "parameters", "said"),
    [
        ("transformer.strips-15", {"shown": ["cross-9"]}, "no layer 'cross-9'"),
        ("transformer.strips-15", {"layer": "encoder-1", "moved": [{"step": 0, "by": 1}]}, "cannot be moved"),
        ("transformer.strips-15", {"head": 2, "moved": [{"step": 0, "by": 1}]}, "there is no head 2"),
        ("transformer.strips-15", {"unmasked": True}, "no mask to remove"),
        ("encoder_decoder.strips-15", {"unmasked": True, "told": [1, 10]}, "no mask to remove"),
        ("encoder_decoder.strips-15-one-vector", {"moved": [{"step": 0, "by": 1}]}, "cannot be moved"),
        ("encoder_decoder.strips-15", {"told": [11]}, "must be at most 10"),
        ("encoder_decoder.strips-15", {"moved": [{"step": 31, "by": 1}]}, "must be below 31"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(
    here: Path, key: str, parameters: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        ask_net(key, STRIP.picture, {"read": {"derived": "read", "parameters": parameters}})


def test_weights_are_moved_as_far_as_the_strip_goes() -> None:
    import torch

    row = np.array([[0.1, 0.6, 0.2, 0.1]])
    for by in (-1, 0, 1, 2):
        np.testing.assert_allclose(reading.moved(torch.from_numpy(row), by).numpy(), moved(row, by))
    np.testing.assert_allclose(reading.moved(torch.from_numpy(row), 99).numpy(), [[0, 0, 0, 1]])
    empty = torch.tensor([[0.0, 0.0, 1.0]])
    assert reading.moved(empty, 2).tolist() == empty.tolist(), "nothing would be left"


@pytest.mark.parametrize("key", ["encoder_decoder.strips-15-one-vector", "transformer.strips-15"])
def test_gradients_are_those_of_small_changes_of_the_columns(here: Path, key: str) -> None:
    right, apart = [*(int(digit) for digit in STRIP.target or ""), 10], 1e-5
    wanted = {"read": {"derived": "read", "parameters": {"shown": ["gradient"], "told": right}}}
    axes, found = ask_net(key, STRIP.picture, wanted).found["read.gradient"]
    assert axes == ["batch", "head", "query", "key"]
    steps = np.arange(len(right))
    net_on_strip = spelled(here, key, STRIP.picture)
    own = net_on_strip.columns.copy()
    changes = np.zeros((len(right), *own.shape))
    for place in np.ndindex(own.shape):
        logits = []
        for sign in (1, -1):
            net_on_strip.columns = own.copy()
            net_on_strip.columns[place] += sign * apart
            logits.append(net_on_strip.read(right).logits[steps, right])
        changes[(slice(None), *place)] = (logits[0] - logits[1]) / (2 * apart)
    norms = np.linalg.norm(changes, axis=-1)
    np.testing.assert_allclose(found[0, 0], norms / norms.sum(-1, keepdims=True), atol=1e-4)
