"""Which experiments a page offers: each module once, and one that a model cannot be asked is refused in a sentence."""

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.subjects import Picture, Subject, net
from attnviz.ui.mechanisms.pixel_attention import experiments
from attnviz.ui.mechanisms.pixel_attention.experiments.choice import EXPERIMENTS, OF_THE_PAPER

ALL = {**EXPERIMENTS, **OF_THE_PAPER}
FOLDER = Path(experiments.__file__).parent


def test_every_module_with_a_title_is_offered_on_one_page() -> None:
    named = [path.stem for path in FOLDER.glob("*.py") if "\nTITLE = " in path.read_text()]
    assert sorted([*EXPERIMENTS, *OF_THE_PAPER, "same"]) == sorted(
        named
    )  # "same" is a part of the experiment "shuffle"


@pytest.mark.parametrize("name", ALL)
def test_an_experiment_has_a_title_and_sentences(name: str) -> None:
    module = import_module(f"{experiments.__name__}.{name}")
    row = ALL[name]
    assert (row.title, row.measures, row.words) == (module.TITLE, module.MEASURES, module.WORDS)
    assert row.title.endswith("?") and row.measures.rstrip("*").endswith(".")


@pytest.mark.parametrize("refused", ["", "This model has one head."])
def test_an_experiment_is_drawn_unless_the_model_refuses_it(refused: str) -> None:
    def page(refused: str) -> None:
        import streamlit as st

        from attnviz.ui.mechanisms.pixel_attention.experiments.choice import _row
        from attnviz.ui.shared.experiments import choose
        from tests.ui.mechanisms.pixel_attention.experiments.test_choice import module_that, subject

        choose({"why": _row(module_that(refused, lambda given: st.write(given.example.key)))}, subject())

    test = AppTest.from_function(page, args=(refused,), default_timeout=120)
    test.query_params["experiment"] = "why"
    test.run()
    assert not test.exception
    assert [one.value for one in test.info] == ([refused] if refused else [])
    assert [one.value for one in test.markdown] == ([] if refused else [subject().example.key])


def module_that(refused: str, show: object) -> SimpleNamespace:
    """Return what an experiment's module holds: it refuses with these words, or shows what it is handed."""
    return SimpleNamespace(TITLE="Why?", MEASURES="That.", WORDS=(), refusal=lambda net: refused, show=show)


def subject() -> Subject:
    """Return a net on a picture."""
    return Subject(net("pixel_attention.1v8"), Picture("strokes", 3))
