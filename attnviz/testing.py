"""What a model must do to stand beside those of attnviz, as checks for the tests of any package.

    from attnviz import testing

    def test_my_model():
        testing.check_model("colour_stages", {"classes": ("a", "b", "c"), "channels": 3})

`check_model` runs all of them on a row of `attnviz.models.MODELS`, with pictures of the size that the row names; the
others take a model as it is. A check that fails raises an `AssertionError` that says what was expected.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from safetensors.torch import load, save
from torch import Tensor, nn

from attnviz.models import ModelSpec, spec
from attnviz.models.parts import columns_of
from attnviz.tracing import Layer, trace

PICTURES = 4


def check_model(
    model: str | ModelSpec, config: Mapping[str, Any], *, unused: Sequence[str] = (), seed: int = 0
) -> nn.Module:
    """Check a model that answers with one distribution over its classes, or with one for each step.

    Args:
        model: a name in `attnviz.models.MODELS`, or a row.
        config: of the model, with its "classes".
        unused: parts of paths of taps that do not reach the answer, such as that of a baseline.
        seed: of the weights and of the pictures.

    Returns:
        The model that was checked, in evaluation mode.
    """
    row = spec(model) if isinstance(model, str) else model
    taken = row.input(config)
    chance = torch.Generator().manual_seed(seed)
    pictures = torch.rand(PICTURES, taken.channels, taken.rows, taken.columns, generator=chance)

    def build(number: int) -> nn.Module:
        return row.build(config, torch.Generator().manual_seed(number)).eval()

    built = build(seed)
    check_answer(built, pictures, columns_of(config["classes"]), per_step=row.per_step)
    if not row.per_step:  # a model of steps may end where all have ended
        check_alone(built, pictures)
    check_weights(build, pictures)
    if taps_of(built):
        check_taps(built, pictures)
        check_edits(built, pictures, unused)
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
    """Check that a picture alone gets the logits that it gets in a batch, and that pictures make a difference."""
    alone = torch.cat([model(picture[None]) for picture in pictures])
    torch.testing.assert_close(alone, model(pictures), rtol=1e-4, atol=1e-5)
    assert len(torch.unique(alone)) > 1, "All pictures get the same logits."


def check_taps(model: nn.Module, pictures: Tensor) -> None:
    """Check that one pass reaches every declared tap, and that the logits are the same while it is read."""
    untouched = model(pictures)
    with trace(model) as seen:
        heard = model(pictures)
    assert sorted(seen) == sorted(taps_of(model)), (
        f"Declared but not reached: {sorted({*taps_of(model)} - {*seen})}; reached but not declared: "
        f"{sorted({*seen} - {*taps_of(model)})}."
    )
    torch.testing.assert_close(heard, untouched, rtol=1e-4, atol=1e-5)
    for path in taps_of(model):  # a layer may take a faster way where only some of its taps are read
        with trace(model, keep=[path]):
            torch.testing.assert_close(model(pictures), untouched, rtol=1e-4, atol=1e-5)


def check_edits(model: nn.Module, pictures: Tensor, unused: Sequence[str] = (), seed: int = 2) -> None:
    """Check that an edit of any tap changes the logits, but for those of whose path `unused` has a part."""
    untouched = model(pictures)
    chance = torch.Generator().manual_seed(seed)
    for path in taps_of(model):
        if any(part in path for part in unused):
            continue
        with trace(model, keep=[], edits={path: lambda value: value + torch.randn(value.shape, generator=chance)}):
            edited = model(pictures)
        assert not torch.allclose(edited, untouched, rtol=1e-3), f"An edit of {path} does not change the logits."


def check_weights(build: Callable[[int], nn.Module], pictures: Tensor) -> None:
    """Check that another generator gives another model, and that saved and loaded weights give the same logits.

    Args:
        build: from a seed to a model in evaluation mode.
        pictures: that it takes.
    """
    model, other = build(0), build(1)
    assert not torch.equal(other(pictures), model(pictures)), "Another generator gives the same logits."
    other.load_state_dict(load(save(model.state_dict())))
    assert torch.equal(other(pictures), model(pictures)), "Saved and loaded weights give other logits."
