"""Compute the text that a net outputs for a strip, and the weights of each step. Loads torch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.data.digit_strips import SIDE, STOP, STRIPS
from attnviz.errors import BadInput
from attnviz.layers.columns import PITCH
from attnviz.readings import Reading
from attnviz.subjects import Example, Loaded, Net, Strip, Subject
from attnviz.tracing import trace
from attnviz.ui.components.alignment import AlignmentView, Text, Weights
from attnviz.ui.mechanisms.sequences import curves
from attnviz.ui.shared import inference

GRADIENT = "gradient"
"""The name of the gradients of the predictions, which are computed only on request because they take long."""
FIRST = "first"
"""A second name of the last layer that attends to the strip, whichever it is."""


class Looking(NamedTuple):
    """A layer in which steps or columns, the queries, attend to others; its name in the URL is like "cross-2"."""

    name: str
    title: str
    path: str
    queries: str
    keys: str


@dataclass(frozen=True)
class Change:
    """The changes to a net while it reads.

    Args:
        path: The path of the layer whose weights are moved.
        head: The head of that layer whose weights are moved, or None for all heads.
        moved: Step -> the number of columns by which its weights are moved to the right.
        unmasked: Whether each step may attend to later ones.
    """

    path: str = ""
    head: int | None = None
    moved: Mapping[int, int] = field(default_factory=dict)
    unmasked: bool = False


NO_CHANGE = Change()


def looking(model: nn.Module) -> list[Looking]:
    """Return the layers of a model that attend, beginning with the last one that attends to the strip."""
    found: list[Looking] = []
    counts: dict[str, int] = {}
    for path, layer in model.named_modules():
        taps = getattr(layer, "taps", ())
        if "weights" not in taps:
            continue
        kind = "additive" if "energies" in taps else _kind_of(path)
        counts[kind] = counts.get(kind, 0) + 1
        title, queries, keys = _KINDS[kind]
        number = counts[kind]
        found.append(Looking(f"{kind}-{number}", f"{title}, layer {number}", path, queries, keys))
    if not found:
        return [Looking("context", "The one vector", "decoder", "steps", "numbers")]
    if [one.name for one in found] == ["additive-1"]:
        return [found[0]._replace(name="additive", title="Additive attention")]
    order = list(_KINDS)
    return sorted(found, key=lambda one: (order.index(one.name.partition("-")[0]), -int(one.name.partition("-")[2])))


def named(model: nn.Module) -> dict[str, Looking]:
    """Return the layers of a model that attend, by name; the first of `looking` is also called "first"."""
    found = looking(model)
    return {FIRST: found[0], **{one.name: one for one in found}}


_KINDS = {
    "additive": ("Additive attention", "steps", "columns"),
    "cross": ("Cross-attention", "steps", "columns"),
    "decoder": ("Decoder, self-attention", "steps", "steps"),
    "encoder": ("Encoder, self-attention", "columns", "columns"),
}


def _kind_of(path: str) -> str:
    words = path.split(".")
    return "cross" if words[-1] == "cross" else "decoder" if words[0] == "decoder" else "encoder"


def said(
    model: nn.Module, images: Tensor, told: Sequence[int] | None, change: Change = NO_CHANGE, keep: Sequence[str] = ()
) -> tuple[Tensor, Mapping[str, Reading]]:
    """Return a model's logits for a strip, (1, step, class), and the readings of the taps `keep` by path.

    The strip is float (1, 1, 28, column) in 0..1. The steps receive the model's own predictions or, under teacher
    forcing, the symbols in `told`.
    """
    targets = None if told is None else torch.tensor([list(told)], device=images.device)
    edits = _edits(model, change, at_once=told is not None)
    if not keep and not edits:
        with torch.no_grad():
            return model(images, targets=targets), {}
    with torch.no_grad(), trace(model, list(keep), edits) as seen:
        logits: Tensor = model(images, targets=targets)
    return logits, seen


def _edits(model: nn.Module, change: Change, *, at_once: bool) -> dict[str, Callable[[Tensor], Tensor]]:
    edits: dict[str, Callable[[Tensor], Tensor]] = {}
    if change.moved:
        edits[f"{change.path}.weights"] = _Moving(change, at_once)
    if change.unmasked:
        masks = [path for path, layer in model.named_modules() if "mask" in getattr(layer, "taps", ())]
        edits |= {f"{path}.mask": torch.ones_like for path in masks}
    return edits


class _Moving:
    """An edit that moves the weights of some steps, whether all steps are computed at once or one by one.

    An edit that names the steps would be refused if a text ended before it reached them.
    """

    def __init__(self, change: Change, at_once: bool) -> None:
        self.change, self.at_once, self.visits = change, at_once, 0

    def __call__(self, weights: Tensor) -> Tensor:
        whole = weights.ndim == 4 and self.at_once  # (batch, head, step, key)
        steps = range(weights.shape[2]) if whole else [self.visits]
        self.visits += 1
        changed = weights
        for step in steps:
            by = self.change.moved.get(step)
            if by is None:
                continue
            if changed is weights:
                changed = weights.clone()
            heads = slice(None) if self.change.head is None else slice(self.change.head, self.change.head + 1)
            part = changed[:, heads, step] if whole else changed[:, heads]
            part.copy_(moved(part, by))
        return changed


def moved(weights: Tensor, by: int) -> Tensor:
    """Return weights (..., key) moved along the strip; weights that leave it are lost, and the rest is renormalised."""
    keys = weights.shape[-1]
    by = max(1 - keys, min(keys - 1, by))
    found = torch.zeros_like(weights)
    if by >= 0:
        found[..., by:] = weights[..., : keys - by]
    else:
        found[..., :by] = weights[..., -by:]
    total = found.sum(-1, keepdim=True)
    return torch.where(total > 0, found / total.clamp(min=torch.finfo(total.dtype).tiny), weights)


def text_and_least(loaded: Loaded, example: Example) -> tuple[str, float]:
    """Return the text that a net reads from a strip, such as "314", and the probability of its least certain symbol."""
    logits, _ = said(loaded.model, inference.batch_of(loaded, example), None)
    probabilities, symbols = logits[0].softmax(-1).max(-1)
    text = symbols.tolist()
    end = text.index(STOP) if STOP in text else len(text)
    return "".join(map(str, text[:end])), float(probabilities[: end + 1].min())


def weights_of(reading: Reading, one: Looking, steps: int) -> Tensor:
    """Return a layer's weights, (head, query, key), from its tap "weights", or "context" for a decoder without it."""
    tensor, axes = reading.tensor, reading.axes
    if one.keys == "numbers":  # (step, batch, feature)
        return tensor[:, 0][None]
    tensor = tensor.select(axes.index("batch"), 0)
    axes = tuple(axis for axis in axes if axis != "batch")
    if axes == ("step", "head", "query", "key"):  # one query at each step
        tensor, axes = tensor[:, :, 0], ("step", "head", "key")
    if axes == ("step", "head", "key"):
        tensor = tensor.transpose(0, 1)
    return tensor[..., :steps] if one.keys == "steps" else tensor


def taps_of(layers: Sequence[Looking]) -> list[str]:
    """Return the tap paths of the weights, or of the context, of some layers."""
    return [f"{one.path}.{'context' if one.keys == 'numbers' else 'weights'}" for one in layers]


def right_text(net: Net, example: Example) -> list[int] | None:
    """Return the target of a net for a strip, as symbols including the final one, or None if it is unknown."""
    text = example.text_for(net) if isinstance(example, Strip) else example.target
    return None if text is None else [*(int(digit) for digit in text), STOP]


def reads(net: Net, target: str | None) -> list[int] | None:
    """Return the place on the strip of the digit that each step should predict, from 0, or None if it is unknown.

    Equal digits of a sorted text are taken from left to right.
    """
    how = STRIPS.get(net.data or "")
    if how is None or target is None:
        return None
    places = range(len(target))
    if how.order == "sorted":
        return sorted(places, key=lambda place: target[place])
    return list(reversed(places)) if how.order == "reversed" else list(places)


def view(loaded: Loaded, example: Example) -> AlignmentView:
    """Return the page's contents for a net that reads a strip."""
    net, model = loaded.net, loaded.model
    if "targets" not in net.takes:
        raise BadInput(f"{net.key} outputs no text. Look at it in the explorer.")
    layers = looking(model)
    keep = taps_of(layers)
    images = inference.batch_of(loaded, example)
    right = right_text(net, example)
    reader: Any = model
    with torch.no_grad(), trace(model, keep) as own_seen:
        encoded = reader.encode(images)
        own_logits = reader.decode(encoded)
    own = _text(own_logits)
    told, told_seen = None, None
    if right is not None:
        decoding = [tap for one, tap in zip(layers, keep, strict=True) if one.queries != "columns"]
        with torch.no_grad(), trace(model, decoding) as told_seen:
            told_logits = reader.decode(encoded, torch.tensor([right]))
        start = told_logits.shape[-1]
        told = Text(told_logits.softmax(-1)[0].numpy(), [start, *right[:-1]])
    shown = [
        Weights(
            one.name, one.title, one.path, one.queries, one.keys,  # type: ignore[arg-type]
            _array(own_seen, tap, one, len(own.before)),
            None if told_seen is None or one.queries == "columns" else _array(told_seen, tap, one, len(right or ())),
            net.config.get("attention") != "uniform",
        )
        for one, tap in zip(layers, keep, strict=True)
    ]  # fmt: skip
    shown.append(Weights(GRADIENT, "Gradient of the answer", "", "steps", "columns", None, learnt=False, of="gradient"))
    picture = example.taken_by(net)
    return AlignmentView(
        picture=picture,
        digits=picture.shape[1] // SIDE,
        pitch=PITCH,
        classes=net.classes,
        right=right,
        reads=reads(net, example.target),
        own=own,
        told=told,
        layers=tuple(shown),
        trained=STRIPS[net.data].longest if net.data in STRIPS else None,
        kind=kind_of(net),
        curves=tuple(curves.of(net)),
        checkpoint=net.key,
        asked=example.asked,
        origin=Subject(net, example).origin(),
    )


def columns_tap(model: nn.Module) -> str:
    """Return the tap path of a model's columns."""
    for path, layer in model.named_modules():
        if "columns" in getattr(layer, "taps", ()):
            return f"{path}.columns"
    raise BadInput("Only a model that reads a strip column by column has this.")


def gradients(model: nn.Module, images: Tensor, text: Sequence[int]) -> Tensor:
    """Return how much each column of features counts for each step of a text, by the gradient.

    The result is (step, column): the norm of the derivative of the logit of a step's symbol, which the next step
    receives, with respect to the features of a column. Each row is divided by its sum.
    """
    steps = len(text)
    several = images.expand(steps, -1, -1, -1).clone().requires_grad_()  # one copy for each step: one backward pass
    tap = columns_tap(model)
    with torch.enable_grad(), trace(model, [tap], gradients=True) as seen:
        logits = model(several, targets=torch.tensor([list(text)]).expand(steps, -1))
    chosen = logits[torch.arange(steps), torch.arange(steps), torch.tensor(list(text))].sum()
    (found,) = torch.autograd.grad(chosen, seen[tap].tensor)  # (step, column, feature)
    norms = found.norm(dim=-1)
    total = norms.sum(-1, keepdim=True)
    return torch.where(total > 0, norms / total.clamp(min=1e-300), torch.full_like(norms, 1 / norms.shape[-1]))


def kind_of(net: Net) -> str:
    """Return the kind of attention of a net: "additive", "uniform", "none" or "transformer"."""
    return str(net.config.get("attention", "transformer"))


def _array(seen: Mapping[str, Reading], tap: str, one: Looking, steps: int) -> np.ndarray:
    return weights_of(seen[tap], one, steps).numpy()


def _text(logits: Tensor) -> Text:
    """Return a model's own predictions, in which each step received the most probable symbol of the step before."""
    symbols = logits[0].argmax(-1).tolist()
    return Text(logits.softmax(-1)[0].numpy(), [logits.shape[-1], *symbols[:-1]])
