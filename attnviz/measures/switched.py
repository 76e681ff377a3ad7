"""Heads switched off: where that is done in a layer, what the right answer loses, and when a head comes to matter.

Source: switching one head off and looking at what becomes of the answer is the ablation of "Are Sixteen Heads Really
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
"""A head does not matter by itself if the right answer loses less probability than this without it."""


class HeadLayer(NamedTuple):
    """A layer with heads.

    Args:
        path: of the layer in the model.
        heads: how many it has.
        output: path of the tap at which one of them is switched off: the last of the layer with an axis of heads.
        maps: path of the tap that says which places a head attends to; "" where none does.
    """

    path: str
    heads: int
    output: str
    maps: str


def head_layers(taps: Mapping[str, tuple[Sequence[str], Sequence[int]]]) -> list[HeadLayer]:
    """Return the layers of a model that have heads, from its tap paths -> axes and shape, in the order of the forward
    pass.
    """
    found: dict[str, HeadLayer] = {}
    for address, (axes, shape) in taps.items():
        if "head" not in axes:
            continue
        path = address.rpartition(".")[0]
        before = found.get(path)
        maps = address if role_of(address).attends == "weights" else before.maps if before else ""
        found[path] = HeadLayer(path, shape[list(axes).index("head")], address, maps)
    return list(found.values())


def lost(whole: Tensor, without: Tensor, right: Tensor) -> Tensor:
    """Return how much probability the right answer loses.

    Args:
        whole, without: (picture, class), each 0..1 and summing to 1 over the classes.
        right: int64 (picture,), the right answers.

    Returns:
        (picture,), 1 (it was certain, and becomes impossible) to -1 (the reverse: it gains).
    """
    if whole.shape != without.shape or whole.ndim != 2 or right.shape != whole.shape[:1]:
        shapes = " with ".join(str(tuple(one.shape)) for one in (whole, without, right))
        raise BadInput(f"Answers are compared as (picture, class), twice, and (picture,), not {shapes}.")
    chosen = right[:, None]
    fallen: Tensor = (whole.gather(1, chosen) - without.gather(1, chosen))[:, 0]
    return fallen


def appears(effects: Sequence[float], least: float = MATTERS) -> int | None:
    """Return when a head comes to matter: the first place from which on its effect is at least half of the last.

    Args:
        effects: of the head, epoch by epoch; at least one.
        least: a head whose last effect is below this does not matter.

    Returns:
        A place among the effects; None for a head that does not matter in the end.
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
    """Return how much probability the answer of one picture loses with each of some edits, and what is answered then.

    Args:
        model: in evaluation mode.
        images: float (1, channel, row, column) in 0..1.
        edits: each as `trace` takes it.

    Returns:
        float64 (edit,), -1..1, above 0 where the answer becomes less likely; and the answers, numbers of classes.
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
    """Return the edit that switches all heads of a layer off: it adds nothing to any token, its bias neither."""
    return {f"{attention}.output": off()}


def key_off(attentions: Sequence[str], key: int) -> Edits:
    """Return the edit after which no token may look at one of them, in no head of any layer; not even itself."""
    return {f"{path}.scores": set_value(-torch.inf, key=key) for path in attentions}
