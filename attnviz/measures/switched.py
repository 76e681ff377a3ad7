"""Heads switched off: where to do so in a layer, the effect on the right answer, and when a head begins to matter.

Source: switching off one head and measuring the effect on the answer is the ablation of "Are Sixteen Heads Really
Better than One?", Michel, Levy and Neubig, 2019, https://arxiv.org/abs/1905.10650, section 3.2. A key that is switched
off gets a score of minus infinity in every head of every layer, as in masked attention.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.answers import predicted, probabilities
from attnviz.arrays import Floats
from attnviz.edits import Edit, off, set_value
from attnviz.errors import BadInput
from attnviz.roles import role_of
from attnviz.tracing import trace

MATTERS = 0.01
"""A head alone does not matter if the right answer loses less probability than this without it."""


class HeadLayer(NamedTuple):
    """A layer with heads.

    Args:
        path: path of the layer in the model.
        heads: number of heads.
        output: path of the tap at which a head is switched off, the layer's last tap with an axis of heads.
        maps: path of the tap with the positions that a head attends to; "" if there is none.
    """

    path: str
    heads: int
    output: str
    maps: str


def head_layers(taps: Mapping[str, tuple[Sequence[str], Sequence[int]]]) -> list[HeadLayer]:
    """Return a model's layers with heads, in the order of the forward pass, given tap path -> axes and shape."""
    found: dict[str, HeadLayer] = {}
    for tap_path, (axes, shape) in taps.items():
        if "head" not in axes:
            continue
        path = tap_path.rpartition(".")[0]
        before = found.get(path)
        maps = tap_path if role_of(tap_path).attends == "weights" else before.maps if before else ""
        found[path] = HeadLayer(path, shape[list(axes).index("head")], tap_path, maps)
    return list(found.values())


def lost(whole: Tensor, without: Tensor, right: Tensor) -> Tensor:
    """Return the loss of probability of the right answer.

    Args:
        whole, without: (picture, class), each 0..1 and summing to 1 over the classes.
        right: int64 (picture,), the right answers.

    Returns:
        (picture,), from 1 (it was certain and becomes impossible) to -1 (the reverse).
    """
    if whole.shape != without.shape or whole.ndim != 2 or right.shape != whole.shape[:1]:
        shapes = " with ".join(str(tuple(one.shape)) for one in (whole, without, right))
        raise BadInput(f"Answers are compared as (picture, class), twice, and (picture,), not {shapes}.")
    chosen = right[:, None]
    fallen: Tensor = (whole.gather(1, chosen) - without.gather(1, chosen))[:, 0]
    return fallen


def appears(effects: Sequence[float], least: float = MATTERS) -> int | None:
    """Return when a head begins to matter: the first epoch after which its effect stays at least half the last.

    Args:
        effects: effect of the head in each epoch, at least one.
        least: a head whose last effect is below this does not matter.

    Returns:
        An index of `effects`, or None if the head does not matter in the end.
    """
    last = effects[-1]
    if last < least:
        return None
    place = len(effects) - 1
    while place and effects[place - 1] >= last / 2:
        place -= 1
    return place


Edits = Mapping[str, Edit | Sequence[Edit]]


def changes(model: nn.Module, images: Tensor, edits: Iterable[Edits]) -> tuple[Floats, list[int]]:
    """Return the loss of probability of one picture's answer under each of several edits, and the resulting answers.

    Args:
        model: the model, in evaluation mode.
        images: float (1, channel, row, column) in 0..1.
        edits: edits in the form that `trace` takes.

    Returns:
        float64 (edit,), -1..1, above 0 if the answer becomes less likely; and the answers, as numbers of classes.
    """
    with torch.no_grad():
        whole = model(images)
        answer = int(predicted(whole))
        lost, answers = [], []
        for one in edits:
            with trace(model, keep=(), edits=dict(one)):
                logits = model(images)
            lost.append(float(probabilities(whole)[0, answer] - probabilities(logits)[0, answer]))
            answers.append(int(predicted(logits)))
    return np.array(lost), answers


def head_off(attention: str, head: int) -> Edits:
    """Return the edit that switches a head off; `attention` is the path of its layer."""
    return {f"{attention}.mixed": off(head=head)}


def attention_off(attention: str) -> Edits:
    """Return the edit that switches off all heads of a layer, so that it adds nothing to any token, not even a bias."""
    return {f"{attention}.output": off()}


def key_off(attentions: Sequence[str], key: int) -> Edits:
    """Return the edit that hides a key from all tokens, including itself, in every head of every layer."""
    return {f"{path}.scores": set_value(-torch.inf, key=key) for path in attentions}
