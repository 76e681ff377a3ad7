"""Statements about the chosen head, tested over all pictures: on what share each holds, beside chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from attnviz.subjects import Net
from attnviz.ui.heads import work
from attnviz.ui.shared.over_many import over_many

if TYPE_CHECKING:
    from attnviz.head_table.kept import Arrays
    from attnviz.head_table.table import Heads, Mean

FIELD = "claims"


def show(net: Net, source: str, count: int, heads: Heads, head: int | None) -> None:
    """Draw the button that tests the claims, and what came out for a head, or for all where none is chosen."""
    few = len(work.pictures(net, source, count).images)

    def draw(parts: list[Arrays]) -> None:
        st.markdown(in_words(net, source, count, parts, heads, head))

    over_many(FIELD, few, lambda: work.claims_job(net, source, count), draw, verb=("Test five statements on", "tested"))


def in_words(net: Net, source: str, count: int, parts: list[Arrays], heads: Heads, head: int | None) -> str:
    """Return a table in Markdown."""
    found = work.outcomes(net, source, count, parts)
    if head is None:
        lines = ["| Statement | What is tested | Heads of which it holds on most pictures |", "| --- | --- | --- |"]
        for one in found:
            named = [its.name for its, share in zip(heads.heads, one.holds.value, strict=True) if share > 0.5]
            lines.append(f"| **{one.title}** | {one.about} | {', '.join(named) or 'none'} |")
        return "\n".join(lines)
    lines = [
        "| Statement | What is tested | Holds on | With another picture's object and gradient | With random weights |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in found:
        said = [_share(mean, head) for mean in (one.holds, one.other, one.random)]
        lines.append(f"| **{one.title}** | {one.about} | {' | '.join(said)} |")
    return "\n".join(lines)


def _share(mean: Mean | None, head: int) -> str:
    if mean is None:
        return "not yet"
    if math.isnan(mean.value[head]):
        return "cannot be tested here"
    return f"{mean.value[head]:.0%} ({mean.low[head]:.0%} to {mean.high[head]:.0%})".replace("%", " %")
