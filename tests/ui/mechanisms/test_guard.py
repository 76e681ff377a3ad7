"""One faulty mechanism takes nothing else down: every page, the draw page and the live channel work with each fault."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui import derived_values
from attnviz.ui.components.payload import pack, unpack
from attnviz.ui.draw import panels
from attnviz.ui.live import channel
from attnviz.ui.live.jacobian import JACOBIAN
from attnviz.ui.live.request import read
from attnviz.ui.mechanisms import MECHANISMS, guard
from attnviz.ui.mechanisms.mechanism import Mechanism
from attnviz.ui.server import head, moved, preload

from .faults import CHECKPOINT, FAULTS, ROW, WRONG, Fault

PAGES = Path(__file__).parents[3] / "pages"
OTHER, OTHERS_PAGE = "ink.digits", "30_recurrent_attention.py"
DRAW, HOME = "05_draw.py", ["_navigation.py", "home.py"]
UNTOUCHED = [*HOME, "85_results.py", OTHERS_PAGE]
COMPLETE = dict(MECHANISMS.items())  # without a fault


@pytest.fixture(params=FAULTS)
def fault(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fault:
    """Put one fault after the other into a mechanism, and return it."""
    found = FAULTS[request.param]
    guard._written.clear()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(MECHANISMS, found.row, found.put(tmp_path))
    return found


def run(file: str, **words: str) -> AppTest:
    test = AppTest.from_file(PAGES / file, default_timeout=60)
    test.query_params.update(words)
    return test.run()


def said(test: AppTest) -> str:
    """Return all that a page says is wrong."""
    return " ".join(one.value for one in (*test.error, *test.warning)).replace("\\", "")


def asked() -> list[dict[str, Any]]:
    """Return what the draw page asks the faulty mechanism, and another one."""
    models = panels.describe([CHECKPOINT, OTHER])
    return [{"checkpoint": model["checkpoint"], "wanted": model["wanted"]} for model in models]


def answers(asks: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, np.ndarray]]]:
    """Return the answers of the live channel to a drawing."""
    canvas = np.zeros((280, 280, 1), np.uint8)
    canvas[60:220, 130:150] = 255
    message = pack({"number": 1, "asks": asks, "prepare": {"centred": True}}, {"pictures": canvas})
    live = channel.Channel(channel._plan, derived_values.find, quick=60)
    begun = live.begin(read(message, derived_values.find))
    assert len(begun.long) == len(asks)
    rest = [one for place in range(begun.place, len(asks)) for one in live.say(begun, place)]
    return [unpack(one) for one in [*begun.taken(), *rest]]


def test_all_other_pages_and_the_live_channel_work(fault: Fault, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        for file in UNTOUCHED:
            if fault.where != "home" or file not in HOME:
                test = run(file)
                assert (list(test.exception), said(test)) == ([], ""), file
        draw = run(DRAW, models=f"{CHECKPOINT},{OTHER}")
        concerned = {"below the panels": said(draw)}
        assert not draw.exception
        assert fault.where == "below the panels" or not said(draw)
        assert draw.get("bidi_component")
        described = panels.describe([CHECKPOINT, OTHER])
        assert [model["checkpoint"] for model in described] == [CHECKPOINT, OTHER]
        asks = asked()
        (own, _), (other, arrays) = answers(asks)
        assert "error" not in other
        assert arrays["probabilities"].shape == (1, 10)
        assert "jacobian" in derived_values.known()
        assert derived_values.find("jacobian") is JACOBIAN
        concerned |= {"draw": described[0]["says"], "live": own.get("error", "")}
        if fault.where == "home":
            home = run("home.py")
            assert not home.exception
            concerned["home"] = said(home)
        if fault.where == "its page" and fault.said:
            _, concerned["its page"] = its_page()
        assert fault.said in concerned.get(fault.where, "")
        assert bool(fault.said) or "error" not in own
    if fault.said and fault.said not in ("no derived", "cannot be used", "no.tap", "too large", "no derived value"):
        assert "Traceback" in caplog.text


@pytest.mark.slow
def test_every_further_page_works(fault: Fault) -> None:
    row = COMPLETE[fault.row]
    concerned = {row.page, *(further.page for further in row.further)}
    for file in sorted({file.name for file in PAGES.glob("*.py")} - {*UNTOUCHED, *concerned, DRAW}):
        test = run(file)
        assert (list(test.exception), said(test)) == ([], ""), file
        assert test.title, file


def its_page() -> tuple[str, str]:
    """Return title and sentence of the page of the faulty mechanism, as the navigation has it."""
    test = AppTest.from_function(_its_page, default_timeout=60).run()
    assert not test.exception
    return test.title[0].value, said(test)


def _its_page() -> None:
    from attnviz.ui.mechanisms import MECHANISMS
    from attnviz.ui.shared import navigation

    (page,) = [page for row, page in navigation.pages(MECHANISMS.values(), ()) if row.name == "cnn_attention"]
    assert callable(page._page)
    page._page()


def test_the_server_starts_and_loads_what_others_need(fault: Fault) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"<head></head>"})

    async def receive() -> Any:
        return {"type": "http.request"}

    async def ask(path: str) -> bytes:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "path": path, "query_string": b"", "headers": [(b"accept", b"text/html")]}
        await complete(scope, receive, send)
        return b"".join(message.get("body", b"") for message in sent)

    complete = moved.Moved(head.Head(app))
    for path, component in (("/", b"pixel_viewer"), ("/draw", b"drawing_pad"), ("/element_wise", b"stage_grid")):
        assert component in asyncio.run(ask(path))
    preload.load_pages()


@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG)
def test_a_row_with_a_field_of_another_type_is_not_made(fields: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=rf"A mechanism's `{next(iter(fields))}`"):
        replace(MECHANISMS[ROW], **fields)


def test_an_entry_point_that_names_something_else_is_left_out() -> None:
    with pytest.raises(BadInput, match="not dict"):
        MECHANISMS._read("colour", {"name": "colour"})
    assert MECHANISMS._read("colour", MECHANISMS[ROW]) == {"colour": MECHANISMS[ROW]}


def test_a_fault_is_in_the_log_once_and_in_every_sentence(caplog: pytest.LogCaptureFixture) -> None:
    guard._written.clear()
    row: Mechanism = MECHANISMS[ROW]
    for _ in range(3):
        with pytest.raises(guard.Failed, match="could not give its panel. The server's log says why"):
            guard.call(row, "panel", lambda: 1 / 0)
    assert len(caplog.records) == 1
    with pytest.raises(guard.Failed):
        guard.call(row, "home", lambda: 1 / 0)
    assert len(caplog.records) == 2
    assert caplog.text.count("ZeroDivisionError") == 2
