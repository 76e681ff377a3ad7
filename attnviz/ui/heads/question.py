"""Does an ablation predict a retraining? From the cards of all models trained both with and without a part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.charts.costs import Cost
    from attnviz.measures.difference import Difference
    from attnviz.retraining import Pair


def show() -> None:
    """Draw the figure, the conclusion, and the table one click away."""
    from attnviz import retraining
    from attnviz.charts.costs import costs

    found = cache.of_checkpoints(retraining.pairs)
    dots = dots_of(found)
    st.header("Does an ablation predict a retraining?", anchor=False)
    st.markdown(
        "Switching a part off shows what the trained model loses. Would a model that is trained without that part lose "
        "as much? The same part is replaced in both ways:"
    )
    if dots:
        drawn = costs(
            dots,
            axes=("ablated: points of accuracy lost", "retrained: points lost"),
            kinds=(f"at least {retraining.SEEDS} trainings on both sides", "fewer, not counted"),
            equal="both cost the same",
        )
        st.plotly_chart(drawn, key="retraining", theme="streamlit", config={"displayModeBar": False})
        st.caption(
            "Numbers are those of the table. Lines are 95 % intervals over the seeds. Both axes are stretched near 0."
        )
    st.markdown(retraining.conclusion(found))
    opened = st.expander("All pairs", key="retraining_pairs", on_change="rerun")
    if opened.open:
        _, *rest = retraining.in_words(found)
        for paragraph in rest:
            opened.markdown(paragraph)


def dots_of(found: Sequence[Pair]) -> list[Cost]:
    """Return the dots of the pairs with both sides trained, with their numbers in the table."""
    from attnviz.charts.costs import Cost

    return [
        Cost(
            str(number),
            f"{pair.of.title}, {pair.of.instead[0]}",
            _ends(pair.ablated),
            _ends(pair.retrained),
            pair.counts,
        )
        for number, pair in enumerate(found, 1)
        if pair.ablated and pair.retrained
    ]


def _ends(cost: Difference) -> tuple[float, float, float]:
    low, high = cost.interval or (cost.value, cost.value)
    return 100 * cost.value, 100 * low, 100 * high
