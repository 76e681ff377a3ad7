"""The texts for the page on sequences: the question, and the explanation with live numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from attnviz.ui.shared import cache
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.wording import share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnviz.subjects import Subject
    from attnviz.ui.components.alignment import AlignmentView

QUESTION = "A strip of digits goes in, digits come out. Where on the strip does the network look for each of them?"
NONE = (
    "No network that reads strips has been trained here yet. `python -m attnviz train encoder_decoder --recipe "
    "strips-15` trains one in a few minutes; this page then shows it."
)
QUERY, KEY, VALUE = "#c86016", "#2f83c8", "#128a63"  # colours of the roles, legible on light and on dark backgrounds

_STATE, _COLUMN = rf"\textcolor{{{QUERY}}}{{s_{{i-1}}}}", rf"\textcolor{{{KEY}}}{{h_j}}"
_CARRIED = rf"\textcolor{{{VALUE}}}{{h_j}}"
ADDITIVE = (
    rf"$$\begin{{aligned}} e_{{ij}} &= v^\top \tanh(W {_STATE} + U {_COLUMN}) \\ "
    rf"\alpha_{{ij}} &= \mathrm{{softmax}}_j(e_{{ij}}), \quad c_i = \sum_j \alpha_{{ij}} {_CARRIED} \end{{aligned}}$$"
)
UNIFORM = rf"$$c = \frac{{1}}{{S}} \sum_j {_CARRIED}$$"
ONE_VECTOR = r"$$s_i = \mathrm{GRU}\big(s_{i-1}, [y_{i-1}, c]\big)$$"
CROSS = (
    rf"$$\begin{{aligned}} \alpha_{{ij}} &= \mathrm{{softmax}}_j\big(\textcolor{{{QUERY}}}{{q_i}} \cdot "
    rf"\textcolor{{{KEY}}}{{k_j}} / \sqrt{{d_k}}\big) \\ "
    rf"o_i &= \sum_j \alpha_{{ij}}\, \textcolor{{{VALUE}}}{{v_j}} \end{{aligned}}$$"
)


def means(subject: Subject, state: Mapping[str, object] | None = None) -> str:
    """Return the explanation of the view, with the numbers of this net, this strip and a step of its answer.

    If the view names a step beyond the text, the last step is used. Weights moved by hand do not enter the numbers, and
    the text states this.
    """
    from attnviz.ui.mechanisms.sequences import reading

    state = state or {}
    view = cache.of_subject(reading.view, subject)
    if state.get("told") == "right":
        view = told_right(view)
    at = state.get("at", 0)
    step = min(max(at if isinstance(at, int) else 0, 0), len(view.own.before) - 1)
    aside = _as_computed(bool(state.get("moved")), state.get("mask") is False and view.kind == "transformer")
    columns = -(-view.picture.shape[1] // view.pitch)
    begins = (
        f"Every {view.pitch} pixels the strip becomes a column of features: {columns} columns for {view.digits} "
        f"{'digit' if view.digits == 1 else 'digits'}. The {term('decoder')} outputs one symbol at each step, and "
        "receives the one before."
    )
    return "\n\n".join([begins, *_OF_KIND[view.kind](view, step, aside)])


def told_right(view: AlignmentView) -> AlignmentView:
    """Return a view with the text and weights under teacher forcing as its own, or the same view if it has none."""
    if view.told is None:
        return view
    layers = tuple(one if one.right is None else replace(one, own=one.right) for one in view.layers)
    return replace(view, own=view.told, layers=layers)


def _as_computed(moved: bool, unmasked: bool) -> str:
    """Return a clause that names the changes by hand that do not enter the numbers, or "" if there are none."""
    parts = ["nothing moved"] * moved + ["the mask on"] * unmasked
    return f", as computed with {' and '.join(parts)}," if parts else ""


def _additive(view: AlignmentView, step: int, aside: str) -> list[str]:
    row, peak = _row(view, step)
    return [
        f"{term('additive attention', 'Additive attention')} scores every column against the decoder's state, and the "
        f"softmax turns these {term('energy', 'energies')} into weights:",
        ADDITIVE,
        f"At step {step + 1}{aside} the largest weight, {row[peak]:.3f}, lies on column {peak + 1} of {len(row)}: "
        f"{row[peak] * len(row):.1f} times an even share. {_on_digit(view, row)} The {term('context vector')} $c_i$ is "
        "the sum of the annotations with these weights, computed again at every step.",
    ]


def _uniform(view: AlignmentView, step: int, aside: str) -> list[str]:
    size = _of(view).shape[2]
    return [
        "This is a control: it was trained with equal weights, so it has nothing to choose.",
        UNIFORM,
        f"Each of the {size} columns has the weight {1 / size:.3f} at every step, as it had in training. So the "
        "context is the same for all steps, as if there were no attention.",
    ]


def _none(view: AlignmentView, step: int, aside: str) -> list[str]:
    vectors = _of(view)[0]
    apart = float(np.abs(vectors - vectors[0]).max())
    return [
        f"This {term('encoder')} compresses the whole strip into one {term('context vector')} $c$ of "
        f"{vectors.shape[1]} numbers, the last states of both directions. The decoder receives it at every step:",
        ONE_VECTOR,
        f"The matrix shows it: a row for each of the {len(vectors)} steps, and the rows differ by {apart:.0f}. "
        "All that the decoder needs for the last digit must be in it before it outputs the first one.",
    ]


def _transformer(view: AlignmentView, step: int, aside: str) -> list[str]:
    first = view.layers[0]
    heads = len(_of(view))
    row, peak = _row(view, step)
    encoder = sum(one.queries == "columns" for one in view.layers)
    return [
        f"There is no recurrence. In {encoder} layers the columns attend to each other ({term('self-attention')}). In "
        f"the decoder every step attends to earlier steps, because a {term('mask')} hides the later ones, and then to "
        f"the strip ({term('cross-attention')}), each with {heads} heads:",
        CROSS,
        f"In {first.title.lower()}, at step {step + 1}{aside or ','} the mean of the heads is largest on column "
        f"{peak + 1}: {row[peak]:.3f}, {row[peak] * len(row):.1f} times an even share. {_on_digit(view, row)}",
    ]


_OF_KIND = {"additive": _additive, "uniform": _uniform, "none": _none, "transformer": _transformer}


def _of(view: AlignmentView) -> np.ndarray:
    """Return the weights of the layer that is shown first: (head, step, key)."""
    found = view.layers[0].own
    assert found is not None
    return found


def _row(view: AlignmentView, step: int) -> tuple[np.ndarray, int]:
    """Return the weights of a step, averaged over heads, and the column with the largest weight."""
    row = _of(view).mean(0)[step]
    return row, int(row.argmax())


def _on_digit(view: AlignmentView, row: np.ndarray) -> str:
    shares = on_digits(row, view.digits, view.pitch, view.picture.shape[1] // view.digits)
    most = int(shares.argmax())
    return f"{share(float(shares[most]))} of the weight lies on digit {most + 1}."


def on_digits(row: np.ndarray, digits: int, pitch: int, side: int) -> np.ndarray:
    """Return the share of weights (column,) on each digit, (digit,); columns are `pitch` pixels wide, digits `side`."""
    places = np.minimum(np.arange(len(row)) * pitch // side, digits - 1)
    return np.bincount(places, row, minlength=digits)


def does_not_show() -> str:
    """Return the conclusions that the weights do not support."""
    return (
        "**A weight is not a place on the picture.** A column covers 15 pixels, and the encoder has mixed it with "
        "its neighbours. A peak next to the digit can be as good as one on it.\n\n"
        "**A falling curve of whole strips does not prove a bottleneck.** A model that gets 99 % of the digits right "
        "gets 15 in a row right in 86 % of the strips, even if it reads each of them equally well: the dotted curve "
        "shows that.\n\n"
        "**A step has more than its weights.** The decoder's state, and in a Transformer the steps before, may already "
        "encode the digit. Move the weights and see whether the answer follows."
    )
