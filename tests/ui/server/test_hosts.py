"""Who is let in: this server's own names, and sockets that its own pages open."""

import asyncio
from typing import Any

import pytest
import streamlit as st
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from attnviz.ui.server.hosts import METRICS, Hosts, is_ours, same_origin

LISTED = ["class.example", "*.lab.example"]


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(st, "get_option", {"server.allowedHosts": names}.__getitem__)
    return names


def came(kind: str, path: str = "/", **headers: str) -> tuple[bool, list[Message]]:
    """Return whether a request was passed on, and what was sent where it was not."""
    passed, sent = [], []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["path"])

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "method": "GET", "path": path, "headers": raw}
    asyncio.run(Hosts(app)(scope, receive, send))
    return bool(passed), sent


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost", True),
        ("localhost:8501", True),
        ("127.0.0.1:8501", True),
        ("192.168.1.20:8501", True),
        ("[::1]:8501", True),
        ("[2001:db8::7]", True),
        ("evil.example", False),
        ("evil.example:8501", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("evil.example@127.0.0.1", False),
        ("127.0.0.1:8501/evil", False),
        ("127.0.0.1:99999", False),
        ("127.0.0.1:x", False),
        ("[::1", False),
        ("class.example", False),
        ("", False),
        (None, False),
    ],
)
def test_localhost_and_addresses_are_ours_and_no_name_is(listed: list[str], host: str | None, ours: bool) -> None:
    assert is_ours(host) is ours


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("class.example", True),
        ("Class.example:443", True),
        ("a.lab.example", True),
        ("10.0.0.7", True),
        ("localhost", True),
        ("lab.example", False),
        ("evillab.example", False),
        ("a.class.example", False),
        ("evil.example", False),
    ],
)
def test_names_are_ours_where_they_are_listed(listed: list[str], host: str, ours: bool) -> None:
    listed += LISTED
    assert is_ours(host) is ours


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://localhost:8501", "localhost:8501", True),
        ("https://attnviz.example", "attnviz.example", True),
        ("https://attnviz.example", "attnviz.example:8501", False),
        ("https://attnviz.example.evil", "attnviz.example", False),
        ("http://127.0.0.1:1", "127.0.0.1:8501", False),
        ("https://Attnviz.example", "attnviz.example", False),
        ("ftp://attnviz.example", "attnviz.example", False),
        ("file://", "attnviz.example", False),
        ("null", "attnviz.example", False),
        ("http://[", "attnviz.example", False),
        ("http://", "", False),
    ],
)
def test_origin_and_host_must_agree(origin: str, host: str, same: bool) -> None:
    assert same_origin(Headers({"origin": origin, "host": host})) is same


@pytest.mark.parametrize("path", ["/live", "/_stcore/stream", "/lab/live", "/lab/_stcore/stream", "/whatever"])
@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://evil.example", "127.0.0.1:8501"),
        ("http://evil.example", "evil.example"),  # DNS rebinding
        ("http://evil.example:8501", "evil.example:8501"),
        (None, "127.0.0.1:8501"),
    ],
)
def test_every_socket_of_another_page_is_refused(listed: list[str], path: str, origin: str | None, host: str) -> None:
    headers = {"host": host} if origin is None else {"host": host, "origin": origin}
    assert came("websocket", path, **headers) == (False, [{"type": "websocket.close", "code": 1008}])


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "192.168.1.20:8501", "localhost:8501", "[::1]:8501"])
def test_sockets_of_our_own_pages_are_let_in(listed: list[str], host: str) -> None:
    assert came("websocket", "/live", host=host, origin=f"http://{host}") == (True, [])
    assert came("websocket", "/live", host=host, origin=f"https://{host}") == (True, [])


def test_a_page_by_another_name_is_a_sentence(listed: list[str]) -> None:
    passed, (start, body) = came("http", host="evil.example")
    assert (passed, start["status"]) == (False, 421)
    assert "not known as 'evil.example'" in body["body"].decode()
    assert came("http", host="127.0.0.1") == (True, [])
    assert came("http") == (True, [])  # HTTP/1.0, which no browser speaks


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/lab/_stcore/metrics", "/_stcore/metrics/"])
def test_the_figures_of_the_server_are_closed_unless_asked_for(
    listed: list[str], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def status() -> Any:
        passed, sent = came("http", path, host="localhost")
        return passed or sent[0]["status"]

    monkeypatch.delenv(METRICS, raising=False)
    assert status() == 404
    monkeypatch.setenv(METRICS, "0")
    assert status() == 404
    monkeypatch.setenv(METRICS, "1")
    assert status() is True


def test_other_scopes_pass() -> None:
    assert came("lifespan") == (True, [])
