"""The least that Streamlit can do. For benchmarks only."""

import streamlit as st

st.write("Hello")
