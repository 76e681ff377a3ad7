"""The pad alone on a page, without models: what it tells Python stands below it, and in the URL."""

import json
from dataclasses import asdict

import streamlit as st

from attnviz import data
from attnviz.ui.components.drawing_pad import Base, drawing_pad, on_pad
from attnviz.ui.components.drawn import Drawn, drawn_from_url, drawn_to_url
from attnviz.ui.shared import url_state


def make_samples() -> list[Base]:
    """Return one picture of each digit."""
    images, labels = data.load("strokes", "test", count=64)
    first = [int((labels == digit).nonzero()[0][0]) for digit in range(10)]
    return [Base(f"strokes.{number}", images[number, :, :, 0], str(labels[number])) for number in first]


def keep() -> None:
    """Put what is drawn into the URL."""
    drawn = on_pad("pad")
    if drawn:
        url_state.set_value(**drawn_to_url(drawn))


def main() -> None:
    """Draw the page."""
    st.set_page_config(layout="wide")
    st.title("Pad")
    drawn, sentences = drawn_from_url(st.query_params.to_dict())
    for sentence in sentences:
        st.warning(sentence)
    found = {one.name: one for one in make_samples()}
    base = found.get(drawn.base or "")
    drawn = Drawn(drawn.drawing, base.name if base else None, drawn.centred)
    drawing_pad(drawn, key="pad", samples=list(found.values()), base=base, on_change=keep)
    if st.toggle("Run the page"):
        st.caption("The page has run.")
    st.code(json.dumps(asdict(on_pad("pad") or Drawn()), separators=(",", ":")))


if __name__ == "__main__":
    main()
