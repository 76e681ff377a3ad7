"""Numbers as charts, of plotly or in HTML: pure functions of arrays, which know neither torch nor streamlit."""
