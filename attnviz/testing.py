"""Checks of layers, models and mechanisms for the tests of any package that extends attnviz.

    from attnviz import testing

    def test_my_layer():
        testing.check_layer(Stage(3, 6), torch.rand(2, 3, 8, 8))

    def test_my_model():
        testing.check_model("colour_stages", {"classes": ("a", "b", "c"), "channels": 3})

    def test_my_mechanism():
        testing.check_mechanism("colour_stages")

`check_model` runs all checks of a model on a row of `attnviz.models.MODELS`, with pictures of the row's size; the
single checks take any model. A check that fails raises an `AssertionError` that states what was expected, or the
`TraceError` of a trace that would have been wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from attnviz.models import ModelSpec, spec
from attnviz.models.parts import columns_of
from attnviz.readings import Reading
from attnviz.roles import ROLES
from attnviz.tracing import Layer, trace

if TYPE_CHECKING:
    from attnviz.subjects import Net

PICTURES = 4


def check_layer(layer: nn.Module, *given: Tensor, unused: Sequence[str] = ()) -> None:
    """Check a single layer: equal inputs give equal outputs, all taps are reached and reading them changes nothing,
    their values have the properties promised by their roles, an edit of each tap changes the output, and the output's
    derivatives with respect to the inputs and all used parameters are finite.

    Args:
        layer: a `Layer`, or a module of several, in evaluation mode or without dropout.
        *given: its inputs, floats.
        unused: parts of the paths of taps that do not reach the output.
    """
    assert taps_of(layer), f"{type(layer).__name__} has no taps: derive it from attnviz.Layer and list them in `taps`."
    check_taps(layer, *given)
    check_roles(layer, *given)
    check_edits(layer, *given, unused=unused)
    asked = tuple(one.detach().clone().requires_grad_() for one in given)
    total = torch.stack([one.double().square().sum() for one in _tensors(layer(*asked))]).sum()
    wanted = [*asked, *(one for one in layer.parameters() if one.requires_grad)]
    found = torch.autograd.grad(total, wanted, allow_unused=True)
    assert any(one is not None for one in found[: len(asked)]), "The output does not depend on the inputs."
    for one in found:
        assert one is None or torch.isfinite(one).all(), "Some derivatives are not finite."


def check_mechanism(row: Any, nets: Sequence[Net | str] | None = None, *, seed: int = 0) -> None:
    """Check the row of a mechanism: its pages, models, papers and modules exist, its derived values have unique names,
    and each net gets the mechanism's views and a panel with finite values from the live channel. It needs
    `attnviz[app]`.

    Args:
        row: a `Mechanism`, or the name of one in `attnviz.ui.mechanisms.MECHANISMS`.
        nets: the nets or their keys; None for all checkpoints of its models.
        seed: the seed of the picture, and of models that sample.
    """
    mechanisms = import_module("attnviz.ui.mechanisms")  # by name, as only the app may import `ui`
    import_module("attnviz.ui.checks").check(mechanisms.MECHANISMS[row] if isinstance(row, str) else row, nets, seed)


def check_model(
    model: str | ModelSpec, config: Mapping[str, Any], *, unused: Sequence[str] = (), seed: int = 0
) -> nn.Module:
    """Check a model that predicts a distribution over its classes, or one for each step.

    Args:
        model: a name in `attnviz.models.MODELS`, or a row.
        config: the model's configuration, including "classes".
        unused: parts of the paths of taps that do not reach the answer, such as a baseline.
        seed: the seed of the weights and of the pictures.

    Returns:
        The checked model, in evaluation mode.
    """
    row = spec(model) if isinstance(model, str) else model
    taken = row.input(config)
    chance = torch.Generator().manual_seed(seed)
    pictures = torch.rand(PICTURES, taken.channels, taken.rows, taken.columns, generator=chance)

    def build(number: int) -> nn.Module:
        return row.build(config, torch.Generator().manual_seed(number)).eval()

    built = build(seed)
    check_answer(built, pictures, columns_of(config["classes"]), per_step=row.per_step)
    if not row.per_step:  # a model with steps may stop once all pictures have ended
        check_alone(built, pictures)
    check_weights(build, pictures)
    if taps_of(built):
        check_taps(built, pictures)
        check_roles(built, pictures)
        check_edits(built, pictures, unused=unused)
    return built


def taps_of(model: nn.Module) -> list[str]:
    """Return the paths of all taps that the layers of a model declare."""
    layers = [(path, layer) for path, layer in model.named_modules() if isinstance(layer, Layer)]
    return [f"{path}.{name}" if path else name for path, layer in layers for name in layer.taps]


def check_answer(model: nn.Module, pictures: Tensor, columns: int, *, per_step: bool = False) -> None:
    """Check that the logits are finite, with a row for each picture: (batch, columns), or (batch, step, columns)."""
    logits = model(pictures)
    shape = tuple(logits.shape)
    assert len(shape) == 2 + per_step and (shape[0], shape[-1]) == (len(pictures), columns), (
        f"Expected logits of {len(pictures)} pictures and {columns} columns, not of shape {shape}."
    )
    assert torch.isfinite(logits).all(), "Some logits are not finite."


def check_alone(model: nn.Module, pictures: Tensor) -> None:
    """Check that a picture's logits do not depend on the batch, and that they do depend on the picture."""
    alone = torch.cat([model(picture[None]) for picture in pictures])
    torch.testing.assert_close(alone, model(pictures), rtol=1e-4, atol=1e-5)
    assert len(torch.unique(alone)) > 1, "All pictures get the same logits."


def check_taps(model: nn.Module, *given: Tensor) -> None:
    """Check that one pass reaches every declared tap, and that reading the taps does not change the output."""
    untouched = model(*given)
    with trace(model) as seen:
        heard = model(*given)
    assert sorted(seen) == sorted(taps_of(model)), (
        f"Declared but not reached: {sorted({*taps_of(model)} - {*seen})}; reached but not declared: "
        f"{sorted({*seen} - {*taps_of(model)})}."
    )
    torch.testing.assert_close(heard, untouched, rtol=1e-4, atol=1e-5)
    for path in taps_of(model):  # a layer may take a faster path if only some of its taps are read
        with trace(model, keep=[path]):
            torch.testing.assert_close(model(*given), untouched, rtol=1e-4, atol=1e-5)


def check_roles(model: nn.Module, *given: Tensor) -> None:
    """Check that taps with known names have the axes, ranges and sums promised by `attnviz.roles.ROLES`."""
    with torch.no_grad(), trace(model) as seen:
        model(*given)
    for path, reading in seen.items():
        if (role := ROLES.get(path.rpartition(".")[2])) is None:
            continue
        own = " ".join(reading.axes)
        visit = " ".join(reading.axes[1:])  # of a layer that is called repeatedly, stacked along the first axis
        assert {own, visit} & {*role.axes}, (
            f"The axes of {path} are {own!r}, and {' or '.join(map(repr, role.axes))} were expected."
        )
        _check_values(path, reading, role.range, role.sums_to_one)


def _check_values(path: str, reading: Reading, span: str, sums_to_one: str | None) -> None:
    least, most = float(reading.tensor.min()), float(reading.tensor.max())
    assert span == "signed" or least >= 0, f"The values of {path} are at least 0 by their role, and one is {least:g}."
    assert span != "unit" or most <= 1, f"The values of {path} are at most 1 by their role, and one is {most:g}."
    if sums_to_one:
        sums = reading.tensor.double().sum(reading.axes.index(sums_to_one))
        off = float((sums - 1).abs().max())
        assert off <= 1e-5, f"The values of {path} sum to one over {sums_to_one} by their role, and are off by {off:g}."


def check_edits(model: nn.Module, *given: Tensor, unused: Sequence[str] = (), seed: int = 2) -> None:
    """Check that an edit of any tap changes the output, except taps whose path contains a string of `unused`."""
    untouched = [*_tensors(model(*given))]
    chance = torch.Generator().manual_seed(seed)
    for path in taps_of(model):
        if any(part in path for part in unused):
            continue

        def noisy(value: Tensor) -> Tensor:
            return value + torch.randn(value.shape, generator=chance, dtype=value.dtype)

        with trace(model, keep=[], edits={path: noisy}):
            edited = [*_tensors(model(*given))]
        same = all(torch.allclose(one, other, rtol=1e-3) for one, other in zip(edited, untouched, strict=True))
        assert not same, f"An edit of {path} does not change the output."


def _tensors(output: Any) -> Iterator[Tensor]:
    """Yield the tensors in a module's output: a tensor, or a tuple of tensors and other objects."""
    if isinstance(output, Tensor):
        yield output
    elif isinstance(output, tuple | list):
        for one in output:
            yield from _tensors(one)


def check_weights(build: Callable[[int], nn.Module], pictures: Tensor) -> None:
    """Check that another generator makes another model, and that saved and loaded weights give the same logits.

    Args:
        build: a function from a seed to a model in evaluation mode.
        pictures: a batch that the model takes.
    """
    model, other = build(0), build(1)
    assert not torch.equal(other(pictures), model(pictures)), "Another generator gives the same logits."
    other.load_state_dict(load(save(model.state_dict())))
    assert torch.equal(other(pictures), model(pictures)), "Saved and loaded weights give other logits."
