"""Headers on every answer, and one sentence for an error nobody caught."""

import asyncio
import logging
import tomllib
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.testing.v1 import AppTest

from attnviz.ui.server.security import CONTENT_POLICY, HEADERS, Headers, inline_scripts
from attnviz.ui.shared.wording import UNEXPECTED

Messages = list[MutableMapping[str, Any]]


def answers(app: ASGIApp, kind: str = "http") -> Messages:
    """Return what a client is sent by `app` behind the middleware."""
    sent: Messages = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(Headers(app)({"type": kind, "method": "GET", "path": "/", "headers": []}, receive, send))
    return sent


def names(message: MutableMapping[str, Any]) -> dict[str, str]:
    """Return a message's headers."""
    return {name.decode(): value.decode() for name, value in message["headers"]}


@pytest.mark.parametrize(
    ("kind", "start"), [("http", "http.response.start"), ("websocket", "websocket.http.response.start")]
)
def test_an_answer_gets_the_headers_and_keeps_its_own(kind: str, start: str) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        own = [(b"etag", b"7"), (b"content-security-policy", b"default-src *")]
        await send({"type": start, "status": 403, "headers": own})

    came = names(answers(app, kind)[0])
    assert came == {"etag": "7"} | {name.lower(): value for name, value in HEADERS.items()}


def test_other_messages_pass_as_they_are() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})

    assert answers(app, "websocket") == [{"type": "websocket.accept"}]


def test_an_error_before_an_answer_is_one_sentence_and_its_details_are_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("secret")

    with caplog.at_level(logging.ERROR):
        start, body = answers(app)
    assert start["status"] == 500
    assert names(start)["content-security-policy"] == CONTENT_POLICY
    assert body["body"].decode() == UNEXPECTED
    assert "secret" in caplog.text


def test_an_error_within_an_answer_breaks_it_off() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("secret")

    with pytest.raises(RuntimeError):
        answers(app)


def test_an_error_at_the_start_of_the_server_stops_it() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("no such folder")

    with pytest.raises(RuntimeError):
        answers(app, "lifespan")


@pytest.mark.parametrize("directive", ["default-src", "connect-src", "script-src", "img-src", "font-src", "worker-src"])
def test_the_policy_names_no_other_host(directive: str) -> None:
    sources = dict(part.split(" ", 1) for part in CONTENT_POLICY.split("; "))[directive].split()
    assert "'self'" in sources
    assert {source for source in sources if not source.startswith("'")} <= {"data:", "blob:"}


def test_an_error_of_ours_says_its_sentence_and_any_other_a_plain_one() -> None:
    def script() -> None:
        import streamlit as st

        from attnviz.errors import BadInput
        from attnviz.ui.server.security import one_sentence

        st.session_state.handled = [one_sentence(BadInput("Use 1 to 8.")), one_sentence(KeyError("secret"))]

    at = AppTest.from_function(script, default_timeout=120).run()
    assert [box.value for box in at.error] == [r"Use 1 to 8\.", UNEXPECTED]
    assert at.session_state.handled == [True, True]


def test_the_settings_keep_visitors_private() -> None:
    settings = tomllib.loads(Path(".streamlit/config.toml").read_text())
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["client"]["showErrorDetails"] == "none"


def test_the_settings_keep_the_event_loop_free() -> None:
    settings = tomllib.loads(Path(".streamlit/config.toml").read_text())
    # In the event loop, which all visitors share: a walk through all modules for each new one, and a full collection.
    assert settings["server"]["fileWatcherType"] == "none"
    assert settings["runner"]["postScriptGC"] is False


def test_a_script_in_the_page_is_allowed_by_its_digest_and_no_other() -> None:
    # The digest is that of the example in the specification of content policies.
    said = inline_scripts("<script>alert('Hello, world.');</script><script src='a.js'></script>")
    assert said == "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
    assert inline_scripts("<script>a\r\nb</script>") == inline_scripts("<script>a\nb</script>")
    scripts = dict(part.split(" ", 1) for part in CONTENT_POLICY.split("; "))["script-src"]
    assert "unsafe-inline" not in scripts
    assert "'sha256-" in scripts
