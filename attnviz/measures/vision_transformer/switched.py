"""What becomes of an answer when a head, a layer or a single key is switched off.

Source: heads: "Are Sixteen Heads Really Better than One?", Michel et al., 2019, https://arxiv.org/abs/1905.10650.
A key that is switched off gets a score of minus infinity in every head of every layer, as in masked attention.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from attnviz.answers import predicted, probabilities
from attnviz.edits import Edit, off, set_value
from attnviz.tracing import trace

Array = npt.NDArray[np.float64]
Edits = Mapping[str, Edit | Sequence[Edit]]


def changes(model: nn.Module, images: Tensor, edits: Iterable[Edits]) -> tuple[Array, list[int]]:
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
