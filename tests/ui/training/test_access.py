"""Who may train, attnviz/ui/training/access.py."""

import pytest
import streamlit as st

from attnviz.errors import BadInput
from attnviz.ui.training import access


@pytest.mark.parametrize(
    ("address", "host", "forwarded", "local"),
    [
        (None, "localhost:8501", False, True),
        ("127.0.0.1", "127.0.0.1:8501", False, True),
        ("::1", "[::1]:8501", False, True),
        ("192.168.1.5", "192.168.1.2:8501", False, False),
        ("192.168.1.5", "localhost", False, False),
        (None, "attnviz.example.org", False, False),
        ("127.0.0.1", "attnviz.example.org", False, False),
        (None, "localhost", True, False),
        (None, "localhost@example.org", False, False),
        (None, "localhost.example.org", False, False),
        (None, "", False, False),
        (None, None, False, False),
        ("nonsense", "localhost", False, False),
        (None, "[", False, False),
    ],
)
def test_only_who_sits_at_the_machine_is_local(address, host, forwarded, local):
    assert access.is_local(address, host, forwarded) is local


@pytest.fixture
def from_elsewhere(monkeypatch):
    monkeypatch.setattr(access, "_sits_here", lambda: False)
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.delenv(access.TOKEN, raising=False)


def test_from_elsewhere_nobody_trains_without_the_token(from_elsewhere, monkeypatch):
    with pytest.raises(BadInput, match=f"only if attnviz was started with {access.TOKEN} set"):
        access.check()
    monkeypatch.setenv(access.TOKEN, "sésame")
    for given in ("", "s", "sésam", "sésame "):
        st.session_state[access.KEY] = given
        with pytest.raises(BadInput, match="enter the token"):
            access.check()
    st.session_state[access.KEY] = "sésame"
    access.check()


def test_an_empty_token_opens_nothing(from_elsewhere, monkeypatch):
    monkeypatch.setenv(access.TOKEN, "")
    st.session_state[access.KEY] = ""
    with pytest.raises(BadInput):
        access.check()


def test_no_button_does_anything_for_who_may_not_train(from_elsewhere):
    access.do(lambda: pytest.fail("it was done"), "Done.")
    assert "another machine" in st.session_state[access.SAID][1]
