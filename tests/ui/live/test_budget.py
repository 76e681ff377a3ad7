"""How much work a request is, before any of it runs."""

import numpy as np
import pytest
import torch
from torch import nn

from attnviz.errors import BadInput
from attnviz.models.pixel_attention import PixelAttention
from attnviz.models.recurrent_attention import RecurrentAttention
from attnviz.ui.draw import panels
from attnviz.ui.live import answer
from attnviz.ui.live.budget import BUDGET, FUSED, LIGHT, OPERATIONS, at_once, check, long, pause, per_picture

from .asked import read
from .live_server import request

HEADS, CELLS = 3, 49


@pytest.fixture(scope="module")
def model() -> PixelAttention:
    return PixelAttention(
        classes=("1", "8"), heads=HEADS, head_size=2, rows=7, columns=7, mean=0.1, std=0.3,
        generator=torch.Generator().manual_seed(0),
    )  # fmt: skip


@pytest.mark.parametrize("tap", ["scores", "weights"])
def test_attention_that_spells_its_pairs_out_is_all_of_them(model: PixelAttention, tap: str) -> None:
    plain = per_picture(model, CELLS, ["attention.mixed"])
    assert per_picture(model, CELLS, [f"attention.{tap}"]) - plain == HEADS * CELLS**2
    weights = sum(weight.numel() for weight in model.parameters())
    assert plain == pytest.approx(FUSED * HEADS * CELLS**2 + weights * CELLS / OPERATIONS)


def test_derived_values_cost_their_passes(model: PixelAttention) -> None:
    one = per_picture(model, CELLS, [])
    assert per_picture(model, CELLS, [], passes=3) == 3 * one
    assert per_picture(model, CELLS, ["attention.weights"], passes=3) == 3 * one + HEADS * CELLS**2


def test_a_model_without_attention_is_its_weights() -> None:
    assert per_picture(nn.Conv2d(1, 4, 3, bias=False), 100, []) == 4 * 9 * 100 / OPERATIONS


def test_a_model_may_say_how_often_it_uses_its_weights() -> None:
    model = RecurrentAttention(classes=("1", "8", "9"), glimpses=4, size=2, scales=1, features=3, width=5)
    weights = sum(weight.numel() for weight in model.parameters())
    assert per_picture(model, CELLS, []) == weights * 4 / OPERATIONS
    assert per_picture(model, 2, []) == weights * 2 / OPERATIONS


@pytest.mark.parametrize(("work", "pictures"), [(0.0, int(LIGHT)), (1.0, int(LIGHT)), (LIGHT / 3, 3), (LIGHT * 9, 1)])
def test_a_chunk_is_as_long_as_something_quick(work: float, pictures: int) -> None:
    assert at_once(work) == pictures


def test_within_the_budget_there_is_nothing_to_say() -> None:
    check([BUDGET / 2, BUDGET / 2], 1)


@pytest.mark.parametrize(
    ("works", "pictures", "said"),
    [
        ([BUDGET] * 32, 64, "32 times the .* request may take: 2 of its 64 pictures or the first 1 of its 32 asks"),
        ([BUDGET / 2] * 3, 1, r"1\.5 times .*: the first 2 of its 3 asks would fit\."),
        ([3 * BUDGET], 3, r"3\.0 times .*: 1 of its 3 pictures would fit\."),
        ([3 * BUDGET], 1, "ask about fewer maps over all pairs of tokens"),
    ],
)
def test_beyond_it_a_sentence_says_what_would_fit(works: list[float], pictures: int, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        check(works, pictures)


def test_what_takes_long_is_an_ask_that_is_much_work_or_a_request_of_many() -> None:
    assert long([0.0, LIGHT, LIGHT + 1]) == [False, False, True]
    assert long([LIGHT] * 5) == [False] * 5
    assert long([LIGHT] * 6) == [True] * 6


@pytest.mark.parametrize("opened", [True, False], ids=["those that the page opens with", "as many as there can be"])
def test_no_panels_take_long(opened: bool) -> None:
    names = panels.chosen() if opened else [*panels.known_of(panels.first_task())][: panels.MOST]
    described = panels.describe(names)
    asks = [{"checkpoint": panel["checkpoint"], "wanted": panel["wanted"]} for panel in described]
    asked = read(request(1, {"pictures": np.zeros((280, 280, 1), np.uint8)}, asks=asks, prepare={"centred": True}))
    assert not any(long([one.work for one in answer.plan(asked)]))


def test_pausing_where_nobody_else_computes_does_nothing() -> None:
    pause()


NAME = "pixel_attention.1v8-augmented"  # 24 heads, 784 tokens
OFF = [{"edit": "off", "address": "attention.weights"}]


def works(pictures: int, **asked: object) -> list[float]:
    asks = [{"checkpoint": NAME, **asked}]
    found = read(request(1, {"pictures": np.zeros((pictures, 28, 28, 1), np.uint8)}, asks=asks))
    return [one.work for one in answer.plan(found)]


def test_of_the_largest_model_here_a_plain_answer_is_quick_and_all_its_maps_are_not() -> None:
    (plain,), (maps,) = works(1), works(1, edits=OFF)
    assert plain < LIGHT < maps
    assert maps - plain == 24 * 784**2
    assert works(64, edits=OFF)[0] == pytest.approx(64 * maps)
    check(works(64, edits=OFF), 64)
    assert works(3, wanted={"a": {"address": "attention.scores", "index": {"head": 1}}}) == [3 * maps]
    row = {"derived": "mean_row", "parameters": {"layer": "attention", "head": 0}}
    assert works(1, wanted={"a": row})[0] > plain


def test_what_cannot_be_answered_is_no_work() -> None:
    arrays = {"pictures": np.zeros((28, 28, 1), np.uint8)}
    (planned,) = answer.plan(read(request(1, arrays, asks=[{"checkpoint": "nobody"}])))
    assert planned.work == 0.0


def test_a_request_of_six_thousand_bytes_is_refused_before_it_runs() -> None:
    asks = [{"checkpoint": NAME, "edits": OFF}] * 32
    message = request(1, {}, pictures=[{"data": "strokes", "number": 0}] * 64, asks=asks)
    assert len(message) < 7000
    asked = read(message)
    with pytest.raises(BadInput, match="times the work that one request may take: .* of its 64 pictures"):
        answer.plan(asked)


def test_a_model_is_walked_only_once(model: PixelAttention, monkeypatch: pytest.MonkeyPatch) -> None:
    first = per_picture(model, 784, [])
    monkeypatch.setattr(torch.nn.Module, "named_modules", lambda self: pytest.fail("walked again"))
    assert per_picture(model, 784, []) == first
    assert per_picture(model, 100, []) < first
