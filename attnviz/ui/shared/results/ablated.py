"""The accuracy of a trained model with a part replaced, from its card: bars, and whether that part matters."""

from collections.abc import Callable

import streamlit as st

from attnviz import comparisons
from attnviz.card import Card, Figure
from attnviz.charts.bars import Row, bars
from attnviz.formatting import signed
from attnviz.measures.difference import Difference


def show(
    card: Card | None,
    say: Callable[[str], None],
    *,
    kind: str,
    named: Callable[[str, str], str],
    verdict: Callable[[Difference], str],
    none: str,
) -> None:
    """Draw how many test pictures a model answers correctly, unchanged and with each replacement.

    `named` returns a title from an ablation's name and the pattern of its tap paths. `verdict` returns the finding from
    the model's accuracy minus that with the part at its mean. `none` is the finding if the card has no such test.
    """
    whole = None if card is None else card.figure(comparisons.main_test(card.recipe))
    if card is None or whole is None or not card.ablations:
        say(none)
        return
    rows = [Row("as computed", (100 * whole.mean,), "")]
    for one in card.ablations:
        figure = like(one.figures, whole)
        if figure is None:
            continue
        lost = points(comparisons.difference(figure, whole, paired=True))
        rows.append(Row(named(one.name, one.of), (100 * figure.mean,), lost, control=True))
        if (one.name, one.of) == ("mean", card.ablations[0].of):
            say(verdict(comparisons.difference(whole, figure, paired=True)))
    with st.container(key="constant_bars"):
        several = f", mean of {whole.seeds} trainings" if whole.seeds > 1 else ""
        table = bars(
            rows, kind, (f"correct answers, % of {whole.count:,}{several}",), "difference in points", decimals=2
        )
        st.markdown(table, unsafe_allow_html=True)


def points(found: Difference) -> str:
    """Return a difference of shares in percentage points, with its interval if it has one."""
    ends = "" if found.interval is None else f" ({' to '.join(map(signed, found.interval))})"
    return f"{signed(found.value)}{ends}"


def like(figures: tuple[Figure, ...], whole: Figure) -> Figure | None:
    """Return the figure that was measured on the same pictures as `whole`, or None if there is none."""
    same = (one for one in figures if (one.name, one.data, one.count) == (whole.name, whole.data, whole.count))
    return next(same, None)
