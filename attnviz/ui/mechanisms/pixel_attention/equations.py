"""The equation of attention, with the numbers of the locked pair."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.views.attention import AttentionView

# LaTeX has no themes: these middle tones of the roles' colours are legible on light and on dark backgrounds.
QUERY, KEY, VALUE = "#c86016", "#2f83c8", "#128a63"


def coloured(colour: str, formula: str) -> str:
    """Return a formula in a colour."""
    return rf"\textcolor{{{colour}}}{{{formula}}}"


def symbols(size: int) -> tuple[str, str]:
    """Return the equations of the weights and of the mixed values, for queries and keys of `size` numbers."""
    query, key, other = coloured(QUERY, "q_i"), coloured(KEY, "k_j"), coloured(KEY, "k_m")
    root = rf"/\sqrt{{{size}}}"
    return (
        rf"w_{{ij}} = \frac{{\exp({query} \cdot {key}{root})}}{{\sum_m \exp({query} \cdot {other}{root})}}",
        rf"o_i = \sum_j w_{{ij}}\,{coloured(VALUE, 'v_j')}",
    )


def numbers(view: AttentionView, state: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return score and weight with the numbers of the locked pair, or None if no pair of a single head is locked.

    `state` holds the fields of the view as the viewer or the URL has them, including invalid ones.
    """
    head, i, j = state.get("head", 0), *(_token(view, state.get(name)) for name in ("query", "key"))
    if not isinstance(head, int) or not 0 <= head < len(view.query) or i is None or j is None:
        return None
    query, key = view.query[head, i], view.key[head, j]
    score = float(query @ key) / np.sqrt(len(query))
    weight = np.exp(score - view.log_normaliser[head, i])
    # One line per term, so that long numbers fit on a phone, since formulas do not wrap.
    terms = r" \\ &\quad + ".join(
        rf"{coloured(QUERY, _signed(a))} \cdot {coloured(KEY, _signed(b))}"
        for a, b in zip(query[:3], key[:3], strict=True)
    )
    if len(query) > 3:
        terms += r" + \dots"
    written, sum_of_powers = _figure(score), _power(view.log_normaliser[head, i])
    product, root = rf"{coloured(QUERY, 'q_i')} \cdot {coloured(KEY, 'k_j')}", rf"/\sqrt{{{len(query)}}}"
    return (
        rf"\begin{{aligned}} & {product} {root} \\ &= \big({terms}\big) {root} \\ &= {written} \end{{aligned}}",
        rf"w_{{ij}} = \frac{{e^{{{written}}}}}{{{sum_of_powers}}} = {_scientific(weight)}",
    )


def _token(view: AttentionView, place: Any) -> int | None:
    if not isinstance(place, list | tuple) or len(place) != 2:
        return None
    row, column = int(place[0]), int(place[1])
    if row == -1:
        return column if 0 <= column < view.prefix else None
    if not (0 <= row < view.rows and 0 <= column < view.columns):
        return None
    return view.prefix + row * view.columns + column


def _signed(value: float) -> str:
    return f"{value:.3f}" if value >= 0 else f"({value:.3f})"


def _power(logarithm: float) -> str:
    return f"{np.exp(logarithm):.1f}" if logarithm < 12 else rf"e^{{{logarithm:.2f}}}"


def _figure(value: float) -> str:
    written = f"{value:.4g}"
    return _scientific(value, 3) if "e" in written else written


def _scientific(value: float, places: int = 2) -> str:
    if 0.001 <= value < 10_000:
        return f"{value:.4f}"
    mantissa, exponent = f"{value:.{places}e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
