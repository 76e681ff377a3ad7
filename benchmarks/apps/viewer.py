"""The viewer over an attention of random weights: `?heads=24`. For benchmarks only."""

import numpy as np
import streamlit as st

from attnviz.data import strokes
from attnviz.ui.components.pixel_viewer import pixel_viewer
from attnviz.views.attention import AttentionView

SIZE, SIDE = 6, 28


@st.cache_data
def view(heads: int) -> AttentionView:
    """Return an 8 and random queries, keys and values of 784 tokens with positions: no two rows agree."""
    chance = np.random.default_rng(0)
    query, key, value = chance.normal(size=(3, heads, SIDE * SIDE, SIZE))
    scores = query @ key.transpose(0, 2, 1) / np.sqrt(SIZE)
    normaliser = np.log(np.exp(scores).sum(-1))
    return AttentionView(
        picture=strokes.draw([8], seed=0)[0, ..., 0] / 255, query=query, key=key, value=value,
        log_normaliser=normaliser, carried=value[..., 0], carried_signed=True,
        received=np.exp(scores - normaliser[..., None]).mean(1), output=value[0], rows=SIDE, columns=SIDE, prefix=0,
        classes=("8", "1"), probabilities=np.array([0.9, 0.1]),
    )  # fmt: skip


pixel_viewer(view(int(st.query_params.get("heads", "24"))), key="viewer")
