"""What a button does, if the visitor may; and the sentence that the page shows afterwards."""

from collections.abc import Callable

import streamlit as st

from attnviz.errors import AttnvizError
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import access
from attnviz.work.jobs import seen

SAID = "train_said"  # in the session: the sentence of the last button
_AGAIN = "train_again"  # in the session: a button was pressed in a part of the page, and the rest must run again


def do(action: Callable[[], object], said: str = "") -> None:
    """Do what a button asks for, if the visitor may; the page then says what came of it, or what is `said` of it."""
    try:
        access.check()
        action()
        st.session_state[SAID] = (said, "")
    except AttnvizError as error:
        st.session_state[SAID] = ("", str(error))
    st.session_state[_AGAIN] = True
    seen.again()


def done() -> bool:
    """Return whether a button has been pressed since this was asked last."""
    return bool(st.session_state.pop(_AGAIN, False))


def said() -> None:
    """Draw the sentence of the last button."""
    did, failed = st.session_state.pop(SAID, ("", ""))
    if failed:
        st.error(verbatim(failed))
    elif did:
        st.success(verbatim(did))
