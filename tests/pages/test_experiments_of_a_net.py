"""What an experiment measures of a net alone is not measured again for another picture."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import attnviz.measures
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared.experiments import Experiment
from attnviz.work.kept import Kept

from .conftest import PAGES

MEASURES = str(Path(attnviz.measures.__file__).parent)
CHEAP = {"difference.py", "decomposition.py: decomposed"}  # of two figures on cards; of six numbers of this picture

# Small nets, or fast ones, with two pictures each.
PICTURES = ({"data": "strokes", "number": "23"}, {"data": "strokes", "number": "24"})
STRIPS = ({"strip": "strokes.5.3"}, {"strip": "strokes.5.4"})
SHOWN = {
    "pixel_attention": ("pixel_attention.1v8-one-token", PICTURES),
    "element_wise": ("element_wise.digits", PICTURES),
    "recurrent_attention": ("recurrent_attention.digits", PICTURES),
    "cnn_attention": ("cnn_attention.digits", PICTURES),
    "channel_attention": ("channel_attention.digits", PICTURES),
    "spatial_transformer": ("spatial_transformer.rotated-only", PICTURES),
    "vision_transformer": ("vision_transformer.digits", PICTURES),
    "sequences": ("encoder_decoder.strips-15", STRIPS),
}


def experiments(name: str) -> dict[str, Experiment]:
    module = f"attnviz.ui.mechanisms.{name}.experiments"
    found = import_module(module)
    table = found.EXPERIMENTS if hasattr(found, "EXPERIMENTS") else import_module(f"{module}.choice").EXPERIMENTS
    return dict(table)


EVERY = [(name, word) for name in SHOWN for word in experiments(name)]


def test_the_experiments_of_every_mechanism_are_opened() -> None:
    assert {*SHOWN} == {*MECHANISMS}


@contextmanager
def measured() -> Iterator[set[str]]:
    """Gather the measures that the threads of pages call, but for what is kept by a cache."""
    found: set[str] = set()
    kept = Kept._compute.__code__

    def look(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if event != "call" or not code.co_filename.startswith(MEASURES):
            return
        if {path.name, f"{path.name}: {code.co_qualname}"} & CHEAP:
            return
        outer = frame.f_back
        while outer is not None and outer.f_code is not kept:
            outer = outer.f_back
        if outer is None:
            found.add(f"{path.name}: {code.co_qualname}")

    threading.setprofile(look)
    try:
        yield found
    finally:
        threading.setprofile(None)


@pytest.mark.parametrize(("name", "word"), EVERY, ids=[f"{name}-{word}" for name, word in EVERY])
def test_another_picture_measures_nothing_but_that_picture(name: str, word: str) -> None:
    model, pictures = SHOWN[name]
    page = AppTest.from_file(PAGES / MECHANISMS[name].page, default_timeout=120)
    page.query_params.update({"model": model, "experiment": word, "measured": "no"})
    page.query_params.update(pictures[0])
    page.run()
    page.query_params.update(pictures[1])
    with measured() as again:
        page.run()
    assert [one.value for one in (*page.exception, *page.error)] == []
    assert again == set()
