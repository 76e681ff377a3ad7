"""Derived values and seeds through the live channel, with a model and a mechanism that attnviz does not know."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attnviz import subjects
from attnviz.errors import BadInput
from attnviz.models import MODELS, Input, ModelSpec
from attnviz.readings import Reading
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net
from attnviz.tracing import Layer
from attnviz.ui.live import budget
from attnviz.ui.live.derived import Context, Derived, NoParameters
from attnviz.ui.mechanisms import MECHANISMS, pixel_attention

from .asked import answer
from .live_server import NAME, request

SIDE = 4


class Noisy(Layer):
    """Add one random number to each picture, where it is told to draw; the logits are the first three pixels."""

    taps = ("seen",)

    def forward(self, images: Tensor, *, generator: torch.Generator | None = None, factor: float = 1.0) -> Tensor:
        noise = torch.zeros(len(images)) if generator is None else torch.rand(len(images), generator=generator)
        return self.tap("seen", factor * images.flatten(1) + noise[:, None], "batch feature")[:, :3]


class Plain(Layer):
    """The same without chance: it takes nothing but pictures."""

    def forward(self, images: Tensor) -> Tensor:
        return images.flatten(1)[:, :3]


class Factor(Strict):
    """What the pixels are multiplied by."""

    factor: float


def multiplied(context: Context[Factor]) -> Tensor:
    model: Any = context.loaded.model
    assert context.logits is None and not context.seen
    logits: Tensor = model(context.images, generator=context.generator, factor=context.parameters.factor)
    return logits


def halves(context: Context[Any]) -> Mapping[str, Reading]:
    seen = context.seen["seen"].tensor
    assert context.logits is not None
    return {
        "top": Reading("top", seen[:, :8], ("batch", "feature")),
        "mean": Reading("mean", context.logits.mean(0), ("class",)),
    }


DERIVED = (
    Derived("halves", NoParameters, halves, lambda parameters: ("seen",)),
    Derived("multiplied", Factor, halves, lambda parameters: ("seen",), run=multiplied),
)


@pytest.fixture
def noisy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register a model that draws, one that does not, and a mechanism with two derived values; answer by any name."""
    for name, constructor, takes in (("noisy", Noisy, ("generator",)), ("plain", Plain, ())):
        spec = ModelSpec(name, constructor, "Nobody, 2026", lambda config: Input(1, SIDE, SIDE), takes=takes)
        monkeypatch.setitem(MODELS, name, spec)
    monkeypatch.setitem(
        MECHANISMS, "theirs", replace(pixel_attention.MECHANISM, name="theirs", derived=lambda: DERIVED)
    )
    known = subjects.net(NAME)

    def net(key: str) -> Net:
        spec = MODELS[key]
        return replace(known, key=key, architecture=key, input=spec.input({}), takes=spec.takes, build=spec.constructor)

    monkeypatch.setattr(subjects, "net", net)


@pytest.fixture
def images() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (3, SIDE, SIDE, 1), dtype=np.uint8)


def ask(images: np.ndarray, model: str = "noisy", **asked: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    message = request(1, {"pictures": images}, asks=[{"checkpoint": model, **asked}])
    return answer(message)


def pixels(images: np.ndarray) -> np.ndarray:
    return images.reshape(len(images), -1).astype(np.float32) / 255


def noise(seed: int, count: int) -> np.ndarray:
    return torch.rand(count, generator=torch.Generator().manual_seed(seed)).numpy()[:, None]


@pytest.mark.usefixtures("noisy")
def test_a_seed_is_all_that_chance_depends_on(images: np.ndarray) -> None:
    answers = [ask(images, seed=seed)[1]["logits"] for seed in (7, 8, 7)]
    np.testing.assert_array_equal(answers[0], answers[2])
    np.testing.assert_allclose(answers[0], pixels(images)[:, :3] + noise(7, 3), rtol=1e-6)
    assert not np.allclose(answers[0], answers[1])


@pytest.mark.usefixtures("noisy")
def test_without_a_seed_nothing_is_drawn(images: np.ndarray) -> None:
    for _ in range(2):
        np.testing.assert_array_equal(ask(images)[1]["logits"], pixels(images)[:, :3])


@pytest.mark.usefixtures("noisy")
def test_all_pictures_of_a_seed_are_one_pass(images: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """In several, the generator would be the same, but what is drawn for each picture of a larger model might not."""
    monkeypatch.setattr(budget, "at_once", lambda work: 1)
    shapes = []
    forward = Noisy.forward

    def counted(self: Noisy, images: Tensor, **given: Any) -> Tensor:
        shapes.append(len(images))
        return forward(self, images, **given)

    monkeypatch.setattr(Noisy, "forward", counted)
    ask(images, seed=7)
    assert shapes == [3]
    ask(images)
    assert shapes == [3, 1, 1, 1]


@pytest.mark.usefixtures("noisy")
def test_a_model_that_takes_no_generator_gets_none(images: np.ndarray) -> None:
    np.testing.assert_array_equal(ask(images, "plain", seed=7)[1]["logits"], ask(images, "plain")[1]["logits"])


@pytest.mark.usefixtures("noisy")
def test_several_arrays_come_back_by_the_names_of_the_parts(images: np.ndarray) -> None:
    header, arrays = ask(images, wanted={"map": {"derived": "halves"}})
    assert header["axes"] == {"map.top": ["batch", "feature"], "map.mean": ["class"]}
    assert "map" not in arrays
    np.testing.assert_array_equal(arrays["map.top"], pixels(images)[:, :8])
    np.testing.assert_allclose(arrays["map.mean"], pixels(images)[:, :3].mean(0), rtol=1e-6)


@pytest.mark.usefixtures("noisy")
def test_a_derived_value_may_make_the_pass_itself(images: np.ndarray) -> None:
    wanted = {"map": {"derived": "multiplied", "parameters": {"factor": 3.0}}}
    header, arrays = ask(images, wanted=wanted, seed=7)
    expected = 3 * pixels(images) + noise(7, 3)
    np.testing.assert_allclose(arrays["logits"], expected[:, :3], rtol=1e-6)
    np.testing.assert_allclose(arrays["map.top"], expected[:, :8], rtol=1e-6)
    assert header["parameters"] == {"map": {"factor": 3.0}}


@pytest.mark.usefixtures("noisy")
def test_edits_are_made_in_the_pass_of_a_derived_value(images: np.ndarray) -> None:
    wanted = {"map": {"derived": "multiplied", "parameters": {"factor": 3.0}}}
    off = {"edit": "off", "address": "seen", "index": {"feature": 1}}
    _, arrays = ask(images, wanted=wanted, edits=[off])
    expected = 3 * pixels(images)[:, :3]
    expected[:, 1] = 0
    np.testing.assert_allclose(arrays["logits"], expected, rtol=1e-6)


@pytest.mark.usefixtures("noisy")
def test_two_passes_that_differ_are_two_asks(images: np.ndarray) -> None:
    two = {
        name: {"derived": "multiplied", "parameters": {"factor": factor}} for name, factor in (("a", 2.0), ("b", 3.0))
    }
    with pytest.raises(BadInput, match="a, b each need a forward pass of their own"):
        ask(images, wanted=two)
    same = {name: {"derived": "multiplied", "parameters": {"factor": 2.0}} for name in ("a", "b")}
    _, arrays = ask(images, wanted={**same, "c": {"derived": "halves"}})
    for name in "abc":
        np.testing.assert_allclose(arrays[f"{name}.top"], 2 * pixels(images)[:, :8], rtol=1e-6)
