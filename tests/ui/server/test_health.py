"""Whether models answer, attnviz/ui/server/health.py."""

import asyncio
import json
from collections.abc import Iterator

import pytest
import torch
from starlette.routing import Route

from attnviz.subjects import kinds
from attnviz.ui.server import health


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing is known from before, nor left for later."""
    health._smallest.cache_clear()
    health._last.clear()
    yield
    health._smallest.cache_clear()
    health._last.clear()


def _asked() -> tuple[int, str]:
    found = asyncio.run(health.answer(None))
    return found.status_code, json.loads(found.body)["models"]


def test_a_model_answers():
    assert _asked() == (200, "They answer.")


def test_without_a_checkpoint_it_says_so(monkeypatch):
    monkeypatch.setattr(kinds, "usable", dict)
    assert _asked() == (503, "A model does not answer: there is no checkpoint with weights.")


def test_an_answer_that_is_no_number_is_none(monkeypatch):
    model, net = health._smallest()
    monkeypatch.setattr(health, "_smallest", lambda: (lambda images: torch.full((1, 2), float("nan")), net))
    assert _asked()[0] == 503


def test_what_breaks_is_told_in_the_log_alone(monkeypatch, caplog):
    def breaks():
        raise RuntimeError("secret")

    monkeypatch.setattr(health, "_smallest", breaks)
    assert _asked() == (503, "A model does not answer: the details are in the server's log.")
    assert "secret" in caplog.text


def test_it_is_found_out_again_after_a_while_only(monkeypatch):
    now = [100.0]
    asked = []
    monkeypatch.setattr("attnviz.ui.server.health.time.monotonic", lambda: now[0])
    monkeypatch.setattr(health, "_find_out", lambda: asked.append(now[0]) or "")
    for step in (0, 1, health.EVERY, 1):
        now[0] += step
        health.wrong_now()
    assert asked == [100.0, 100.0 + 1 + health.EVERY]


@pytest.mark.parametrize(("base", "path"), [("", "/health"), ("lab/", "/lab/health")])
def test_it_lies_below_the_address_of_the_app(monkeypatch, base, path):
    monkeypatch.setattr("attnviz.ui.server.health.st.get_option", lambda name: base)
    (route,) = health.routes()
    assert isinstance(route, Route) and route.path == path
