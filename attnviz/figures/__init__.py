"""Numbers as plotly figures: pure functions of arrays, which know neither torch nor streamlit."""
