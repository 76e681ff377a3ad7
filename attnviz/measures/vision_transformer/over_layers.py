"""What changes from layer to layer: how far heads look, how evenly, and how much goes to tokens that lie nowhere.

Source: distance and entropy as in `attnviz.measures.heads`. Reading an answer from each layer with the last norm and
head: "interpreting GPT: the logit lens", nostalgebraist, 2020; the layers before the last were not trained for it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.answers import probabilities
from attnviz.arrays import Floats
from attnviz.measures.attention import scores
from attnviz.measures.heads import reach
from attnviz.readings import Grid


@dataclass(frozen=True, eq=False)
class OverLayers:
    """A number for each head of each layer of one picture: (layer, head).

    Args:
        distance: mean distance in pixels from a query to what it takes from, among patches.
        entropy: mean entropy of the queries' weights, in bits.
        nowhere: the mean share that queries take from tokens that lie nowhere: class token and registers.
        even_distance, even_entropy, even_nowhere: what each would be if all keys got the same.
    """

    distance: Floats
    entropy: Floats
    nowhere: Floats
    even_distance: float
    even_entropy: float
    even_nowhere: float


def over_layers(pairs: Sequence[tuple[Tensor, Tensor]], grid: Grid) -> OverLayers:
    """Return how far, how evenly and how much outside of the picture each head looks.

    Args:
        pairs: of each layer, query and key (head, token, size).
        grid: where the tokens lie, the same for all layers.
    """
    found = [reach(query, key, grid) for query, key in pairs]
    nowhere = [scores(*pair).softmax(-1)[..., : grid.prefix].sum(-1).mean(-1).double().numpy() for pair in pairs]
    return OverLayers(
        distance=np.stack([one.distance for one in found]),
        entropy=np.stack([one.entropy for one in found]),
        nowhere=np.stack(nowhere),
        even_distance=found[0].even_distance,
        even_entropy=float(np.log2(grid.tokens)),
        even_nowhere=grid.prefix / grid.tokens,
    )


def answers(outputs: Sequence[Tensor], read: Callable[[Tensor], Tensor]) -> Floats:
    """Return what the answer would be if each layer were the last: probabilities (layer, class).

    Args:
        outputs: of each layer, (batch, token, feature) of one picture.
        read: from the last layer's tokens to the logits: the network's own last norm and head.
    """
    with torch.no_grad():
        return np.stack([probabilities(read(tokens))[0].double().numpy() for tokens in outputs])
