"""The page on which models are trained, run alone: its settings, and the trainings that there are."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.training.cost import Cost
from attnviz.training.run import Run
from attnviz.ui.training import access
from attnviz.work.jobs import cost, seen, table
from attnviz.work.jobs.order import Order
from tests.training import small

PAGE = Path(__file__).parents[2] / "pages" / "80_train.py"


@pytest.fixture
def here(tmp_path, monkeypatch) -> Iterator[Path]:
    """Empty folders of runs and of kept models; what a job starts ends at once."""
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path / "kept"))
    monkeypatch.setattr(access, "_sits_here", lambda: True)
    monkeypatch.setattr(cost, "of", lambda order: Cost(2.0, 300.0, 8))
    seen.again()
    monkeypatch.setattr(Order, "words", lambda one: [sys.executable, "-c", "print('It diverged.')"])
    yield tmp_path
    for child in table._children:
        child.wait()
    table._children.clear()


def _page(**words: str) -> AppTest:
    found = AppTest.from_file(str(PAGE), default_timeout=60)
    found.query_params.update(words)
    return found.run()


def _labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def test_from_an_empty_folder_it_offers_a_training_that_needs_nothing(here):
    page = _page()
    assert not page.exception
    assert not page.error
    chosen = {one.label: one.value for one in (*page.selectbox, *page.text_input)}
    assert (chosen["Data"], chosen["Epochs"], chosen["Seeds"]) == ("strokes", "12", "0")
    assert "Train" in _labels(page)
    assert not (here / "runs").exists()


def test_train_starts_a_job_with_the_settings_of_the_link(here):
    page = _page(epochs="3", learning_rate="0.02", seeds="0-1")
    page.button(key="train_start").click().run()
    assert not page.exception
    (job,) = table.ids()
    order = table.read(job)
    assert order.seeds == (0, 1)
    assert {"epochs": "3", "learning_rate": "0.02", "data": "strokes"}.items() <= order.changes.items()
    assert "has been started" in page.success[0].value
    for child in table._children:
        child.wait()
    seen.again()
    page.run()
    assert any("It diverged" in caption.value for caption in page.caption)
    page.button(key=f"Delete-{job}").click().run()
    assert table.ids() == []


@pytest.mark.parametrize(
    "words",
    [{"epochs": "0"}, {"epochs": "../x"}, {"learning_rate": "nan"}, {"seeds": "4-0"}, {"heads": "x"},
     {"epochs": "9999"}, {"device": "tpu"}, {"recipe": "../x"}, {"data": "/etc"}],
    ids=str,
)  # fmt: skip
def test_nonsense_in_the_link_is_a_sentence(here, words):
    page = _page(**words)
    if "train_start" in [button.key for button in page.button]:
        page.button(key="train_start").click().run()
    assert not page.exception
    assert page.error or page.warning or words.keys() & {"device", "recipe", "data"}
    assert all("Traceback" not in one.value for one in page.error)


def test_who_may_not_train_starts_nothing(here, monkeypatch):
    monkeypatch.setattr(access, "_sits_here", lambda: False)
    page = _page()
    page.button(key="train_start").click().run()
    assert "another machine" in page.error[0].value
    assert table.ids() == []


def test_a_run_is_drawn_and_an_epoch_of_it_kept(here):
    chosen = small.recipe(epochs=2)
    with small.place(here):
        order = Order(model="pixel_attention", recipe="small", changes={"epochs": "2"})
        list(Run(small.run_file(order.made())).train(small.training(chosen)))
        job = table.start(order)
        for child in table._children:
            child.wait()
        page = _page()
        assert not page.exception
        assert table.state(job).word == "finished"
        assert any("Finished after 2 epochs" in caption.value for caption in page.caption)
        page.text_input(key="train_word").input("mine").run()
        page.button(key="train_do_keep").click().run()
        assert not page.error
        assert (here / "kept" / "pixel_attention.mine" / "card.json").is_file()
