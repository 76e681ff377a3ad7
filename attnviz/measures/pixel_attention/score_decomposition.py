"""The scores of attention as a sum of four parts, from the content of the picture and from the positions on it.

A token is [content, code]: the picture's content there, and a position code. A linear layer keeps the two separate:

        query = W_content content + (W_code code + bias)        key similarly
    query . key = the sum of four products: each half of the query with each half of the key

The bias counts as position, since it does not depend on the picture. Without a code, the bias is the whole position
part. The two parts with the key's position are then the same for all keys of a row, so the softmax removes them.

Source: the four terms are from "Transformer-XL", Dai et al., 2019, https://arxiv.org/abs/1901.02860, section 3.3, for a
code that is added to the token. A concatenated code is equivalent, with a weight of its own.

    our name               the paper's symbol
    content                E_x
    code                   U, R
    content-content ...    (a), (b), (c), (d)
"""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attnviz.arrays import Floats
from attnviz.errors import BadInput

PARTS = ("content-content", "content-position", "position-content", "position-position")  # half of query - half of key


@dataclass(frozen=True, eq=False)
class ScoreDecomposition:
    """The halves of queries and keys of one picture, each (head, token, size). Two halves sum to the whole.

    A part of the scores of a head is one half of its queries times one half of its keys, over the root of the size.
    """

    query_content: Floats
    query_position: Floats
    key_content: Floats
    key_position: Floats

    def scores(self, head: int) -> dict[str, Floats]:
        """Return name -> float64 (query, key), the four parts of a head's scores in the order of `PARTS`, which sum to
        the scores.
        """
        heads, _, size = self.query_content.shape
        if not 0 <= head < heads:
            raise BadInput(f"There is no head {head}: there are {heads}, counted from 0.")
        queries, keys = (self.query_content, self.query_position), (self.key_content, self.key_position)
        products = [query[head] @ key[head].T / np.sqrt(size) for query in queries for key in keys]
        return dict(zip(PARTS, products, strict=True))


def decompose(
    content: Tensor,
    code: Tensor | None,
    *,
    query_weight: Tensor,
    query_bias: Tensor,
    key_weight: Tensor,
    key_bias: Tensor,
    heads: int,
) -> ScoreDecomposition:
    """Split the queries and keys of one picture into halves that come from content and from position.

    Args:
        content: (token, c), the picture's content at each token as the attention receives it: standardised intensities.
        code: (token, p), the position code concatenated to it; None or p = 0 if there is none.
        query_weight, key_weight: (head * size, c + p), of the layer's linear maps.
        query_bias, key_bias: (head * size,)
        heads: number of heads.

    Returns:
        The four halves, computed in float64.

    Raises:
        BadInput: the shapes do not match.
    """
    query = halves(content, code, query_weight, query_bias, heads)
    key = halves(content, code, key_weight, key_bias, heads)
    return ScoreDecomposition(*query, *key)


def halves(content: Tensor, code: Tensor | None, weight: Tensor, bias: Tensor, heads: int) -> tuple[Floats, Floats]:
    """Return the halves of a linear map's result for tokens [content, code] that come from content and from code.

    Args:
        content: (token, c)
        code: (token, p) or None.
        weight: (head * size, c + p)
        bias: (head * size,)
        heads: number of heads.

    Returns:
        (head, token, size) twice: W_content content, and W_code code + bias.
    """
    if code is None:
        code = content[:, :0]
    count, features = len(content), content.shape[1] + code.shape[1]
    rows = len(bias)
    if len(code) != count or weight.shape != (rows, features) or heads < 1 or rows % heads:
        raise BadInput(
            f"Content {tuple(content.shape)} and code {tuple(code.shape)} do not fit a weight {tuple(weight.shape)} "
            f"with a bias {tuple(bias.shape)} in {heads} heads: (token, c), (token, p) and (head * size, c + p) do."
        )
    content, code, weight, bias = (part.detach().double() for part in (content, code, weight, bias))
    of_content = content @ weight[:, : content.shape[1]].T  # (token, head * size)
    of_position = code @ weight[:, content.shape[1] :].T + bias
    return _by_head(of_content, heads), _by_head(of_position, heads)


def _by_head(half: Tensor, heads: int) -> Floats:
    """Reshape (token, head * size) to (head, token, size)."""
    by_head: Tensor = half.unflatten(1, (heads, -1))  # (token, head, size)
    return by_head.transpose(0, 1).cpu().numpy()
