"""The table of 24 layers with 16 heads each, of random measures over 500 pictures. For benchmarks only."""

import numpy as np
import streamlit as st

from attnviz.head_table.table import MEASURES, Head, Heads
from attnviz.ui.components.head_table import head_table, packed

LAYERS, HEADS, PICTURES = 24, 16, 500


@st.cache_data
def table() -> bytes:
    """Return the table as the browser gets it."""
    chance = np.random.default_rng(0)
    heads = tuple(Head(f"blocks.{layer}", layer, head) for layer in range(LAYERS) for head in range(HEADS))
    found = Heads(
        heads=heads,
        values={name: chance.random((len(heads), PICTURES)) for name in MEASURES},
        numbers=np.arange(PICTURES),
        predicted=np.zeros(PICTURES, np.int64),
        labels=None,
        even=None,
        nearest=np.full(len(heads), -1),
    )
    return packed(found, None, {})


head_table(table(), key="heads", state={}, on_change=lambda: None)
