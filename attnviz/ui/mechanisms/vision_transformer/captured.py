"""The sinks and outliers of the visitor's own model, also with a register at test time. Imports torch."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from attnviz.answers import probabilities
from attnviz.capture.as_last import layers_of
from attnviz.capture.extra_token import extra_token, hidden_of, inputs_of
from attnviz.capture.frames import tensors_of
from attnviz.capture.watching import watch
from attnviz.errors import BadInput
from attnviz.figures.captured import lies_in
from attnviz.listening import Trace
from attnviz.measures import sanity, switched
from attnviz.measures.vision_transformer import late_registers, normal
from attnviz.subjects import Subject, own
from attnviz.tracing import trace
from attnviz.ui.mechanisms.vision_transformer.answers import SEED, Normal
from attnviz.ui.shared.own_models import batch_of, running

_SAME = 1e-4  # maximum difference of logits that are the same, relative to the largest

NO_ROWS = "its tokens do not all attend to all, or those of the picture do not lie in rows after all others"
NO_TOKEN = "with one more token that nobody attends to, it does not compute the same"
NO_CLASSES = "its output is not one number for each class"


@dataclass(frozen=True)
class Tokens:
    """The tokens of a model: how many have no position on the picture, their names, and the columns of the others."""

    prefix: int
    names: tuple[str, ...]
    columns: int


@dataclass(frozen=True, eq=False)
class Look:
    """The findings in the visitor's own model.

    Args:
        found: the sinks and outliers, compared with random weights; with a register at test time if that can be tried.
        tokens: its tokens.
        why: the reason why a register at test time cannot be tried, or "".
        outputs: the number of classes; 0 if no register was tried.
    """

    found: Normal
    tokens: Tokens
    why: str = ""
    outputs: int = 0


def look(subject: Subject) -> Look:
    """Return what is found in the visitor's own model on an example; BadInput: the reason why nothing is measured."""
    mine = own.own()
    with running(mine):
        return look_at(mine.model, batch_of(mine, subject.example.picture))


def look_at(model: nn.Module, batch: Tensor) -> Look:
    """Do as `look` for a model and its input."""
    seen = watch(model, "*weights")(batch)
    layers = layers_of(model, seen.captured.calls)
    tokens = _tokens(seen, [*layers])
    trained, outputs = _found(model, batch, layers)
    *_, random = sanity.randomised(model, sanity.from_the_top(model), seed=SEED)
    drawn, _ = _found(random, batch, layers)
    found = Normal(
        normal.together(trained),
        normal.together(drawn),
        [one.token for one in trained],
        [one.sink for one in trained],
    )
    if not any(late_registers.outliers(one, tokens.prefix).any() for one in outputs):
        return Look(found, tokens)
    try:
        hidden = hidden_of(model, layers, seen.captured.calls)
        with torch.no_grad(), inputs_of(model, hidden) as inner:
            model(batch)
        neurons = late_registers.neurons_of(outputs, [one[0] for one in inner], tokens.prefix)
        before = _logits(model, batch)
        moved = _moved(model, batch, found, layers, hidden, neurons, tokens.prefix, before)
        return Look(moved, tokens, outputs=before.shape[1])
    except BadInput as error:
        return Look(found, tokens, str(error))


def _moved(
    model: nn.Module, batch: Tensor, found: Normal, layers: Mapping[str, str], hidden: Sequence[str],
    neurons: Sequence[late_registers.Neuron], prefix: int, before: Tensor,
) -> Normal:  # fmt: skip
    """Return the findings with what neurons computed at outliers moved to a new token."""
    paths = [*layers.values()]
    hidden_from_all = dict(switched.key_off([*layers], prefix))
    try:
        with extra_token(model, paths, prefix, {}), trace(model, keep=(), edits=hidden_from_all, capture=True):
            alone = _logits(model, batch)
    except Exception as error:
        raise BadInput(NO_TOKEN) from error
    if not float((alone - before).abs().max()) <= _SAME * float(before.abs().max()):
        raise BadInput(NO_TOKEN)
    by_layer = {
        path: partial(late_registers.move, neurons=numbers, prefix=prefix + 1)
        for layer, path in enumerate(hidden)
        if (numbers := [one.number for one in neurons if one.layer == layer])
    }
    after, _ = _found(model, batch, layers, (prefix, by_layer))
    with extra_token(model, paths, prefix, by_layer):
        answers = [probabilities(one)[0].double() for one in (before, _logits(model, batch))]
    return replace(
        found,
        moved=normal.together(after),
        answers=tuple((int(one.argmax()), float(one.max())) for one in answers),
        neurons=len(neurons),
    )


def _found(
    model: nn.Module, batch: Tensor, layers: Mapping[str, str], extra: tuple[int, Mapping[str, Any]] | None = None
) -> tuple[list[normal.Found], list[Tensor]]:
    """Return the findings in each layer, and the tokens that it returns, (token, feature)."""
    outputs: list[Tensor] = []

    def keep(_: nn.Module, given: Any, returned: Any) -> None:
        outputs.append(tensors_of((returned,))[0][0].detach().clone())

    with ExitStack() as hooks:
        for path in layers.values():
            hooks.callback(model.get_submodule(path).register_forward_hook(keep).remove)
        if extra is not None:
            hooks.enter_context(extra_token(model, [*layers.values()], *extra))
        seen = watch(model, "*weights")(batch)
    weights = (seen[f"{path}.weights"].at(batch=0) for path in layers)
    return [normal.found_in(one, tokens) for one, tokens in zip(weights, outputs, strict=True)], outputs


def _tokens(seen: Trace, paths: Sequence[str]) -> Tokens:
    lies = [lies_in(seen, path) for path in paths]
    first = lies[0].grid
    for one in lies:
        even = one.some is None and torch.equal(one.order, torch.arange(len(one.order)))
        if not even or (one.grid.prefix, one.grid.columns) != (first.prefix, first.columns):
            raise BadInput(NO_ROWS)
    return Tokens(first.prefix, lies[0].names or (), first.columns)


def _logits(model: nn.Module, batch: Tensor) -> Tensor:
    with torch.no_grad():
        output = model(batch)
    found = getattr(output, "logits", output)
    if not isinstance(found, Tensor) or found.ndim != 2 or found.shape[1] < 2:
        raise BadInput(NO_CLASSES)
    return found
