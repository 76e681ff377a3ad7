"""Claims about the chosen head, tested on the chosen pictures: the share on which each holds, compared with chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from attnviz.head_table.table import UNTESTED
from attnviz.ui.heads import work
from attnviz.ui.heads.pictures import Asked, pictures
from attnviz.ui.shared.over_many import over_many

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from attnviz.head_table.claims import Outcome
    from attnviz.head_table.kept import Arrays
    from attnviz.head_table.table import Heads, Mean

FIELD = "claims"


def show(asked: Asked, heads: Heads, chosen: npt.NDArray[np.bool_], head: int | None) -> None:
    """Draw the button that tests the claims, and the results for a head, or for all if none is chosen, over the
    `chosen` pictures, bool (picture,), among those measured.
    """
    from attnviz.head_table.claims import CLAIMS

    def draw(parts: list[Arrays]) -> None:
        tested = min(len(chosen), sum(part["holds"].shape[2] for part in parts[: work.works(asked)[0].count]))
        count = int(chosen[:tested].sum())
        if not count:
            st.info("None of the pictures chosen above has been tested yet.")
            return
        over = f"over {count:,} of the {len(chosen):,} measured pictures"
        if head is None:
            st.caption(f"For all heads, {over}. Choose a head above for the shares of pictures.")
        else:
            st.caption(
                f"For head {heads.heads[head].name}, {over}, with 95 % intervals. *Another picture*: the object and "
                "the gradient are those of another picture."
            )
        with st.container(key="claims_shares"):
            st.markdown(in_words(work.outcomes(asked, parts, chosen), heads, head))

    over_many(FIELD, len(pictures(asked).images), lambda: work.claims_job(asked), draw,
              verb=(f"Test {len(CLAIMS)} statements on", "tested"))  # fmt: skip


def in_words(found: list[Outcome], heads: Heads, head: int | None) -> str:
    """Return a Markdown table of the outcomes."""
    if head is None:
        lines = ["| Statement | Heads for which it holds on most pictures |", "| --- | --- |"]
    else:
        lines = ["| Statement | Holds on | Another picture | Random weights |", "| --- | --- | --- | --- |"]
    for one in found:
        if head is None:
            named = [its.name for its, share in zip(heads.heads, one.holds.value, strict=True) if share > 0.5]
            said = [", ".join(named) or ("none" if one.holds.pictures.any() else UNTESTED)]
        else:
            said = [_share(mean, head) for mean in (one.holds, one.other, one.random)]
        lines.append(f"| **{one.title}**. {one.about} | {' | '.join(said)} |")
    return "\n".join(lines)


def _share(mean: Mean | None, head: int) -> str:
    if mean is None:
        return "not yet"
    if math.isnan(mean.value[head]):
        return UNTESTED
    value, low, high = (f"{100 * one[head]:.0f}" for one in (mean.value, mean.low, mean.high))
    return f"{value}\u00a0% ({low} to {high})"
