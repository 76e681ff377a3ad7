"""The texts of the page of vision transformers: the question, and the explanation with live numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attnviz.ui.shared.experiments import link
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.wording import short

if TYPE_CHECKING:
    from attnviz.ui.components.layer_board import LayersView

QUESTION = "What does each patch take from the others, layer by layer? Point at the picture: all heads answer."
NONE = (
    "No vision transformer has been trained here yet. `python -m attnviz train vision_transformer --recipe digits` "
    "trains one on handwritten digits, which takes about half an hour; this page then shows it."
)
EQUATION = r"""$$
w_{ij} = \operatorname{softmax}_j\big(\textcolor{#c86016}{q_i} \cdot \textcolor{#2f83c8}{k_j} / \sqrt{SIZE}\big)
$$"""


def means(view: LayersView) -> str:
    """Return what the pictures mean, with the numbers of this model and this picture."""
    layers, heads, tokens, size = view.query.shape
    side = view.background.shape[0] // view.rows
    registers = sum(name.startswith("register") for name in view.names)
    besides = [f"a {term('class token')}"] * ("class token" in view.names)
    besides += [f"{registers} {term('register', 'registers')}"] * (registers > 0)
    nowhere = f"; with {' and '.join(besides)} that" if besides else ", which"
    layer, head, query, key, weight = strongest(view)
    return (
        f"The picture is cut into {view.rows} × {view.columns} {term('patch', 'patches')} of {side} × {side} pixels"
        f"{nowhere} makes {tokens} {term('token', 'tokens')}. In each of {heads} {term('heads')} of {layers} "
        f"layers, the {term('query', ':orange[query]')} of a token is compared with the {term('key', ':blue[key]')} of "
        f"every token; the {term('softmax')} turns the scores into weights, how much of each "
        f"{term('value', ':green[value]')} is added to the token.\n\n"
        f"{EQUATION.replace('SIZE', str(size))}\n\n"
        f"On this picture the largest weight of all is {short(weight, 2)}, {short(weight * tokens, 2)} times an "
        f"{term('even share')}: in layer {layer + 1}, head {head + 1}, {place(view, query)} takes it from "
        f"{place(view, key)}."
    )


def does_not_show(view: LayersView) -> str:
    """Return what the pictures cannot tell."""
    reads = "the class token" if "class token" in view.names else "the mean of the patches"
    return (
        "**A token is not its patch.** From the second layer on it carries what it has taken from others: a map shows "
        "which tokens are looked at, not which pixels.\n\n"
        f"**Attention is not an explanation.** {link('reads', 'What is read, over all layers?')} puts combined maps "
        "beside erasing, and beside random weights.\n\n"
        f"**Earlier answers were not trained for.** The last norm and head learnt to read {reads} after the last layer."
    )


def place(view: LayersView, token: int) -> str:
    """Return a token in words."""
    if token < view.prefix:
        return f"the {view.names[token]}"
    row, column = divmod(token - view.prefix, view.columns)
    return f"the patch in row {row + 1}, column {column + 1}"


def strongest(view: LayersView) -> tuple[int, int, int, int, float]:
    """Return layer, head, query, key and weight of the largest weight on a picture."""
    scores = view.query @ view.key.swapaxes(-1, -2) / np.sqrt(view.query.shape[-1])
    weights = np.exp(scores - view.log_normaliser[..., None])
    layer, head, query, key = (int(one) for one in np.unravel_index(weights.argmax(), weights.shape))
    return layer, head, query, key, float(weights[layer, head, query, key])
