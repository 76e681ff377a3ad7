"""What is kept by net and by subject, and for how long: ui/shared/cache.py."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.runtime.scriptrunner import StopException
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.testing.v1 import AppTest

from attnviz import cards, checkpoints, data, subjects
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Example, Loaded, Picture, Subject
from attnviz.ui.live.derived import View
from attnviz.ui.shared import cache
from attnviz.views.payload import header_of, pack
from attnviz.work import queue
from attnviz.work.kept import Kept, settled
from attnviz.work.queue import QUEUE, Kind, Place
from tests.ui.brought import bring

NAME = "pixel_attention.1v8"


# What is computed once


def test_what_depends_on_the_net_alone_is_computed_once_for_all_pictures() -> None:
    computed: list[str] = []

    def of_net(loaded: Loaded, factor: int) -> int:
        computed.append(loaded.net.key)
        return factor * 2

    def of_subject(loaded: Loaded, example: Example) -> tuple[str, int]:
        computed.append(example.key)
        return example.key, cache.of_net(of_net, loaded.net, 3)

    net = subjects.net(NAME)
    for number in (3, 4, 3):
        found = cache.of_subject(of_subject, Subject(net, Picture("strokes", number)))
        assert found == (f"strokes/test/{number}", 6)
    assert computed == ["strokes/test/3", NAME, "strokes/test/4"]
    cache.of_net(of_net, net, 4)
    cache.of_net(of_net, replace(net, digest="other"), 3)
    assert computed[3:] == [NAME, NAME], "another argument, and other weights, are computed anew"


def test_what_follows_from_the_checkpoints_is_computed_anew_once_one_of_them_changes(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))

    def names(last: str) -> list[str]:
        computed.append(last)
        return [*cards.names(), last]

    computed: list[str] = []
    assert cache.of_checkpoints(names, "z") == cache.of_checkpoints(names, "z") == ["z"]
    assert computed == ["z"]
    assert cache.of_checkpoints(names, "y") == ["y"]
    (tmp_path / "a.new").mkdir()
    (tmp_path / "a.new" / "card.json").touch()
    assert cache.of_checkpoints(names, "z") == ["a.new", "z"]
    assert computed == ["z", "y", "z"]


class OfFactor(Strict):
    factor: int = 1


def test_a_view_is_packed_once_for_a_subject_where_its_payload_depends_on_nothing_else() -> None:
    packed: list[tuple[str, int]] = []

    def payload(subject: Subject, given: OfFactor) -> bytes:
        packed.append((subject.example.key, given.factor))
        return pack({"factor": given.factor}, {})

    net = subjects.net(NAME)
    here, there = (Subject(net, Picture("strokes", number)) for number in (3, 4))
    for lasts in (True, False):
        view = View(f"of_factor_{lasts}", OfFactor, payload, lasts=lasts)
        assert view.of(here) == view.of(here)
        assert header_of(view.of(here, factor=2))["factor"] == 2
        assert header_of(view.of(there))["request"]["picture"] == {"data": "strokes", "number": 4}
        view.of(Subject(replace(net, digest="other"), here.example))
        own, other = "strokes/test/3", "strokes/test/4"
        once = [(own, 1), (own, 2), (other, 1), (own, 1)]
        assert packed == (once if lasts else [(own, 1), *once])
        packed.clear()


def test_what_was_computed_is_computed_anew_once_another_data_set_is_here(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    found: list[str] = []

    def of_net(loaded: Loaded) -> str:
        found.append(data.shown("fashion_mnist").split)
        return found[-1]

    def of_subject(loaded: Loaded, example: Example) -> str:
        return cache.of_net(of_net, loaded.net)

    subject = Subject(subjects.net(NAME), Picture("strokes", 3))
    assert [cache.of_subject(of_subject, subject) for _ in range(2)] == ["samples"] * 2
    bring(tmp_path, "fashion_mnist")
    assert [cache.of_subject(of_subject, subject) for _ in range(2)] == ["test"] * 2
    assert found == ["samples", "test"]


# The models that are kept


def test_a_model_is_kept_in_single_precision_apart_from_the_pages() -> None:
    net = subjects.net(NAME)
    model, _ = cache.single(net)
    assert cache.single(net).model is model
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())
    exact = cache.exact(net).model
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
    first = cache.single(subjects.net(NAME))
    train(3)
    second = cache.single(subjects.net(NAME))
    assert first.net.digest != second.net.digest
    for name, value in second.model.state_dict().items():
        torch.testing.assert_close(value, first.model.state_dict()[name] * 1.5)


def test_no_more_models_are_kept_than_the_bound(
    train: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    train(1)
    size = settled(subjects.net(NAME).load())
    monkeypatch.setattr(cache, "_nets", Kept(4 * size, QUEUE))
    kept = []
    for by in range(2, 7):  # one more than are kept
        train(by)
        kept.append(cache.single(subjects.net(NAME)).model)
    assert cache.single(subjects.net(NAME)).model is kept[-1]
    train(2)
    assert cache.single(subjects.net(NAME)).model is not kept[0]


def test_what_is_kept_cannot_be_changed_by_whoever_gets_it() -> None:
    def ones(loaded: Loaded) -> np.ndarray:
        return np.ones(3)

    with pytest.raises(ValueError, match="read-only"):
        cache.of_net(ones, subjects.net(NAME))[0] = 2


def test_what_pages_compute_takes_turns_with_live_answers() -> None:
    def turn(loaded: Loaded) -> tuple[bool, int]:
        return QUEUE.has_turn(), QUEUE.computing

    assert cache.of_net(turn, subjects.net(NAME)) == (True, 1)
    assert QUEUE.computing == 0


def test_a_page_that_nobody_waits_for_computes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def page() -> None:
        import streamlit as st

        from attnviz import subjects
        from attnviz.ui.shared import cache

        cache.of_net(len, subjects.net("pixel_attention.1v8"))
        st.text("computed")

    read = SafeSessionState.__getitem__

    def again(self: SafeSessionState, key: str) -> object:
        if key != "attnviz":
            return read(self, key)
        asked.append(key)
        raise StopException

    monkeypatch.setattr(SafeSessionState, "__getitem__", again)
    monkeypatch.setattr(queue, "LISTEN", 0.0)
    kinds = [Kind.SHORT, *[Kind.LIVE] * (QUEUE.count - 1)]
    places = [Place(kind, lambda: 0.0, lambda: None) for kind in kinds]
    for place in places:
        assert QUEUE._take(place)
    try:
        test = AppTest.from_function(page, default_timeout=120).run()
    finally:
        for place in places:
            QUEUE.leave(place)
    assert not test.text
    assert asked == ["attnviz"]
    assert (QUEUE.waiting, QUEUE.computing) == (0, 0)
