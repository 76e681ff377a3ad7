"""A plain Streamlit page: a model, a picture, a button for the next one, and no attention."""

import streamlit as st

from attnviz.subjects import Picture

st.selectbox("Model", ["one", "two"], key="model")
if st.button("Next"):
    st.session_state["number"] = st.session_state.get("number", 0) + 1
number = st.session_state.get("number", 0)
image = Picture("strokes", number).picture
st.image(image[..., 0], width=400)
st.html(f'<p id="shown">{st.session_state["model"]} {number}</p>')
