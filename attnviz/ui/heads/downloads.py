"""The table as files: all values of all pictures, and one HTML page. CSV, PNG and SVG are above the scatter plot."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attnviz.head_table import export
from attnviz.head_table.table import Heads


def show(table: Heads, origin: Mapping[str, Any], *, measuring: bool) -> None:
    """Draw the buttons; a file is made when its button is pressed, once all pictures are measured."""
    named = f"attnviz-heads-{origin['model']}-{origin['data']}-{origin['pictures']}-pictures"
    later = "Once all pictures are measured." if measuring else None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Save all heads", width="content")
        st.download_button(
            "Every picture (npz)", lambda: export.to_npz(table, origin), f"{named}.npz", "application/octet-stream",
            key="heads_npz", type="tertiary", on_click="ignore", disabled=measuring, help=later,
        )  # fmt: skip
        st.download_button(
            "One page (HTML)", lambda: export.to_html(table, origin=origin), f"{named}.html", "text/html",
            key="heads_html", type="tertiary", on_click="ignore", disabled=measuring, help=later,
        )  # fmt: skip
