"""What a user would otherwise write: 24 heat maps of plotly, drawn anew by a rerun. For benchmarks only."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

HEADS, SIZE, SIDE = 24, 6, 28


@st.cache_data
def vectors() -> tuple[np.ndarray, np.ndarray]:
    """Return random queries and keys, (head, token, size)."""
    query, key = np.random.default_rng(0).normal(size=(2, HEADS, SIDE * SIDE, SIZE))
    return query, key


st.set_page_config(layout="wide")
pixel = st.session_state.setdefault("pixel", 400)


def move() -> None:
    st.session_state["pixel"] = (st.session_state["pixel"] + 97) % (SIDE * SIDE)


st.button("Next pixel", on_click=move)
query, key = vectors()
scores = np.einsum("hf,hkf->hk", query[:, pixel], key) / np.sqrt(SIZE)
weights = np.exp(scores - np.log(np.exp(scores).sum(1, keepdims=True)))
columns = st.columns(12)
for head in range(HEADS):
    figure = go.Figure(go.Heatmap(z=weights[head].reshape(SIDE, SIDE), showscale=False))
    figure.update_layout(height=120, width=100, margin={"l": 0, "r": 0, "t": 20, "b": 0}, title=f"{head}:{pixel}")
    columns[head % 12].plotly_chart(figure, key=f"head-{head}")
st.html(f"<p id='pixel'>{pixel}</p>")
