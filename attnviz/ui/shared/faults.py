"""Error handling for the parts of a page that a mechanism draws."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from attnviz.ui.mechanisms import Mechanism, guard
from attnviz.ui.shared.wording import verbatim


@contextmanager
def drawing(row: Mechanism, part: str) -> Iterator[None]:
    """Draw part of a mechanism; if that fails, show a sentence in its place and continue the page below it."""
    try:
        yield
    except guard.FAULTS as error:
        st.error(verbatim(str(guard.failed(row, part, error))))
