"""The pages of components.py."""

import streamlit as st


def nothing() -> None:
    """Draw a page without components."""
    st.title("Nothing")


names = ["map_grid", "pixel_viewer", "stage_grid", "drawing_pad", "terms_page", "broken_page"]
pages = [st.Page(f"{name}.py", url_path=name.removesuffix("_page")) for name in names]
away = st.Page(nothing, url_path="lessons")  # where `walk` stops on its way, as in app.py
st.navigation([st.Page(nothing, default=True), *pages, away], position="hidden").run()
