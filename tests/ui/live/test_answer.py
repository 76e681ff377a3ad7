"""What comes back over the live channel, against the model itself."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attnviz import cards, checkpoints, data
from attnviz.answers import as_batch, predicted
from attnviz.checkpoints import Checkpoint
from attnviz.data import inputs, strokes
from attnviz.data.inputs import digit, drawing
from attnviz.edits import off, scale
from attnviz.errors import AttnvizError, BadInput
from attnviz.models import Input
from attnviz.models.pixel_attention import PixelAttention
from attnviz.readings import Reading
from attnviz.tracing import Layer, trace
from attnviz.ui.components.payload import unpack
from attnviz.ui.live import answer as live_answer
from attnviz.ui.live import channel
from attnviz.ui.live.channel import Channel
from attnviz.ui.live.request import read
from attnviz.ui.shared import cache
from tests.training.several import lay_several

from .live_server import NAME, WAIT, request, serving

HEADS, SIDE, TOKENS = 3, 6, 36
Header = dict[str, Any]
Arrays = dict[str, np.ndarray]


class Glimpses(Layer):
    """A model that looks twice, and adds up what it sees there."""

    taps = ("query",)

    def forward(self, images: Tensor) -> Tensor:
        for _ in range(2):
            images = images + 1
            images = self.tap("query", images.flatten(1), axes="batch feature", per="glimpse").view_as(images)
        return images.flatten(1)[:, :3]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> PixelAttention:
    """Give the channel a small model of several heads for every name, and return it."""
    made = PixelAttention(
        classes=("1", "8"), heads=HEADS, head_size=2, rows=SIDE, columns=SIDE, mean=0.1, std=0.3,
        generator=torch.Generator().manual_seed(3),
    )  # fmt: skip
    return given(monkeypatch, made)


def given(monkeypatch: pytest.MonkeyPatch, model: Any) -> Any:
    checkpoint = Checkpoint(
        model.eval().requires_grad_(False), cards.read(NAME).model_copy(update={"weights_digest": "abc"})
    )
    monkeypatch.setattr(cache, "single", lambda name: checkpoint)
    return model


@pytest.fixture
def images() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (3, SIDE, SIDE, 1), dtype=np.uint8)


def ask(images: np.ndarray, **asked: Any) -> tuple[Header, Arrays]:
    """Return what the channel answers, without a socket."""
    message = request(1, {"pictures": images}, asks=[{"checkpoint": "any", **asked}])
    return unpack(live_answer.answer(read(message), 0))


# What the model says


def test_logits_and_probabilities_are_the_models(model: PixelAttention, images: np.ndarray) -> None:
    header, arrays = ask(images)
    logits = model(as_batch(images))
    assert header.pop("milliseconds") > 0
    assert header == {
        "number": 1, "ask": 0, "done": True, "checkpoint": "any", "digest": "abc", "axes": {}, "parameters": {}
    }  # fmt: skip
    np.testing.assert_array_equal(arrays["logits"], logits)
    np.testing.assert_allclose(arrays["probabilities"], torch.cat([-logits, logits], 1).sigmoid())
    assert {array.dtype.name for array in arrays.values()} == {"float32"}


def test_a_head_switched_off_and_one_scaled(model: PixelAttention, images: np.ndarray) -> None:
    _, arrays = ask(
        images,
        edits=[
            {"edit": "off", "address": "attention.mixed", "index": {"head": 1}},
            {"edit": "scale", "address": "attention.mixed", "index": {"head": [0, 2]}, "factor": 1.5},
        ],
    )
    with trace(model, [], {"attention.mixed": [off(head=1), scale(1.5, head=[0, 2])]}):
        expected = model(as_batch(images))
    np.testing.assert_array_equal(arrays["logits"], expected)
    assert not np.allclose(arrays["logits"], ask(images)[1]["logits"])


def test_a_part_keeps_nothing_else_of_its_tap_in_memory(
    model: PixelAttention, images: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Tensor] = []
    joined = live_answer.joined

    def noted(parts: list[Reading]) -> Reading:
        kept.extend(part.tensor for part in parts)
        return joined(parts)

    monkeypatch.setattr(live_answer, "joined", noted)
    row = {"derived": "mean_row", "parameters": {"layer": "attention", "head": 0}}
    ask(images, wanted={"row": {"address": "attention.weights", "index": {"head": 1, "query": 2}}, "mean": row})
    assert len(kept) == 6
    assert [one.untyped_storage().nbytes() for one in kept] == [one.nbytes for one in kept]


def test_edits_that_overflow_are_a_sentence(model: PixelAttention, images: np.ndarray) -> None:
    grow = {"edit": "scale", "address": "attention.mixed", "factor": 1e38}
    assert np.isfinite(ask(images, edits=[{**grow, "factor": 1e30}])[1]["logits"]).all()
    with pytest.raises(BadInput, match="the numbers in any become too large for an answer"):
        ask(images, edits=[grow, grow])


def test_an_array_can_be_set_and_a_head_made_uniform(model: PixelAttention, images: np.ndarray) -> None:
    mixed = np.random.default_rng(1).normal(size=(TOKENS, 2))
    edits = [
        {"edit": "set", "address": "attention.mixed", "index": {"head": 2}, "array": "new"},
        {"edit": "set", "address": "attention.mixed", "index": {"head": 0, "token": 5}, "value": 7},
        {"edit": "uniform", "address": "attention.mixed", "index": {"head": 1}},
    ]
    wanted = {name: {"address": f"attention.{name}"} for name in ("mixed", "value")}
    message = request(
        1, {"pictures": images, "new": mixed}, asks=[{"checkpoint": "x", "edits": edits, "wanted": wanted}]
    )
    header, arrays = unpack(live_answer.answer(read(message), 0))
    assert header["axes"]["mixed"] == ["batch", "head", "token", "feature"]
    for picture in range(3):
        np.testing.assert_allclose(arrays["mixed"][picture, 2], mixed, rtol=1e-6)
    assert (arrays["mixed"][:, 0, 5] == 7).all()
    even = arrays["value"][:, 1].mean(1, keepdims=True)
    np.testing.assert_allclose(arrays["mixed"][:, 1], np.broadcast_to(even, (3, TOKENS, 2)), rtol=1e-5)


@pytest.mark.parametrize(
    ("index", "axes", "place"),
    [
        ({"head": 2, "query": 17}, ["batch", "key"], np.s_[:, 2, 17]),
        ({"head": 0, "key": 3, "batch": 2}, ["query"], np.s_[2, 0, :, 3]),
        ({"query": 35}, ["batch", "head", "key"], np.s_[:, :, 35]),
        ({}, ["batch", "head", "query", "key"], np.s_[:]),
    ],
)
def test_what_is_wanted_of_several_pictures(
    model: PixelAttention, images: np.ndarray, index: dict, axes: list[str], place: Any
) -> None:
    header, arrays = ask(images, wanted={"row": {"address": "attention.weights", "index": index}})
    with trace(model, "attention.weights") as seen:
        model(as_batch(images))
    assert header["axes"] == {"row": axes}
    np.testing.assert_allclose(arrays["row"], seen["attention.weights"].tensor.numpy()[place], rtol=1e-5)


def test_glimpses_can_be_edited_and_wanted_by_their_number(monkeypatch: pytest.MonkeyPatch, images: np.ndarray) -> None:
    given(monkeypatch, Glimpses())
    header, arrays = ask(
        images,
        edits=[{"edit": "off", "address": "query", "index": {"glimpse": 0}}],
        wanted={"first": {"address": "query", "index": {"glimpse": 0}}, "both": {"address": "query"}},
    )
    assert header["axes"] == {"first": ["batch", "feature"], "both": ["glimpse", "batch", "feature"]}
    assert not arrays["first"].any()
    assert (arrays["both"][1] == 1).all()
    assert arrays["probabilities"].shape == (3, 3)


def test_maps_are_made_for_one_picture_at_a_time(
    model: PixelAttention, images: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    model.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0])))
    ask(images)
    ask(images, wanted={"all": {"address": "attention.mixed"}})
    assert sizes == [3, 3]
    ask(images, edits=[{"edit": "off", "address": "attention.weights", "index": {"head": 1}}])
    assert sizes[2:] == [1, 1, 1]
    monkeypatch.setattr(live_answer, "PAIRS", 5)
    with pytest.raises(AttnvizError, match="5 times at once, counting every picture; here it is 6 times"):
        ask(images, wanted={name: {"address": "attention.weights", "index": {"head": 0}} for name in "ab"})


def test_an_answer_that_would_be_too_large(
    model: PixelAttention, images: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    bytes_ = 3 * HEADS * TOKENS * TOKENS * 4
    monkeypatch.setattr(live_answer, "ANSWER", bytes_)
    ask(images, wanted={"all": {"address": "attention.weights"}})
    monkeypatch.setattr(live_answer, "ANSWER", bytes_ - 1)
    with pytest.raises(AttnvizError, match="may have at most .* bytes; this one would have more. Name an index"):
        ask(images, wanted={"all": {"address": "attention.weights"}})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"wanted": {"a": {"address": "attention.weight"}}}, "Did you mean 'attention.weights'"),
        ({"wanted": {"a": {"address": "attention.mixed", "index": {"head": 3}}}}, "head 3 does not exist; there are 3"),
        ({"wanted": {"a": {"address": "attention.mixed", "index": {"key": 3}}}}, "has no axis 'key'"),
        ({"wanted": {"a": {"address": "attention.mixed", "index": {"batch": 3}}}}, "batch 3 does not exist"),
        ({"edits": [{"edit": "off", "address": "mixed"}]}, "Did you mean 'attention.mixed'"),
        ({"edits": [{"edit": "off", "address": "attention.mixed", "index": {"head": 3}}]}, "there are 3, counted from"),
        ({"edits": [{"edit": "uniform", "address": "attention.value"}]}, "not at 'attention.value'"),
    ],
)
def test_what_there_is_not_is_said(model: PixelAttention, images: np.ndarray, asked: dict, said: str) -> None:
    with pytest.raises(AttnvizError, match=said):
        ask(images, **asked)


def test_pictures_of_another_size(model: PixelAttention) -> None:
    with pytest.raises(AttnvizError, match=r"shape \(batch, 1, 6, 6\), not"):
        ask(np.zeros((5, 5, 1), np.uint8))


# A canvas, prepared


CANVAS = np.zeros((280, 280, 1), np.uint8)
CANVAS[30:90, 40:60] = 255


@pytest.mark.parametrize("centred", [True, False])
def test_models_see_what_is_made_of_a_canvas_and_hand_it_back(monkeypatch: pytest.MonkeyPatch, centred: bool) -> None:
    line = given(monkeypatch, checkpoints.load("pixel_line.digits").model)
    message = request(1, {"pictures": CANVAS}, prepare={"centred": centred}, asks=[{"checkpoint": "any"}])
    header, arrays = unpack(live_answer.answer(read(message), 0))
    expected = digit.prepare(CANVAS[..., 0], centred=centred)
    np.testing.assert_array_equal(arrays["seen"], expected.picture[..., None])
    assert header["prepared"] == {
        "empty": False, "box": list(expected.box), "scale": expected.scale, "fitted": list(expected.fitted),
        "shift": list(expected.shift), "centred": centred, "words": expected.words,
    }  # fmt: skip
    np.testing.assert_array_equal(arrays["logits"], line(as_batch(expected.picture[None, ..., None])))


def test_a_canvas_is_prepared_once_for_all_models_that_take_the_same_pictures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[tuple[int, int]] = []
    real = inputs.PREPARATIONS["mnist_style"]

    def prepare(canvas: np.ndarray, *, rows: int, **more: Any) -> inputs.Prepared:
        made.append((rows, more["channels"]))
        return real(canvas, rows=rows, **more)

    monkeypatch.setitem(inputs.PREPARATIONS, "mnist_style", prepare)
    names = ["pixel_line.digits", "ink.digits"]
    asked = read(
        request(1, {"pictures": CANVAS}, prepare={"centred": True}, asks=[{"checkpoint": name} for name in names])
    )
    (_, first), (_, last) = [unpack(live_answer.answer(asked, place)) for place in range(2)]
    np.testing.assert_array_equal(first["seen"], last["seen"])
    assert made == [(28, 1)]
    larger = Input(3, 60, 40, "resized")
    seen = asked.prepared(larger)
    assert seen is not None
    assert seen.picture.shape == (60, 40, 3)
    assert asked.prepared(larger) is seen


def test_a_canvas_that_is_none_is_one_sentence(model: PixelAttention) -> None:
    message = request(
        1, {"pictures": np.zeros((30, 31, 1), np.uint8)}, prepare={"centred": True}, asks=[{"checkpoint": "x"}]
    )
    with pytest.raises(AttnvizError, match="A drawing is a square"):
        live_answer.answer(read(message), 0)


def test_nothing_is_handed_back_of_pictures_that_are_taken_as_they_are(
    model: PixelAttention, images: np.ndarray
) -> None:
    header, arrays = ask(images)
    assert "prepared" not in header
    assert "seen" not in arrays


# What is made of a model beside its taps


def test_a_mean_row_is_the_mean_of_the_weights_of_what_has_ink(model: PixelAttention, images: np.ndarray) -> None:
    images = np.where(images > 120, images, 0).astype(np.uint8)
    wanted = {"row": {"derived": "mean_row", "parameters": {"layer": "attention", "head": 1}}}
    header, arrays = ask(images, wanted=wanted)
    with trace(model, "attention.weights") as seen:
        model(as_batch(images))
    weights = seen["attention.weights"].at(head=1).numpy()  # (batch, query, key)
    for picture, found, rows in zip(images, arrays["row"], weights, strict=True):
        np.testing.assert_allclose(found, rows[picture.flatten() > 0].mean(0) * TOKENS, rtol=1e-5)
    assert header["axes"] == {"row": ["batch", "key"]}


def test_a_mean_row_leaves_the_layer_its_fused_path(
    model: PixelAttention, images: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    spelled: list[str] = []
    real = type(model.attention).tap

    def tap(layer: Any, name: str, *more: Any, **named: Any) -> Tensor:
        spelled.append(name)
        return real(layer, name, *more, **named)

    monkeypatch.setattr(type(model.attention), "tap", tap)
    wanted = {"derived": "mean_row", "parameters": {"layer": "attention", "head": 0}}
    ask(images, wanted={str(number): wanted for number in range(60)})  # more than there may be maps over all pairs
    assert not {"scores", "weights"} & set(spelled)
    assert "query" in spelled
    with pytest.raises(
        AttnvizError, match="mean_row can be requested 256 times at once, counting every picture; here it is 300"
    ):
        ask(np.concatenate([images, images[:2]]), wanted={str(number): wanted for number in range(60)})


def test_edits_before_the_weights_change_a_mean_row_and_later_ones_are_refused(
    model: PixelAttention, images: np.ndarray
) -> None:
    wanted = {"row": {"derived": "mean_row", "parameters": {"layer": "attention", "head": 1}}}
    off = {"edit": "off", "address": "attention.query", "index": {"head": 1}}
    np.testing.assert_allclose(ask(images, wanted=wanted, edits=[off])[1]["row"], 1, rtol=1e-6)
    for tap in ("scores", "weights"):
        with pytest.raises(AttnvizError, match=f"cannot show the edit of attention.{tap}"):
            ask(images, wanted=wanted, edits=[{**off, "address": f"attention.{tap}"}])
    mixed = ask(images, wanted=wanted, edits=[{**off, "address": "attention.mixed"}])[1]
    np.testing.assert_array_equal(mixed["row"], ask(images, wanted=wanted)[1]["row"])


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            {"derived": "mean_row", "parameters": {"layer": "attention", "head": 3}},
            "head 3 does not exist; there are 3",
        ),
        ({"derived": "mean_row", "parameters": {"layer": "attention2", "head": 0}}, "Did you mean 'attention.key'"),
        ({"derived": "added_by_pixel"}, "not a sum over pixels"),
    ],
)
def test_what_cannot_be_made_is_said(model: PixelAttention, images: np.ndarray, wanted: dict, said: str) -> None:
    with pytest.raises(AttnvizError, match=said):
        ask(images, wanted={"a": wanted})


class Other(Layer):
    """A layer with queries and keys that does not take their dot product."""

    taps = ("query", "key")

    def forward(self, images: Tensor) -> Tensor:
        tokens = images.flatten(2).mT[:, None]  # (batch, head, token, feature)
        tokens = self.tap("query", tokens, axes="batch head token feature")
        return self.tap("key", tokens, axes="batch head token feature").flatten(1)[:, :3]


def test_a_mean_row_of_another_kind_of_layer_is_refused(monkeypatch: pytest.MonkeyPatch, images: np.ndarray) -> None:
    given(monkeypatch, Other())
    with pytest.raises(AttnvizError, match="not dot-product attention"):
        ask(images, wanted={"a": {"derived": "mean_row", "parameters": {"layer": "", "head": 0}}})


def test_the_least_uniform_head_is_found_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    name = lay_several(tmp_path).name
    asks = [
        {
            "checkpoint": name,
            "wanted": {"row": {"derived": "mean_row", "parameters": {"layer": "attention", "head": head}}},
        }
        for head in ("least_uniform", 0, 1, 2, 3)
    ]
    asked = read(request(1, {"pictures": CANVAS}, prepare={"centred": True}, asks=asks))
    header, arrays = unpack(live_answer.answer(asked, 0))
    rows = [unpack(live_answer.answer(asked, place))[1]["row"] for place in range(1, 5)]
    np.testing.assert_array_equal(arrays["row"], rows[header["parameters"]["row"]["head"]])
    # Apart, spelled out: on a drawn digit of each class, the head whose mean row has the smallest entropy.
    model, card = checkpoints.load(name)
    labels = data.labels("strokes", "test")[:256]
    entropies = np.zeros(4)
    for label in card.recipe.classes:
        image = strokes.load("test", 256)[0][[int(np.flatnonzero(labels == label)[0])]]
        with torch.no_grad(), trace(model, "attention.weights") as seen:
            model(as_batch(image))
        grid = seen["attention.weights"].grid
        side = int(grid.stride)
        inked = as_batch(image)[0, 0].reshape(grid.rows, side, grid.columns, side).amax((1, 3)).flatten() > 0
        mean = seen["attention.weights"].at(batch=0)[:, inked].mean(1).double()
        entropies += -(mean * mean.log()).sum(1).numpy()
    assert header["parameters"]["row"]["head"] == entropies.argmin()


@pytest.mark.parametrize(
    "name",
    [
        "pixel_line.digits",
        "pixel_line.1v8",
        "histogram_line.digits",
        "histogram_line.1v8",
        "pixel_attention.1v8-one-token",
    ],
)
def test_what_pixels_add_makes_the_answer_together(name: str) -> None:
    image = strokes.load("test", 256)[0][[3]]
    message = request(
        1,
        {"pictures": np.concatenate([image, 0 * image])},
        asks=[{"checkpoint": name, "wanted": {"map": {"derived": "added_by_pixel"}}}],
    )
    header, arrays = unpack(live_answer.answer(read(message), 0))
    assert header["axes"] == {"map": ["batch", "row", "column"]}
    assert not arrays["map"][:, image[0, ..., 0] == 0].any()
    drawn, blank = arrays["logits"]
    answer = int(predicted(torch.tensor(drawn)[None]))
    sides = np.array([2 * answer - 1]) if len(drawn) == 1 else np.eye(len(drawn))[answer] - 1 / len(drawn)
    np.testing.assert_allclose(sides @ blank + arrays["map"][0].sum(), sides @ drawn, atol=1e-4)


def test_nets_that_are_no_sum_are_refused() -> None:
    image = strokes.load("test", 256)[0][3]
    for name in ("histogram_mlp.digits", "ink.digits", NAME):
        message = request(
            1, {"pictures": image}, asks=[{"checkpoint": name, "wanted": {"map": {"derived": "added_by_pixel"}}}]
        )
        with pytest.raises(AttnvizError, match="not a sum over pixels"):
            live_answer.answer(read(message), 0)


# Pictures by name, several models, over a socket


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with serving(Channel(channel._answer, channel._weigh)) as running:
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
    answer, answered = server.channel.answer, list[int]()

    def noted(asked: Any, place: int) -> bytes:
        if asked.head.number == 1:  # as if it took for ever
            began.release()
            assert may.wait(WAIT)
        if asked.head.number == 2:
            answered.append(place)
        return answer(asked, place)

    def draw() -> None:
        with server.visitor() as visitor:
            while not done.is_set():
                visitor.send(2, canvas, **drawing_once)
                while not visitor.hear()[0]["done"]:
                    pass

    threads = [threading.Thread(target=draw, daemon=True) for _ in range(20)]
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(server.channel, "answer", noted)
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
            assert len(answered) - before <= TURNS * 2 * len(threads)


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
    before = {name: value.clone() for name, value in cache.single(NAME).model.state_dict().items()}
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
    for name, value in cache.single(NAME).model.state_dict().items():
        assert torch.equal(value, before[name])


# The models that are kept


def test_a_model_is_kept_in_single_precision_apart_from_the_pages() -> None:
    model, card = cache.single(NAME)
    assert cache.single(NAME).model is model
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())
    exact = cache._checkpoint(NAME, card.weights_digest).model
    assert {parameter.dtype for parameter in exact.parameters()} == {torch.float64}


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that trains the model again: its weights are then so many times the shipped ones."""
    model, card = checkpoints.load(NAME)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))

    def save(by: float) -> None:
        state = {name: value * by for name, value in model.state_dict().items()}
        digest = checkpoints.digest(checkpoints.encode(state))
        checkpoints.save(state, card.model_copy(update={"weights_digest": digest}))

    return save


def test_a_model_that_is_trained_again_is_another_one(train: Callable[[float], None]) -> None:
    train(2)
    first = cache.single(NAME)
    train(3)
    second = cache.single(NAME)
    assert first.card.weights_digest != second.card.weights_digest
    for name, value in second.model.state_dict().items():
        torch.testing.assert_close(value, first.model.state_dict()[name] * 1.5)


def test_no_more_models_are_kept_than_the_bound(train: Callable[[float], None]) -> None:
    kept = []
    for by in range(2, 19):  # one more than are kept
        train(by)
        kept.append(cache.single(NAME).model)
    assert cache.single(NAME).model is kept[-1]
    train(2)
    assert cache.single(NAME).model is not kept[0]
