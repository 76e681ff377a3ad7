"""torch is loaded in a thread, once, for pages of our own only."""

import asyncio
from collections.abc import Iterator

import pytest
import streamlit as st
from starlette.requests import Request

from attnviz.ui import warm


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the names of what was loaded, and load nothing."""
    loaded: list[str] = []
    monkeypatch.setattr(warm, "import_module", loaded.append)
    warm._once.cache_clear()
    yield loaded
    warm._once.cache_clear()


def ask(**headers: str) -> int:
    """Return the status of an answer to a ping."""
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return asyncio.run(warm._answer(Request({"type": "http", "headers": raw}))).status_code


def test_pings_load_torch_once(loads: list[str]) -> None:
    assert [ask(), ask(sec_fetch_site="same-origin"), ask()] == [204] * 3
    warm._once(warm._load_models).join()
    assert loads == ["attnviz.ui.looking"]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_page_elsewhere_loads_nothing(loads: list[str], site: str) -> None:
    assert ask(sec_fetch_site=site) == 403
    assert loads == []


def test_without_torch_the_server_lives_on(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"no {name}")

    monkeypatch.setattr(warm, "import_module", missing)
    warm._load_models()
    assert "no attnviz.ui.looking" in caplog.text


@pytest.mark.parametrize(("base", "path"), [("", "/attnviz/warm"), ("/below/here/", "/below/here/attnviz/warm")])
def test_the_route_lies_below_the_address_of_the_server(monkeypatch: pytest.MonkeyPatch, base: str, path: str) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.__getitem__)
    assert [route.path for route in warm.routes()] == [path]
