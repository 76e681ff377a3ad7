"""The texts for the page on attention over blocks: the question, and the explanation with live numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from attnviz.ui.shared.experiments import link
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.results import costs
from attnviz.ui.shared.results.verdict import verdict
from attnviz.ui.shared.wording import share, short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from attnviz.card import Figure
    from attnviz.subjects import Net
    from attnviz.views.attention import AttentionView

QUESTION = "Where does a block of features take its information from? Point at the picture: every head answers."
NONE = (
    "No model with attention over blocks has been trained here yet. `python -m attnviz train cnn_attention --recipe "
    "digits` trains one on handwritten digits, which can take half an hour; this page then shows it."
)
STAGES = (
    f"Each {term('convolution')} slides windows of 2 × 2 cells over the maps before it. {term('ReLU')} then sets "
    "negative values to 0, and pooling keeps the largest value of every 2 × 2 cells. What pooling leaves goes into the "
    "next convolution; the cells after the last one are the blocks."
)
EVEN = 1.25  # even shares: attention is called nearly even if no weight is above this
FIELD, STEP = 11, 4  # pixels: the size of a receptive field, and the step to the next
WHO = (
    "All five networks begin with the same three convolutions and end with two layers of the same kind; the "
    "first of these has more inputs where a block keeps all its features. In the first network, every "
    "block attends to all blocks, as the paper describes. In the implementation that the paper's settings come from, "
    "blocks never see one another: the features of a block attend to the features of the same block. The others attend "
    "to nothing: in one the attention is set to zero, in one a convolution makes the blocks as narrow as attention "
    "does, and the last keeps all features of every block."
)
UNKNOWN = (
    "**Not known yet**: the network with attention, or the one whose attention is set to zero, has not been trained."
)
ONE_SEED = (
    "Some accuracies come from a single seed. Another seed gives another accuracy, so a difference of half a "
    "percentage point may be chance."
)
# One line each, which fits on a phone.
EQUATION = r"""$$
\textcolor{#c86016}{q_i} = \operatorname{ReLU}(W_q b_i)
$$

$$
w_{ij} = \operatorname{softmax}_j\big(\textcolor{#c86016}{q_i} \cdot \textcolor{#2f83c8}{k_j} / \sqrt{SIZE}\big)
$$

$$
o_i = b_i + \textstyle\sum_j w_{ij}\,\textcolor{#128a63}{v_j}
$$

$$
\text{output}_i = \text{norm}\big(\operatorname{ReLU}(W_o\,o_i)\big)
$$
"""


def means(view: AttentionView) -> str:
    """Return the explanation of the pictures, with the numbers of this model and this picture."""
    heads, tokens, size = view.query.shape
    head, query, key, weight = strongest(view)
    return (
        f"Three {term('convolution', 'convolutions')} turn the picture into {view.rows} × {view.columns} = {tokens} "
        f"{term('block', 'blocks')}. A block is a list of {heads * size} {term('feature', 'features')}, computed from "
        f"the {FIELD} × {FIELD} pixels that are outlined on the picture: its {term('receptive field')}. In each of "
        f"{heads} {term('heads')}, the {term('query', ':orange[query]')} of a block is compared with the "
        f"{term('key', ':blue[key]')} of every block, and the {term('softmax')} turns the scores into weights: how "
        f"much of each {term('value', ':green[value]')} it takes.\n\n{EQUATION.replace('SIZE', str(size))}\n\n"
        "Here $b_i$ are the features of block *i*; keys and values are computed from them in the same way as queries, "
        "each with weights of their own. The features are also added to what the heads collect, as in a "
        f"{term('skip connection')}. On this picture the largest weight of all is {short(weight, 2)}, "
        f"{short(weight * tokens, 2)} times an {term('even share')}: in head {head + 1}, the block in "
        f"{_place(view, query)} takes it from the block in {_place(view, key)}."
    )


def even(view: AttentionView, answer: str) -> str:
    """Return a sentence that attention is nearly even on a picture, or ""; `answer`: that with exact even shares."""
    _, tokens, _ = view.query.shape
    times = strongest(view)[3] * tokens
    if times > EVEN:
        return ""
    return (
        f"**On this picture attention is nearly {term('even share', 'even')}**: no weight is above {short(times, 3)} "
        f"even shares, so every head takes about the mean of all values. With exact even shares the model answers "
        f"{answer}; as it was trained, {view.origin['answer']}."
    )


@lru_cache(maxsize=4)  # called twice for each view drawn
def strongest(view: AttentionView) -> tuple[int, int, int, float]:
    """Return the head, query and key of the largest weight on a picture, and that weight."""
    scores = np.einsum("hqs,hks->hqk", view.query, view.key) / np.sqrt(view.query.shape[-1])
    weights = np.exp(scores - view.log_normaliser[:, :, None])
    head, query, key = (int(part) for part in np.unravel_index(int(weights.argmax()), weights.shape))
    return head, query, key, float(weights[head, query, key])


def does_not_show() -> str:
    """Return the conclusions that the pictures do not support."""
    return (
        f"**A block is not a piece of the picture.** Neighbouring receptive fields overlap by {FIELD - STEP} of "
        f"{FIELD} pixels, so nearby blocks contain much of the same information. A map shows which blocks are "
        "looked at, not which of their pixels matter.\n\n"
        "**Attention is not an explanation.** Each block keeps its own features in addition to what it takes from "
        "others, and a layer of 256 units then reads all blocks at once. So the answer depends on the whole picture "
        f"even if the attention is switched off. {link('who', 'Which blocks may attend to which?')} compares this "
        "network with one whose attention is set to zero.\n\n"
        "A block has no information on where it is: two blocks with the same features have the same query "
        "and the same map."
    )


def counted(side: int, missing: Sequence[str]) -> str:
    """Return how the numbers were counted, and how to train the checkpoints that are missing."""
    text = (
        f"For one picture of {side} × {side} pixels. {costs.COUNTED} "
        "Filled bars: attention over blocks; hollow bars: controls."
    )
    if not missing:
        return text
    recipe = missing[0].partition(".")[2]
    count = "One of them has" if len(missing) == 1 else f"{len(missing)} of them have"
    return (
        f"{text} {count} not been trained yet. `python -m attnviz train cnn_attention --recipe {recipe}` trains one: "
        "each epoch takes about 40 seconds on one processor core, and training stops by itself after 100 epochs at "
        "most."
    )


def saved(found: Mapping[str, tuple[int, int]]) -> str:
    """Return the summary of (parameters, multiply-adds) by kind: fewer parameters do not mean less computation."""
    (blocks, work), (plain, plain_work), (zero, _) = found["blocks"], found["plain"], found["zero"]
    more = f"but it does {short(work / plain_work, 2)} times the work" if work > plain_work else "and it does less work"
    saves = (
        f"Attention is not what saves parameters: the network whose attention is set to zero has {zero:,.0f} too. What "
        "saves them is that each block has 32 features instead of 192 when all blocks are read at once."
        if zero == blocks
        else f"The network whose attention is set to zero has {zero:,.0f}."
    )
    return (
        f"**Parameters and work.** With attention over blocks the network has {share(blocks / plain)} of the "
        f"parameters of the paper's network without attention, {more}. {saves}"
    )


def finding(blocks: Figure, zero: Figure, answers: int, differs: Sequence[str] = ()) -> str:
    """Return the finding on whether attention over blocks beats attention set to zero on the same test pictures."""
    return verdict(
        blocks, zero,
        names=("with attention over all blocks", "with the attention set to zero"),
        better="Attending to all blocks makes the network better",
        worse="Attending to all blocks makes the network worse",
        same="Attending to all blocks makes hardly any difference",
        answers=answers,
        differs=differs,
    )  # fmt: skip


def within_is_missing(name: str, command: str | None) -> str:
    """Return why no weights inside a block are shown; `command` makes them, None if the network is not trained."""
    why = (
        "has not been trained here"
        if command is None
        else f"has been trained, but its weights are not here (`{command}` makes them)"
    )
    return (
        f"The network in which each block attends to itself alone (`{name}`) {why}, so there are no learnt weights to "
        "show. They would not be a map of the picture: they connect the features of one block."
    )


def within(weights: npt.NDArray[np.floating], net: Net, *, locks: bool) -> str:
    """Return the explanation of the weights inside one block, (feature that takes, feature that gives).

    The net is not the one in the viewer. `locks`: whether the viewer locks the block, as both nets have the same ones.
    """
    assert net.grid is not None
    which = (
        "Lock a block in the viewer above to see the weights inside it; at first it is the block with the most ink."
        if locks
        else f"Its pictures have {net.input.rows} × {net.input.columns} pixels in {net.grid.rows} × {net.grid.columns} "
        "blocks, which are not those of the viewer above. You see its block with the most ink."
    )
    size = len(weights)
    least, most = short(weights.min() * size, 3), short(weights.max() * size, 3)
    return (
        f"This is a different network from the one above: *{net.title}*. {which} "
        f"These {size} × {size} weights do not belong to positions. Each row is a feature that takes, each column a "
        f"feature that gives, and each row adds up to 1; an even share is 1/{size}. All heads use the same weights. A "
        "violet cell means that a feature takes more than an even share from another feature here; it does not "
        f"show where on the picture the block looks. The weights of this block lie between {least} and {most} times "
        "an even share."
    )


def _place(view: AttentionView, token: int) -> str:
    row, column = divmod(token - view.prefix, view.columns)
    return f"row {row + 1}, column {column + 1}"
