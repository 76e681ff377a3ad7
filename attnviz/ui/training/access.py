"""Permission to train, for visitors at this machine and others with the token, and the actions of their buttons."""

import hmac
import ipaddress
import os
from collections.abc import Callable
from urllib.parse import urlsplit

import streamlit as st

from attnviz.errors import AttnvizError, BadInput
from attnviz.ui.shared.wording import verbatim
from attnviz.work.jobs import seen

TOKEN = "ATTNVIZ_TRAIN_TOKEN"
"""The environment variable with the token for visitors from other machines, who cannot train without it."""

KEY = "train_token"
"""The key of the field in which a visitor enters it."""


def check() -> None:
    """Raise BadInput if the visitor may not train. Every button checks again, since permissions can change."""
    if _sits_here():
        return
    token = os.environ.get(TOKEN, "")
    if not token:
        raise BadInput(f"From another machine, models can be trained only if attnviz was started with {TOKEN} set.")
    given = str(st.session_state.get(KEY, ""))
    if not hmac.compare_digest(given.encode(), token.encode()):
        raise BadInput("To train from another machine, enter the token that this server was started with.")


def ask() -> None:
    """Draw the field for the token if it is needed, or a sentence if no training can be started from there."""
    if _sits_here():
        return
    if os.environ.get(TOKEN):
        st.text_input("Token", type="password", key=KEY, max_chars=200, width=280)
    else:
        st.caption(f"From another machine, models can be trained only if attnviz was started with {TOKEN} set.")


def is_local(address: str | None, host: str | None, forwarded: bool) -> bool:
    """Return whether a visitor is at this machine, judging by the connection's address (None from Streamlit for this
    machine), the host that the browser requested, which differs behind a proxy here, and whether a proxy declares that
    it forwards.
    """
    try:
        name = urlsplit(f"//{host or ''}").hostname or ""
    except ValueError:
        return False
    return not forwarded and _is_loopback(address or "127.0.0.1") and _is_loopback(name)


def _sits_here() -> bool:
    headers = st.context.headers
    forwarded = any(headers.get(name) is not None for name in ("X-Forwarded-For", "X-Real-Ip", "Forwarded"))
    return is_local(st.context.ip_address, headers.get("Host"), forwarded)


def _is_loopback(name: str) -> bool:
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


SAID = "train_said"  # session state key: the message of the last button
_AGAIN = "train_again"  # session state key: a button in a fragment was clicked, so the whole page must run again


def do(action: Callable[[], object], said: str = "") -> None:
    """Run a button's action if the visitor may; the page then shows its error, or the sentence `said`."""
    try:
        check()
        action()
        st.session_state[SAID] = (said, "")
    except AttnvizError as error:
        st.session_state[SAID] = ("", str(error))
    st.session_state[_AGAIN] = True
    seen.again()


def button(label: str, key: str, action: Callable[[], object], said: str = "") -> None:
    """Draw a button of a job or search, which runs its action if the visitor may."""
    st.button(label, key=f"{label}-{key}", on_click=do, args=(action, said))


def done() -> bool:
    """Return whether a button has been pressed since the last call."""
    return bool(st.session_state.pop(_AGAIN, False))


def said() -> None:
    """Draw the sentence of the last button pressed."""
    did, failed = st.session_state.pop(SAID, ("", ""))
    if failed:
        st.error(verbatim(failed))
    elif did:
        st.success(verbatim(did))
