"""The costs of the nets in a comparison, next to their accuracy: parameters, multiply-adds, and core-minutes."""

from collections.abc import Mapping, Sequence
from functools import cache as once

import streamlit as st

from attnviz import cards, comparisons, formatting
from attnviz.charts.bars import Row, bars
from attnviz.models import input_of
from attnviz.recipes import RECIPES

COUNTED = "A multiply-add is one multiplication and one addition, in a matrix product or a convolution."
"""The page's explanation of the numbers."""

PARAMETERS, WORK, TRAINING = "parameters", "million multiply-adds", "core-minutes of a training"


def table(titles: Mapping[str, str], controls: Sequence[str], *, key: str) -> None:
    """Draw a row for each net, given as checkpoint -> title: its costs as bars, and its accuracy on its data's test
    pictures.

    The cost of a training is a column only if a card has it.
    """
    known = cards.readable([*titles])
    minutes = [
        None if card is None or card.core_seconds is None else round(card.core_seconds / len(card.runs) / 60, 1)
        for card in map(known.get, titles)
    ]
    shown = (PARAMETERS, WORK, TRAINING) if any(one is not None for one in minutes) else (PARAMETERS, WORK)
    rows = []
    for (name, title), training in zip(titles.items(), minutes, strict=True):
        parameters, work = counts(name)
        values = (parameters, work / 1e6, training)[: len(shown)]
        rows.append(Row(title, values, accuracy(name), control=name in controls))
    with st.container(key=key):
        st.markdown(bars(rows, "network", shown, "test accuracy"), unsafe_allow_html=True)


@once
def counts(name: str) -> tuple[int, int]:
    """Return the numbers of parameters and multiply-adds of a recipe's network, which need no trained weights.

    Attention counts as if its weights were computed explicitly.
    """
    import torch

    from attnviz.measures.cost import multiply_adds
    from attnviz.training import seeds

    recipe = RECIPES[name]
    model = seeds.build(recipe, torch.Generator().manual_seed(0)).eval()
    taken = input_of(recipe.model, recipe.config)
    spelled = [f"{path}.weights" for path, part in model.named_modules() if "weights" in getattr(part, "taps", ())]
    blank = torch.zeros(1, taken.channels, taken.rows, taken.columns)
    return sum(weight.numel() for weight in model.parameters()), multiply_adds(model, blank, spelled)


def accuracy(name: str) -> str:
    """Return the accuracy of a recipe's model in words, with its seeds, or "not trained"."""
    card = cards.readable([name]).get(name)
    if card is None:
        return "not trained" if not cards.is_there(name) else "not measured"
    found = card.figure(comparisons.main_test(RECIPES[name]))
    if found is None:
        return "not measured"
    seeds = "1 seed" if found.seeds == 1 else f"{found.seeds} seeds"
    spread = "" if found.seeds == 1 else f" ({100 * found.lowest:.2f} to {100 * found.highest:.2f})"
    return f"{formatting.percent(found.mean)}{spread}, {seeds}"
