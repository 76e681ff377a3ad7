"""The texts of the vision transformer page: the question, the explanation with live numbers, and the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attnviz.formatting import table
from attnviz.ui.shared.experiments import link
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.wording import listed, short, verbatim

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from attnviz.ui.components.layer_board import LayersView
    from attnviz.ui.mechanisms.vision_transformer.answers import Combined, Heads, Normal, Switched
    from attnviz.ui.mechanisms.vision_transformer.captured import Tokens


QUESTION = "What does each patch take from the others, layer by layer? Point at the picture: all heads answer."
NONE = (
    "No vision transformer has been trained here yet. `python -m attnviz train vision_transformer --recipe digits` "
    "trains one on handwritten digits, which takes about half an hour; this page then shows it."
)
EQUATION = r"""$$
w_{ij} = \operatorname{softmax}_j\big(\textcolor{#c86016}{q_i} \cdot \textcolor{#2f83c8}{k_j} / \sqrt{SIZE}\big)
$$"""


def means(view: LayersView) -> str:
    """Explain the pictures with the numbers of this model and this picture."""
    layers, heads, tokens, size = view.query.shape
    side = view.background.shape[0] // view.rows
    registers = sum(name.startswith("register") for name in view.names)
    besides = [f"a {term('class token')}"] * ("class token" in view.names)
    besides += [f"{registers} {term('register', 'registers')}"] * (registers > 0)
    together = f"; together with {' and '.join(besides)}, these" if besides else ", which"
    layer, head, query, key, weight = strongest(view)
    return (
        f"The picture is cut into {view.rows} × {view.columns} {term('patch', 'patches')} of {side} × {side} pixels"
        f"{together} make {tokens} {term('token', 'tokens')}. In each of {heads} {term('heads')} of {layers} "
        f"layers, the {term('query', ':orange[query]')} of a token is compared with the {term('key', ':blue[key]')} of "
        f"every token; the {term('softmax')} turns the scores into weights, the shares in which "
        f"the {term('value', ':green[values]')} are added to the token.\n\n"
        f"{EQUATION.replace('SIZE', str(size))}\n\n"
        f"On this picture the largest weight of all is {short(weight, 2)}, {short(weight * tokens, 2)} times an "
        f"{term('even share')}: in layer {layer + 1}, head {head + 1}, {place(view, query)} takes it from "
        f"{place(view, key)}."
    )


def does_not_show() -> str:
    """Explain the limits of the pictures."""
    return (
        "**A token is not its patch.** From the second layer on, it carries what it has taken from others: a map shows "
        "which tokens are attended to, not which pixels.\n\n"
        f"**Attention is not an explanation.** {link('reads', 'What does the answer read, over all layers?')} compares "
        "combined maps with erasing, and with random weights.\n\n"
        "**Earlier answers were not trained for.** The final norm and head were trained after the last layer."
    )


def place(view: LayersView | Tokens, token: int) -> str:
    """Describe a token in words."""
    if token < view.prefix:
        return _with_article(view.names[token])
    row, column = divmod(token - view.prefix, view.columns)
    return f"the patch in row {row + 1}, column {column + 1}"


def _with_article(name: str) -> str:
    """Return the name of a token in a sentence: "the class token", but "register 2"."""
    return name if name[-1].isdigit() else f"the {name}"


def strongest(view: LayersView) -> tuple[int, int, int, int, float]:
    """Return the layer, head, query, key and value of the largest weight on a picture."""
    scores = view.query @ view.key.swapaxes(-1, -2) / np.sqrt(view.query.shape[-1])
    weights = np.exp(scores - view.log_normaliser[..., None])
    layer, head, query, key = (int(one) for one in np.unravel_index(weights.argmax(), weights.shape))
    return layer, head, query, key, float(weights[layer, head, query, key])


NAMES = {
    "rollout": "Rollout",
    "flow": "Attention flow",
    "weighted": "Gradient × attention",
    "product": "Picture × Jacobian",
    "erasure": "Erasing a patch",
    "random": "A random map",
}
NEAR = (
    "Means over all patches of {pictures} pictures, one of each class. If all patches got the same, the distance would "
    "be {even} pixels. The patch itself is among them, at distance 0."
)
POSITION = (
    "Counted over {pictures} pictures, one of each class: of the squared distance of all weights from an even share, "
    "the part in their mean over the pictures. At 100 %, the head attends to the same patches whatever is drawn. "
    "Independent maps would still share about one part in {pictures}."
)
READS = (
    "*Rollout* multiplies the layers' maps, with the mean of the heads and the skip connection in equal parts. "
    "*Attention flow* is the maximum flow from a patch through the layers if the weights were capacities of pipes. "
    "Neither depends on values or on the answer. *Gradient × attention* scales each weight by how much the answer "
    "would rise with it. *Erasing* replaces a patch with the mean of the picture. Kendall's tau compares two orders of "
    "the patches: 1 is the same order, 0 is chance."
)
HEADS_OFF = (
    "Percentage points of probability that the answer loses without a head, and without all heads of a layer; below 0, "
    "the answer becomes more likely. Each is switched off alone, so other heads can compensate for it."
)
KEYS_OFF = (
    "The same when no token may attend to a patch, in any head of any layer, as in masked attention. The patch itself "
    "remains: it keeps its own values, but cannot pass them on."
)
NORMAL = (
    "*Sink*: the most that one token receives, averaged over queries and heads, in the layer where that is largest. "
    "*The same for all queries*: the part of the squared distance from an even share that all queries have in common. "
    "*Norm*: the largest length of a token after a layer, as a multiple of the median; above 3 it is an outlier. "
    "Random weights: each layer's weights, drawn anew with the same mean and spread."
)
FEW = 0.2  # Kendall's tau below which two maps are called hardly alike


def near(found: Heads) -> str:
    """Describe whether the mean distance grows with the layers."""
    means = found.distance.mean(1)
    growing = "grows from layer to layer" if (np.diff(means) > 0).all() else "does not grow steadily"
    nearest, farthest = (
        np.unravel_index(found.distance.argmin(), found.distance.shape),
        np.unravel_index(found.distance.argmax(), found.distance.shape),
    )
    return (
        f"**In this net the mean distance {growing}:** {means[0]:.1f} pixels in the first layer, {means[-1]:.1f} in "
        f"the last. The head that looks nearest is {_head(nearest)} ({found.distance[nearest]:.1f} pixels), the one "
        f"that looks farthest {_head(farthest)} ({found.distance[farthest]:.1f})."
    )


def position(found: Heads) -> str:
    """Describe how many heads attend to the same positions on all pictures, and which head does so most."""
    fixed = int((found.position > 0.5).sum())
    most = np.unravel_index(found.position.argmax(), found.position.shape)
    return (
        f"**{fixed} of {found.position.size} heads look{'s' if fixed == 1 else ''} mostly at the same places whatever "
        "is drawn** (more than half "
        f"of their attention beyond an even share). Most of all {_head(most)}: "
        f"{100 * found.position[most]:.0f} % is the same on all pictures. In the mean over all heads it is "
        f"{100 * found.position.mean():.0f} %."
    )


def reads(found: Combined, classes: Sequence[str]) -> str:
    """Describe which combined map agrees best with erasing, and which maps hardly depend on training."""
    taus = {name: tau for name, tau in found.taus.items() if not np.isnan(tau)}
    best = max(taus, key=lambda name: taus[name]) if taus else "random"
    attention = ("rollout", "flow", "weighted")
    weak = [NAMES[name] for name in attention if taus.get(name, 0.0) < FEW]
    kept = [NAMES[name] for name in (*attention, "product") if found.same.get(name, 0.0) >= 1 / 2]
    sentences = [
        f"**For the answer {classes[found.answer]}, {NAMES[best]} orders the patches most like erasing does** "
        f"(Kendall's tau {taus.get(best, 0.0):.2f})."
    ]
    if weak:
        sentences.append(f"{listed(weak)} hardly agree{'s' if len(weak) == 1 else ''} with it.")
    if kept:
        sentences.append(
            f"{listed(kept)} look{'s' if len(kept) == 1 else ''} much the same with random weights, so "
            f"{'it shows' if len(kept) == 1 else 'they show'} little of what was learnt."
        )
    return " ".join(sentences)


def agreements(found: Combined) -> str:
    """Return the table of Kendall's tau."""
    rows = [
        [NAMES[name], _tau(found.taus.get(name)), _tau(found.same.get(name))]
        for name in found.maps
        if name != "erasure"
    ]
    rows.insert([*found.maps].index("erasure"), [NAMES["erasure"], "", _tau(found.same.get("erasure"))])
    return table([["Kendall's tau", "with erasing", "with itself, random weights"], *rows])


def off(found: Switched, classes: Sequence[str], names: Sequence[str]) -> str:
    """Describe the parts on which the answer depends most, and how often it changes."""
    head = np.unravel_index(found.heads.argmax(), found.heads.shape)
    row, column = np.unravel_index(found.keys.argmax(), found.keys.shape)
    count = found.heads.size + found.layers.size + found.keys.size + found.nowhere.size
    changed = "none of them changes" if not found.others else f"{found.others} of them change"
    text = (
        f"**The answer {classes[found.answer]} needs {_head(head)} most**: without it, it loses "
        f"{points(found.heads[head])} percentage points of probability; without the attention of layer "
        f"{int(found.layers.argmax()) + 1}, {points(float(found.layers.max()))}; if no token may attend to the patch "
        f"in row {row + 1}, column {column + 1}, {points(found.keys[row, column])}. Of {count} things that are "
        f"switched off one by one, {changed} the answer."
    )
    lost = [f"{_with_article(name)}, it loses {points(one)}" for name, one in zip(names, found.nowhere, strict=True)]
    return text + (f" If no token may attend to {'; to '.join(lost)}." if lost else "")


def normal(found: Normal, view: LayersView | Tokens) -> str:
    """Describe whether a token draws attention from everywhere, has a large norm, or all queries have the same map."""
    layer = int(np.argmax(found.sinks))
    own, drawn = found.own, found.drawn
    sink = (
        f"{place(view, found.tokens[layer])} receives most, {short(found.sinks[layer], 2)} times an even share in "
        f"layer {layer + 1}"
    )
    strong = own["sink"] >= 5
    norms = (
        f"{int(own['outliers'])} token{'s have' if own['outliers'] != 1 else ' has'} an outlying norm"
        if own["outliers"]
        else f"no token has an outlying norm (the largest is {own['norm']:.1f} times the median)"
    )
    return (
        f"**{'A token draws attention from everywhere' if strong else 'No token draws attention from everywhere'}**: "
        f"{sink}; with random weights the largest is {short(drawn['sink'], 2)}. {100 * own['same']:.0f} % of what "
        f"differs from an even share is the same for all queries ({100 * drawn['same']:.0f} % with random weights), "
        f"and {norms}."
    )


REGISTER = "[a register at test time](https://arxiv.org/abs/2506.08010)"


def no_register(why: str) -> str:
    """Describe why outliers cannot be moved to a register."""
    return f"To this model {REGISTER} cannot be added: {verbatim(why)}."


def register(found: Normal, classes: Sequence[str]) -> str:
    """Describe the effect of a register at test time, or report that there are no outliers to move."""
    if found.moved is None:
        return f"No patch has an outlying norm on this picture, so there is nothing that {REGISTER} could take over."
    (before, was), (after, becomes) = found.answers
    count = f"{found.neurons} neuron{'s' * (found.neurons > 1)} that make{'s' * (found.neurons == 1)} the outliers"
    same = "stays" if before == after else f"changes from {classes[before]} to"
    return (
        f"**With {REGISTER}**, to which the {count} are moved, the largest norm is {found.moved['norm']:.1f} times the "
        f"median ({found.own['norm']:.1f} without) and {_outliers(found.moved)} "
        f"({int(found.own['outliers'])} without); the largest sink is {short(found.moved['sink'], 2)} "
        f"({short(found.own['sink'], 2)}). The answer {same} {classes[after]}, with {100 * becomes:.1f} % instead of "
        f"{100 * was:.1f} %. The new token itself may be the outlier now: that is what it is for."
    )


def _outliers(found: Mapping[str, float]) -> str:
    return "1 token is an outlier" if found["outliers"] == 1 else f"{int(found['outliers'])} tokens are outliers"


def beside_random(found: Normal) -> str:
    """Return the table of the findings, compared with random weights and an even share."""
    own, drawn = found.own, found.drawn
    return table(
        [
            ["", "this net", "random weights", "an even share"],
            ["largest sink, × an even share", short(own["sink"], 2), short(drawn["sink"], 2), "1"],
            ["the same for all queries", f"{100 * own['same']:.0f} %", f"{100 * drawn['same']:.0f} %", "100 %"],
            ["largest norm, × the median", _norm(own["norm"]), _norm(drawn["norm"]), ""],
            ["outliers", f"{own['outliers']:.0f}", f"{drawn['outliers']:.0f}", ""],
        ]
    )


def _norm(times: float) -> str:
    return f"{times:.2f}" if times < 100 else f"{times:.0f}"


def points(lost: float) -> str:
    """Return a share of probability in percentage points."""
    return f"{100 * lost:.1f}".replace("-0.0", "0.0").replace("-", "−")


def _head(where: tuple[np.intp, ...]) -> str:
    return f"head {int(where[1]) + 1} of layer {int(where[0]) + 1}"


def _tau(tau: float | None) -> str:
    return "" if tau is None or np.isnan(tau) else f"{tau:.2f}".replace("-", "−")
