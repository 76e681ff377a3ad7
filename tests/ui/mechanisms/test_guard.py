"""One faulty mechanism takes nothing else down: every page, the draw page and the live channel work with each fault."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.errors import BadInput
from attnviz.ui import derived_values
from attnviz.ui.draw import panels
from attnviz.ui.lessons import shelf
from attnviz.ui.lessons.shelf import known
from attnviz.ui.live import channel
from attnviz.ui.live.jacobian import JACOBIAN
from attnviz.ui.live.request import read
from attnviz.ui.mechanisms import MECHANISMS, guard
from attnviz.ui.mechanisms.mechanism import Mechanism
from attnviz.ui.server import head, moved, preload
from attnviz.views.payload import pack, unpack

from .faults import CHECKPOINTS, FAULTS, NOT_EXPECTED, ROUNDS, WRONG, Fault, put

PAGES = Path(__file__).parents[3] / "pages"
ROW = "cnn_attention"
OTHER, OTHERS_PAGE = "ink.digits", "30_recurrent_attention.py"
DRAW, HOME = "05_draw.py", ["_navigation.py", "home.py"]
UNTOUCHED = [*HOME, "85_results.py", OTHERS_PAGE]
COMPLETE = dict(MECHANISMS.items())  # without a fault
NO_TRACEBACK = ("no derived", "cannot be used", "no.tap", "too large", "no derived value")


@pytest.fixture
def lessons_read_anew() -> Iterator[None]:
    """Lessons are checked against the table of mechanisms and cached: forget them, as these tests replace the table."""
    cached = (known, shelf._folder)
    for one in cached:
        one.cache_clear()
    yield
    for one in cached:
        one.cache_clear()


@pytest.fixture(params=ROUNDS, ids=[f"round {number}" for number, _ in enumerate(ROUNDS, 1)])
def faults(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lessons_read_anew: None
) -> dict[str, list[Fault]]:
    """Put faults into mechanisms, and return those of each."""
    guard._written.clear()
    for name, row in put(request.param, tmp_path).items():
        monkeypatch.syspath_prepend(tmp_path / name)
        monkeypatch.setitem(MECHANISMS, name, row)
    return {name: [FAULTS[fault] for fault in its] for name, its in request.param.items()}


def run(file: str, **words: str) -> AppTest:
    test = AppTest.from_file(PAGES / file, default_timeout=120)
    test.query_params.update(words)
    return test.run()


def said(test: AppTest) -> str:
    """Return all that a page says is wrong."""
    return " ".join(one.value for one in (*test.error, *test.warning)).replace("\\", "")


def asked(names: list[str]) -> list[dict[str, Any]]:
    """Return what the draw page asks of models."""
    return [{"checkpoint": model["checkpoint"], "wanted": model["wanted"]} for model in panels.describe(names)]


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


def test_all_other_pages_and_the_live_channel_work(
    faults: dict[str, list[Fault]], caplog: pytest.LogCaptureFixture
) -> None:
    names = [CHECKPOINTS[row] for row in faults if row in CHECKPOINTS]
    with caplog.at_level(logging.ERROR):
        for file in UNTOUCHED:
            if file not in HOME:
                test = run(file)
                assert (list(test.exception), said(test)) == ([], ""), file
        navigation, home = (run(file) for file in HOME)
        assert not navigation.exception and not home.exception
        assert said(navigation) == said(home)  # which it opens
        assert len([*home.error, *home.warning]) == at(faults, "home")
        draw = run(DRAW, models=",".join([*names, OTHER]))
        assert not draw.exception
        assert len([*draw.error, *draw.warning]) == at(faults, "below the panels")
        assert draw.get("bidi_component")
        described = panels.describe([*names, OTHER])
        assert [model["checkpoint"] for model in described] == [*names, OTHER]
        *own, (other, arrays) = answers(asked([*names, OTHER]))
        assert "error" not in other
        assert arrays["probabilities"].shape == (1, 10)
        assert "jacobian" in derived_values.known()
        assert derived_values.find("jacobian") is JACOBIAN
        concerned = {"below the panels": said(draw), "home": said(home)}
        for number, (name, its) in enumerate(faults.items()):
            if name in CHECKPOINTS:
                error = own[number][0].get("error", "")
                concerned |= {"draw": described[number]["says"], "live": error}
                assert bool(error) == any(fault.where == "live" and fault.said for fault in its), error
            for fault in its:
                if fault.where == "its page" and fault.said:
                    _, concerned["its page"] = its_page(name)
                assert fault.said in concerned.get(fault.where, ""), name
                if "could not give" in fault.said and fault.where != "live":
                    assert f"\u201c{MECHANISMS[name].title}\u201d" in concerned[fault.where]
    logged = [record.getMessage() for record in caplog.records if record.exc_info]
    kinds = [fault.said for its in faults.values() for fault in its]
    assert sum("mechanism" not in message for message in logged) >= kinds.count(NOT_EXPECTED)
    for name, its in faults.items():
        if any(fault.said and fault.said not in (NOT_EXPECTED, *NO_TRACEBACK) for fault in its):
            assert any(name in message for message in logged), name


def at(faults: dict[str, list[Fault]], where: str) -> int:
    """Return how many faults are seen at a place."""
    return sum(fault.where == where for its in faults.values() for fault in its)


@pytest.mark.slow
def test_every_further_page_works(faults: dict[str, list[Fault]]) -> None:
    rows = [COMPLETE[name] for name in faults]
    concerned = {row.page for row in rows} | {further.page for row in rows for further in row.further}
    for file in sorted({file.name for file in PAGES.glob("*.py")} - {*UNTOUCHED, *concerned, DRAW}):
        test = run(file)
        told = [sentence for sentence in said(test).split("The lesson ") if "There is no page" not in sentence]
        assert (list(test.exception), "".join(told)) == ([], ""), file  # lessons about a page that is left out say so
        assert test.title, file


def its_page(name: str) -> tuple[str, str]:
    """Return title and sentence of the page of a faulty mechanism, as the navigation has it."""
    test = AppTest.from_function(_its_page, default_timeout=120, kwargs={"name": name}).run()
    assert not test.exception
    return test.title[0].value, said(test)


def _its_page(name: str) -> None:
    from attnviz.ui.mechanisms import MECHANISMS
    from attnviz.ui.shared import navigation

    (page,) = [page for row, page in navigation.pages(MECHANISMS.values(), ()) if row.name == name]
    assert callable(page._page)
    page._page()


def test_the_server_starts_and_loads_what_others_need(faults: dict[str, list[Fault]]) -> None:
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
    for path, component in (
        ("/", b"pixel_viewer"),
        ("/draw", b"drawing_pad"),
        ("/recurrent_attention", b"glimpse_player"),
    ):
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
