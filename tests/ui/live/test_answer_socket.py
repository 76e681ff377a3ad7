"""Answers over a socket: pictures by name, several models, and visitors who share them."""

import statistics
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from attnviz import cards, checkpoints, subjects
from attnviz.answers import as_batch
from attnviz.data import strokes
from attnviz.data.inputs import drawing
from attnviz.edits import scale
from attnviz.tracing import trace
from attnviz.ui.derived_values import find
from attnviz.ui.live import channel
from attnviz.ui.live.channel import Channel
from attnviz.ui.shared import cache

from .live_server import NAME, WAIT, Planned, request, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with serving(Channel(channel._plan, find)) as running:
        yield running


def test_a_picture_by_its_name_is_that_picture(server: Any) -> None:
    image = strokes.load("test", 256)[0][3]
    wanted = {"output": {"address": "attention.output"}}
    with server.visitor() as visitor:
        asks = [{"checkpoint": NAME, "wanted": wanted}]
        header, named = visitor.ask(1, pictures=[{"data": "strokes", "number": 3}], asks=asks)
        _, sent = visitor.ask(2, {"pictures": image}, asks=asks)
    assert header["digest"] == cards.read(NAME).weights_digest
    for name in ("logits", "probabilities", "output"):
        np.testing.assert_array_equal(named[name], sent[name])
    np.testing.assert_allclose(sent["logits"], checkpoints.load(NAME).model(as_batch(image[None])), rtol=1e-4)


LARGE = "pixel_attention.1v8-augmented"  # 24 heads, 784 tokens
TURNS = 3  # of each of the others who draw, while one more waits for an answer; each turn answers two asks at most


def test_who_draws_waits_for_none_who_ask_for_most_and_for_a_few_turns_of_those_who_draw(server: Any) -> None:
    off = [{"edit": "off", "address": "attention.weights"}]
    most = request(1, {}, pictures=[{"data": "strokes", "number": 0}] * 64, asks=[{"checkpoint": LARGE, "edits": off}])
    canvas = {"pictures": np.zeros((280, 280, 1), np.uint8)}
    canvas["pictures"][100:180, 130:150] = 255
    drawing_once = {"prepare": {"centred": True}, "asks": [{"checkpoint": NAME}] * 2}
    began, may, done = threading.Semaphore(0), threading.Event(), threading.Event()
    plan, answered, between = server.channel.plan, list[int](), list[int]()

    def noted(asked: Any) -> list[Planned]:
        def answers(place: int) -> Iterator[bytes]:
            if asked.head.number == 1:  # as if it took for ever
                began.release()
                assert may.wait(WAIT)
            if asked.head.number == 2:
                answered.append(place)
            yield from planned[place].answers()

        planned = plan(asked)
        return [Planned(one.work, partial(answers, place)) for place, one in enumerate(planned)]

    def draw() -> None:
        with server.visitor() as visitor:
            while not done.is_set():
                visitor.send(2, canvas, **drawing_once)
                while not visitor.hear()[0]["done"]:
                    pass

    threads = [threading.Thread(target=draw, daemon=True) for _ in range(20)]
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(server.channel, "plan", noted)
        visitor = stack.enter_context(server.visitor())
        for _ in range(20):
            stack.enter_context(server.visitor()).connection.send(most)
        stack.callback(may.set)
        assert began.acquire(timeout=WAIT)
        for thread in threads:
            thread.start()
            stack.callback(thread.join)
        stack.callback(done.set)
        for number in range(3, 8):
            before = len(answered)
            visitor.send(number, canvas, **drawing_once)
            for place in range(2):
                header, _ = visitor.hear()
                assert (header["number"], header["ask"]) == (number, place)
                assert "error" not in header
            between.append(len(answered) - before)
    # In the median: a first answer may cost more than others, and whoever got it lets the others catch up.
    assert statistics.median(between) <= TURNS * 2 * len(threads)


def test_a_drawing_is_a_picture_by_name(server: Any) -> None:
    image = strokes.load("test", 256)[0][3]
    with server.visitor() as visitor:
        _, named = visitor.ask(1, pictures=[{"data": drawing.name(image[..., 0]), "number": 0}])
        _, sent = visitor.ask(2, {"pictures": image})
        refused, _ = visitor.ask(3, pictures=[{"data": "drawing:eJwDAAAAAAE", "number": 0}])
    np.testing.assert_array_equal(named["logits"], sent["logits"])
    assert "This drawing is incomplete" in refused["error"]


def test_several_models_answer_one_after_the_other_and_one_may_fail(server: Any) -> None:
    names = [NAME, "pixel_attention.1v9", "pixel_line.1v8"]
    with server.visitor() as visitor:
        visitor.send(9, asks=[{"checkpoint": name} for name in names])
        headers = [visitor.hear()[0] for _ in names]
    assert [(one["number"], one["ask"], one["done"]) for one in headers] == [(9, 0, False), (9, 1, False), (9, 2, True)]
    assert [one.get("checkpoint") for one in headers] == [NAME, None, "pixel_line.1v8"]
    assert "There is no checkpoint 'pixel_attention.1v9'" in headers[1]["error"]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"data": "stroke", "number": 0}, "There is no data set 'stroke'. Did you mean 'strokes'"),
        (
            {"data": "strokes", "number": 10_000},
            "strokes has 10,000 test pictures, counted from 0; there is no number 10,000",
        ),
        ({"data": "mnist", "number": 0}, "mnist"),
    ],
)
def test_a_picture_that_is_not_here(server: Any, named: dict, said: str) -> None:
    with server.visitor() as visitor:
        header, _ = visitor.ask(1, pictures=[named])
    assert said in header["error"]


def test_two_visitors_share_a_model_and_never_meet(server: Any) -> None:
    images = strokes.load("test", 256)[0][:2]
    before = {name: value.clone() for name, value in cache.single(subjects.net(NAME)).model.state_dict().items()}
    together = threading.Barrier(2)

    def visit(which: int) -> list[np.ndarray]:
        index, factor = {"token": list(range(which, 784, 2))}, 2.0 + which
        edits = [{"edit": "scale", "address": "attention.mixed", "index": index, "factor": factor}]
        with server.visitor() as visitor:
            together.wait(WAIT)
            asks = [{"checkpoint": NAME, "edits": edits}]
            return [visitor.ask(turn, {"pictures": images[which]}, asks=asks)[1]["logits"] for turn in range(20)]

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(visit, range(2)))
    model = checkpoints.load(NAME).model
    for which, logits in enumerate(answers):
        edits = {"attention.mixed": scale(2.0 + which, token=range(which, 784, 2))}
        with torch.no_grad(), trace(model, [], edits):
            expected = model(as_batch(images[which : which + 1]))
        np.testing.assert_allclose(np.stack(logits), np.broadcast_to(expected, (20, 1, 1)), rtol=1e-4)
    assert not np.allclose(answers[0][0], answers[1][0])
    for name, value in cache.single(subjects.net(NAME)).model.state_dict().items():
        assert torch.equal(value, before[name])
