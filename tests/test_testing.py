"""The checks for other packages, attnviz/testing.py: layers and mechanisms of ours pass, and each fault is found."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import Layer, TraceError, cards, testing
from attnviz.layers.attention import Attention
from attnviz.layers.cbam import Cbam
from attnviz.layers.squeeze_excite import SqueezeExcite
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Derived, NoParameters
from attnviz.ui.mechanisms import MECHANISMS, Mechanism
from tests.layers.gates import filled, maps

TOKENS = torch.randn(3, 5, 6, generator=torch.Generator().manual_seed(0))
WEIGHTS = "batch head query key"


@pytest.mark.parametrize(
    ("layer", "given"),
    [
        (filled(Attention(features=6, heads=2, head_size=3)), TOKENS.double()),
        (filled(SqueezeExcite(channels=6, reduction=2)), maps()),
        (filled(Cbam(channels=6, reduction=2)).eval(), maps()),
    ],
    ids=lambda one: type(one).__name__,
)
def test_our_layers_pass(layer: nn.Module, given: Tensor) -> None:
    testing.check_layer(layer, given)


class Mine(Layer):
    """Attention of tokens to each other, with a fault."""

    taps = ("scores", "weights")

    def __init__(self, fault: str = "") -> None:
        super().__init__()
        self.fault = fault

    def forward(self, tokens: Tensor) -> Tensor:
        scores = self.tap("scores", (tokens @ tokens.mT)[:, None], axes=WEIGHTS)
        weights = torch.sigmoid(scores) if self.fault == "sigmoid" else scores.softmax(-1)
        if self.fault != "forgotten":
            tapped = self.tap("weights", weights, axes=WEIGHTS)
            weights = weights if self.fault == "read" else tapped
        return weights[:, 0] @ (tokens.detach() if self.fault == "detached" else tokens)


def test_a_layer_of_ones_own_passes() -> None:
    testing.check_layer(Mine(), TOKENS)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("sigmoid", r"The values of weights sum to one over key by their role, and are off by"),
        ("forgotten", r"Declared but not reached: \['weights'\]"),
        ("read", r"The edit of 'weights' does not reach the answer"),
    ],
)
def test_a_faulty_layer_is_told_what_is_wrong(fault: str, said: str) -> None:
    with pytest.raises((AssertionError, TraceError), match=said):
        testing.check_layer(Mine(fault), TOKENS)


def test_a_module_without_taps_and_derivatives_that_are_not_finite_are_refused() -> None:
    with pytest.raises(AssertionError, match="Linear has no taps: derive it from"):
        testing.check_layer(nn.Linear(2, 2), TOKENS)

    class Root(Layer):
        taps = ("output",)

        def forward(self, tokens: Tensor) -> Tensor:
            return self.tap("output", (tokens * 0).sqrt() + tokens.sum(1, keepdim=True), axes="batch token feature")

    with pytest.raises(AssertionError, match="Some derivatives are not finite"):
        testing.check_layer(Root(), TOKENS)


@pytest.mark.parametrize("name", MECHANISMS)
def test_our_mechanisms_pass_with_their_first_net(name: str) -> None:
    row = MECHANISMS[name]
    first = next(one for one in cards.names() if cards.read(one).recipe.model in row.models)
    testing.check_mechanism(name, [first])


def _no_panel(net: object) -> Panel:
    return Panel("Mine", "", "other.panels/mine.js", "")


def _jacobian() -> tuple[Derived[Any], ...]:
    return (Derived("jacobian", NoParameters, lambda context: context.seen["attention.weights"]),)


def _wanting(what: str) -> Callable[[object], Panel]:
    return lambda net: Panel("Mine", "", "share", "", {"address": what})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": "Look."}, "does not end with a question mark"),
        ({"url": "my page"}, "needs other characters"),
        ({"models": ("nothing",)}, "names the model nothing, and no table has it"),
        ({"page": "/nowhere/page.py"}, "The page /nowhere/page.py is not there"),
        ({"frontend": Path("/nowhere"), "components": ("mine.part",)}, "The folder of modules /nowhere is not there"),
        ({"preload": ("nothing",)}, r"The module nothing.js is not in"),
        ({"derived": _jacobian}, r"Derived values of others have the names \['jacobian'\]"),
        ({"panel": _no_panel}, "does not name the component other.panels of its renderer"),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)
def test_a_faulty_row_is_told_what_is_wrong(changes: dict[str, Any], said: str) -> None:
    row: Mechanism = replace(MECHANISMS["pixel_attention"], **changes)
    with pytest.raises(AssertionError, match=said):
        testing.check_mechanism(row, ["pixel_attention.1v8"])


def test_a_panel_that_wants_what_its_net_has_not_is_refused() -> None:
    row = replace(MECHANISMS["pixel_attention"], panel=_wanting("attention.nothing"))
    with pytest.raises(Exception, match=r"attention\.nothing"):
        testing.check_mechanism(row, ["pixel_attention.1v8"])
    with pytest.raises(AssertionError, match="There is no net to check pixel_attention with"):
        testing.check_mechanism(row, [])
