"""What a page shows where a mechanism is faulty."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from attnviz.ui.mechanisms import Mechanism, guard
from attnviz.ui.shared.wording import verbatim


@contextmanager
def drawing(row: Mechanism, part: str) -> Iterator[None]:
    """Draw something of a mechanism; where that fails, the page goes on below a sentence that says so."""
    try:
        yield
    except guard.FAULTS as error:
        st.error(verbatim(str(guard.failed(row, part, error))))
