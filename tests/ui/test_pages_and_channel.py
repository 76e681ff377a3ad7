"""What the pages of mechanisms hand to their components: to the byte what the live channel answers; and by a short way.

Every page of every mechanism is opened with each of its experiments.
"""

import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.subjects import Subject
from attnviz.ui.components import component
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from attnviz.views.payload import header_of, unpack, with_header
from tests.ui.live.asked import answers
from tests.ui.live.live_server import request

ROOT = Path(__file__).parents[2]
MOST = 4
STROKE = {"data": "strokes", "number": "23"}
HEADS = {"model": "pixel_attention.1v8-augmented-positions", **STROKE}
PAPER = {**STROKE, "experiment": "paper"}
FURTHER: dict[str, list[dict[str, str]]] = {
    "10_pixel_attention.py": [
        *({**HEADS, "experiment": "compare", "other": other} for other in ("head", "picture", "model")),
        {**HEADS, "experiment": "compare", "direction": "received", "other": "head"},
        {**HEADS, "experiment": "heads", "off": "1-3", "uniform": "5"},
        {**STROKE, "experiment": "shuffle", "query": "9,8", "head": "3"},
    ],
    "15_paper.py": [{**PAPER, "figure": figure} for figure in ("4", "6", "9", "10")],
}


def opened() -> Iterator[Any]:
    """Yield a page of a mechanism, and what its URL says."""
    for row in MECHANISMS.values():
        for page in (row.page, *(one.page for one in row.further)):
            if row.name == "pixel_attention":
                experiments = choice.EXPERIMENTS if page == row.page else choice.OF_THE_PAPER
            else:
                experiments = import_module(f"attnviz.ui.mechanisms.{row.name}.experiments").EXPERIMENTS
            words = [{}, *({"experiment": name} for name in experiments), *FURTHER.get(page, [])]
            yield from (pytest.param((page, one), id=f"{page[:2]}{'-'.join(one.values())}") for one in words)


class Seen(NamedTuple):
    """What one page did: the views that it asked for, and the functions of ours on the way to each component."""

    test: AppTest
    views: list[tuple[str, Subject, dict[str, Any], bytes]]
    ways: dict[str, list[str]]


@pytest.fixture
def seen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Seen:
    page, words = request.param
    views: list[tuple[str, Subject, dict[str, Any], bytes]] = []
    ways: dict[str, list[str]] = {}
    payload_of = View.of

    def of(view: View[Any], subject: Subject, **parameters: Any) -> bytes:
        payload = payload_of(view, subject, **parameters)
        views.append((view.name, subject, parameters, payload))
        return payload

    def trace(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is component.component.__code__ and frame.f_back is not None:
            way = list(between(frame.f_back))
            if way and way[-1] == "see":
                ways[f"{frame.f_back.f_code.co_name} {frame.f_back.f_locals.get('key', '')}"] = way[:-1]

    monkeypatch.setattr(View, "of", of)
    test = AppTest.from_file(str(ROOT / "pages" / page), default_timeout=120)
    test.query_params.update(words)
    threading.setprofile(trace)
    try:
        test.run()
    finally:
        threading.setprofile(None)
    assert not test.exception
    assert not test.error
    return Seen(test, views, ways)


def between(drawing: FrameType) -> Iterator[str]:
    """Yield the functions of ours that have called a component's, from the innermost to the page's `see`."""
    frame = drawing.f_back
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(ROOT / "attnviz") or file.parent == ROOT / "pages":
            yield frame.f_code.co_name
            if frame.f_code.co_name == "see":
                return
        frame = frame.f_back


def answered(name: str, subject: Subject, parameters: dict[str, Any]) -> bytes:
    """Return what the live channel answers to a request for a view, the last answer where there are several."""
    asks = [{"checkpoint": subject.net.key, "wanted": {"it": {"derived": name, "parameters": parameters}}}]
    *_, (_, arrays) = answers(request(1, {}, pictures=[dict(subject.example.asked)], asks=asks))
    return arrays["it"].tobytes()


@pytest.mark.parametrize("seen", [*opened()], indirect=True)
def test_every_payload_is_the_answer_of_the_live_channel(seen: Seen) -> None:
    for one in seen.test.get("bidi_component"):
        if one.proto.component_name.endswith((".arrive", ".epoch_slider")):  # which show no subject
            continue
        sent = one.proto.bytes
        header = header_of(sent)
        for name, subject, parameters, payload in seen.views:
            own = {field: value for field, value in header.items() if field not in header_of(payload)}
            if with_header(payload, **own) == sent:
                assert answered(name, subject, parameters) == payload, name
                break
        else:
            pytest.fail(f"{one.proto.component_name} shows no view: {unpack(sent)[0].get('title')}")
    assert seen.ways
    for name, way in seen.ways.items():
        assert len(way) <= MOST, f"{name}: see > {' > '.join(reversed(way))}"
