"""The stage grid alone on a page; the parameter `net` chooses the net: grey, colour, blocks."""

import json

import streamlit as st

from attnviz.ui.components.stage_grid import FIELDS, SWITCHES, settled_view, stage_grid
from tests.browser.apps.element_wise_nets import NETS


def main() -> None:
    """Draw the page."""
    st.set_page_config(layout="wide")
    words = st.query_params.to_dict()
    view = NETS[words.pop("net", "grey")]()
    stage_grid(view, key="stages", state=FIELDS.read(words), switches=SWITCHES)
    st.code(json.dumps(settled_view("stages"), separators=(",", ":")))


if __name__ == "__main__":
    main()
