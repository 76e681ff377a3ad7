"""What one pair of tokens adds to an answer, for models in which the answer is linear in what attention puts out.

There, logit = rest + the sum over heads, queries and keys of weight x (what the key's value adds for that query):

    worth(head, query, key) = readout[query] . (projection[:, head] @ value[head, key])

The sum is exact. The weights depend on the picture too, so a term says what this pair adds, not what the answer would
be without it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnviz.answers import answer_factors


@dataclass(frozen=True, eq=False)
class Readout:
    """How the answer is read out of an attention layer's output.

    Args:
        projection: (feature, head, size), from the mixed values of each head to a feature of the layer's output.
        readout: (token, feature), from the layer's output to the logit.
        of_heads: (head,) what each head adds to the logit, over all queries and keys.
        logit: toward the answer, see `answer_factors`. What the heads do not add comes from biases.
    """

    projection: Tensor
    readout: Tensor
    of_heads: Tensor
    logit: float


def linear_readout(
    mixed: Tensor, projection: nn.Linear, output: Tensor, logits: Tensor, parts: Iterable[nn.Module]
) -> Readout | None:
    """Return how the answer is read out of an attention layer, or None if it is not read out by one linear layer.

    Args:
        mixed: (head, token, size), each head's weighted means of its values.
        projection: of the attention layer, from all heads' mixed values to its output.
        output: (token, feature) of the attention layer.
        logits: (logit,) of the model.
        parts: of the model; one of them may be a linear layer that turns the flattened output into the logits.
    """
    heads, _, size = mixed.shape
    flat = output.flatten()
    for part in parts:
        if not isinstance(part, nn.Linear) or (part.in_features, part.out_features) != (len(flat), len(logits)):
            continue
        if not torch.allclose(part(flat), logits, rtol=1e-9, atol=1e-9):
            continue
        sides = answer_factors(logits)
        readout = (sides @ part.weight).unflatten(0, output.shape)  # (token, feature)
        project = projection.weight.unflatten(1, (heads, size))  # (feature, head, size)
        of_heads = torch.einsum("hts,fhs,tf->h", mixed, project, readout)
        return Readout(project, readout, of_heads, float(sides @ logits))
    return None
