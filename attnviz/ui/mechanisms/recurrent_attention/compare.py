"""Models that look in different ways, side by side: with one draw of the locations, and averaged over ten."""

from collections.abc import Iterable, Sequence

import streamlit as st

from attnviz import cards, formatting, result_tables
from attnviz.card import Card, Figure
from attnviz.charts.dots import Dot, dots
from attnviz.recipes import RECIPES
from attnviz.ui.shared.reserved import container_key
from attnviz.ui.shared.results import result_dots

DRAWS = {
    "accuracy_one_draw": "One draw of the locations",
    "accuracy": "The answers of ten draws, averaged",
}
LOOKS = "recurrent_attention"


def show(names: Sequence[str], learnt: Sequence[str], *, key: str) -> None:
    """Draw the accuracies of models, with one draw and with ten, and list those not trained, or trained differently.

    All others are compared with the first of `names`. Models that are not in `learnt` are drawn as controls.
    """
    here = cards.readable(names)
    if here:
        columns = st.columns(len(DRAWS), gap="large")
        for column, (figure, title) in zip(columns, DRAWS.items(), strict=True):
            rows = result_dots.shortened(
                [dot for name, card in here.items() if (dot := dot_of(card, figure, name not in learnt))]
            )
            with column:
                st.markdown(f"**{title}**")
                if rows:
                    with st.container(key=container_key(len(rows), f"{key}_{figure}")):
                        st.markdown(dots(rows, axis=result_dots.ACCURACY), unsafe_allow_html=True)
        with st.expander("The numbers"):
            st.markdown(table(here.values()))
    if otherwise := result_tables.trained_otherwise([name for name in names if name in here], names[0]):
        st.caption(otherwise)
    absent = [f"{RECIPES[name].title}{expected(name)}" for name in names if name not in here]
    if absent:
        st.caption(f"Not trained: {'; '.join(absent)}.")


def expected(name: str) -> str:
    """Return about how long a seed of an untrained model would take, judged by a trained one of its kind, or ""."""
    recipe = RECIPES[name]
    for other, card in cards.readable(cards.names()).items():
        known = RECIPES.get(other)
        if known is None or (known.model, known.data) != (recipe.model, recipe.data) or recipe.patience is not None:
            continue
        minutes = card.seconds / len(card.runs) / card.recipe.epochs * recipe.epochs / 60
        whole = max(1, round(minutes))
        return f" (about {whole} minute{'s' * (whole > 1)} on {card.threads} thread{'s' * (card.threads > 1)})"
    return ""


def dot_of(card: Card, figure: str, control: bool) -> Dot | None:
    """Return the row of a trained model; one that draws nothing has only one accuracy, which both columns show."""
    found = measured(card, figure) or measured(card, "accuracy")
    if found is None:
        return None
    mean, lowest, highest = (100 * part for part in (found.mean, found.lowest, found.highest))
    return Dot(
        card.recipe.title, mean, lowest, highest, found.seeds, control=control, parameters=card.parameters, claimed=None
    )


def measured(card: Card, name: str) -> Figure | None:
    """Return a figure from the largest test on the data that the model was trained on, or None if there is none."""
    found = [one for one in card.figures if (one.name, one.data, one.augmentation) == (name, card.recipe.data, None)]
    return max(found, key=lambda one: one.count, default=None)


def accuracy(name: str) -> Figure | None:
    """Return the accuracy of a recipe's model with one draw of its locations, or None if it was not trained."""
    card = cards.readable([name]).get(name)
    return None if card is None else measured(card, "accuracy_one_draw") or measured(card, "accuracy")


def table(trained: Iterable[Card]) -> str:
    """Return all figures of trained models as a Markdown table."""
    lines = [
        "| Model | one draw | ten draws | along the means | spread | test pictures | seeds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for card in trained:
        shares = [_percent(measured(card, one)) for one in (*DRAWS, "accuracy_mean_path")]
        apart, whole = measured(card, "spread"), measured(card, "accuracy")
        spread = "" if apart is None or card.config.get("policy", "learnt") != "learnt" else f"{apart.mean:.2f}"
        counts = ("", "") if whole is None else (f"{whole.count:,}", str(whole.seeds))
        lines.append(f"| {' | '.join((card.recipe.title, *shares, spread, *counts))} |")
    return "\n".join(lines)


def _percent(figure: Figure | None) -> str:
    return "" if figure is None else formatting.percent(figure.mean)
