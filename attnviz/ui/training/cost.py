"""What the training that is chosen will cost, beside the button that starts it."""

import streamlit as st

from attnviz.errors import AttnvizError
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import access
from attnviz.work.jobs import cost, order
from attnviz.work.jobs.order import Order

EVERY = 1.0
"""Seconds between two checks whether the estimate is ready."""


def show(wanted: Order) -> None:
    """Draw the cost of a training, as soon as it is estimated, for visitors who may train."""
    try:
        access.check()
        known = cost.of(order.checked(wanted, order.limits())) is not None
    except AttnvizError:
        known = True  # there is nothing to wait for
    st.fragment(_sentence, run_every=None if known else EVERY)(wanted, not known)


def _sentence(wanted: Order, waiting: bool) -> None:
    """Draw the estimate, or that there is none yet, as when the page was drawn if it is `waiting`."""
    try:
        access.check()
    except AttnvizError:
        return
    with st.container(key="train_cost"):
        try:
            found = cost.of(order.checked(wanted, order.limits()))
        except AttnvizError as error:
            st.caption(verbatim(str(error)))
            return
        if found is None:
            st.caption("Estimating what it will cost, from a few batches.")
            return
        if waiting:
            st.rerun()  # nobody need ask again
        st.caption(found.sentence(wanted.made().epochs, len(wanted.seeds)))
