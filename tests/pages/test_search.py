"""The page on which settings are searched, run alone: shipped trials, and searches of this machine."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.recipes.axes import Axis
from attnviz.ui.search import said
from attnviz.ui.training import access
from attnviz.work import processes
from attnviz.work.jobs.order import NONE
from attnviz.work.search import table, trials, worker
from attnviz.work.search.trials import Found, Trial
from tests.work.search import searching
from tests.work.search.searching import wanted

PAGE = Path(__file__).parents[2] / "pages" / "90_search.py"


@pytest.fixture
def here(tmp_path, monkeypatch) -> Iterator[Path]:
    """A folder of runs without any; a worker that the page starts ends at once."""
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(access, "_sits_here", lambda: True)
    monkeypatch.setattr(table, "words", lambda one: [sys.executable, "-c", "print('There is no data.')"])
    yield tmp_path
    for child in processes.children:
        child.wait()
    processes.children.clear()


def _page(**words: str) -> AppTest:
    found = AppTest.from_file(str(PAGE), default_timeout=120)
    found.query_params.update(words)
    return found.run()


def _text(page: AppTest) -> str:
    return " ".join(one.value for one in (*page.markdown, *page.caption)).replace("\\", "")


def test_from_an_empty_folder_it_draws_what_is_shipped(here):
    page = _page()
    assert not page.exception
    assert not page.error
    shown = 2 if len(trials.names()) > 1 else 1
    assert len(page.get("bidi_component")) == shown + 1, "searches, and what states the URL"
    text = _text(page)
    assert "The best trial, number" in text
    assert "Schwarz, 2021" in text
    assert not (here / "runs").exists()


@pytest.mark.parametrize("name", trials.names())
def test_every_shipped_search_can_be_shown_with_all_that_is_said_of_it(here, name):
    page = _page(search=name, beside="none")
    page.session_state["search_importance"] = page.session_state["search_table"] = True
    page.run()
    assert not page.exception
    assert page.selectbox(key="search").value == name
    assert "95 % interval" in _text(page)
    assert "complete trials" in _text(page)
    assert len(page.dataframe[0].value) == len(trials.shipped(name).finished)


def test_of_words_of_which_few_trials_have_the_same_it_says_so(monkeypatch):
    axis = Axis(name="activation", choices=tuple("abcdefghijkl"))
    made = tuple(
        Trial(number=n, state="complete", params={"activation": word}, value=0.1 * n)
        for n, word in enumerate(axis.choices)
    )
    drawn: list[str] = []
    monkeypatch.setattr("streamlit.markdown", drawn.append)
    said.importance(Found(name="a", title="A", source="", axes=(axis,), trials=made))
    assert drawn[-1].splitlines()[-1] == "| activation | 100 % | too few trials |"


def test_whether_heads_mattered_in_the_paper_is_open(here):
    said_of = said.contrast_words(trials.shipped("schwarz-paper"), "heads")
    assert said_of.startswith("Open: +0.25 points with more than 1 rather than 1, 95 % interval \u22120.")
    assert "(25 trials against 8)" in said_of


def test_whether_heads_matter_is_first_answered_by_trials_drawn_at_random(here):
    page = _page(search="schwarz-wide", beside="none")
    told = [one.value for one in page.markdown]
    random = next(place for place, text in enumerate(told) if "drawn at random, none ended early" in text)
    wide = next(place for place, text in enumerate(told) if "of its 200 trials were ended early" in text)
    assert random < wide
    complete = trials.shipped("schwarz-heads").complete
    values = {many: [one.value for one in complete if (one.params["heads"] > 1) is many] for many in (True, False)}
    apart = 100 * (np.mean(values[True]) - np.mean(values[False]))
    assert f"Open: +{apart:.2f} points with more than 1 rather than 1, 95 % interval" in told[random]
    assert "(37 trials against 11)" in told[random] and "+0.19" in told[random]


def test_a_search_that_ended_trials_early_says_so_and_answers_from_their_first_epoch():
    wide = trials.shipped("schwarz-wide")
    text = said.judged(wide, "heads")
    assert text.startswith("97 of its 200 trials were ended early because they were not good")
    first, _, last = text.partition("Of those that were trained to their end: ")
    counts = [sum(t.params["heads"] > 13 for t in some) for some in (wide.finished, wide.complete)]
    assert "with 14 to 25 rather than 1 to 13, 95 % interval" in first
    assert f"({counts[0]} trials against {200 - counts[0]})" in first
    assert f"({counts[1]} trials against {103 - counts[1]})" in last
    values = np.array([t.values[0] for t in wide.finished])
    columns = [np.ones(200), [t.params["heads"] > 13 for t in wide.finished]]
    for axis in wide.axes[1:]:
        places = np.array([axis.place(t.params[axis.name]) for t in wide.finished])
        columns += [places, places**2] if axis.name != "skip" else [places]
    slope = np.linalg.lstsq(np.stack(columns, 1).astype(float), values, rcond=None)[0][1]
    assert f"{100 * slope:+.2f} points".replace("-", "\u2212") in first


def test_a_trial_of_the_link_is_described(here):
    page = _page(search="schwarz-paper", beside="none", trial="10")
    assert "**Trial 10:** heads 1, skip no, learning rate 0.01, dropout 0.8; accuracy 0.9860." in _text(page)


@pytest.mark.parametrize("words", [{"search": "../x"}, {"beside": "/etc"}, {"trial": "999"}, {"brush": "<b>"}], ids=str)
def test_nonsense_in_the_link_is_no_traceback(here, words):
    page = _page(**words)
    assert not page.exception
    assert page.warning or words.keys() & {"trial", "brush"}, "of these the component complains"


def test_a_search_is_started_shown_and_deleted(here):
    page = _page()
    page.session_state["search_start"] = True
    page.run()
    page.button(key="search_do").click().run()
    assert not page.exception
    (search,) = table.ids()
    assert "The search has been started" in page.success[0].value
    assert "No trial is finished yet." in _text(page)
    asked = table.read(search)
    assert (asked.changes, asked.trials) == ({"data": "strokes", "epochs": "2"}, 12)
    assert [axis.name for axis in asked.axes] == ["heads", "skip", "learning_rate", "dropout"]
    assert page.query_params["search"] in (search, [search])
    for child in processes.children:
        child.wait()
    page.run()
    assert "There is no data." in _text(page)
    page.button(key=f"Delete-search-{search}").click().run()
    assert table.ids() == []


def test_who_may_not_train_starts_nothing(here, monkeypatch):
    monkeypatch.setattr(access, "_sits_here", lambda: False)
    page = _page()
    page.session_state["search_start"] = True
    page.run()
    page.button(key="search_do").click().run()
    assert "another machine" in page.error[0].value
    assert table.ids() == []


@pytest.mark.parametrize("key", ["vary_lines", "epochs"])
def test_nonsense_in_the_settings_is_a_sentence(here, key):
    page = _page(recipe="pixel_attention.1v8")
    (one,) = (one for one in (*page.text_area, *page.text_input) if one.key == key)
    one.input("x").run()
    assert not page.exception
    assert page.error
    assert not [one for one in page.button if one.key == "search_do"]


def test_a_link_holds_the_settings_of_a_search(here):
    words = {"recipe": "pixel_attention.digits", "data": "strokes", "epochs": "1", "vary": "heads=1,2 dropout=0..0.5",
             "trials": "7", "seconds": "9", "workers": "1"}  # fmt: skip
    page = _page(**words)
    assert not page.error and not page.warning
    assert page.text_area[0].value == "heads=1,2\ndropout=0..0.5"
    page.button(key="search_do").click().run()
    (search,) = table.ids()
    asked = table.read(search)
    assert (asked.recipe, asked.trials, asked.seconds) == ("digits", 7, 9.0)
    assert [axis.name for axis in asked.axes] == ["heads", "dropout"]
    assert {field: page.query_params[field] for field in words} == words


def test_what_is_set_is_written_into_the_link_and_another_recipe_begins_anew(here):
    page = _page()
    page.session_state["search_start"] = True
    page.run()
    page.text_area[0].input("heads=1,2\ndropout=0..0.5").run()
    page.number_input(key="trials").set_value(5).run()
    assert page.query_params["vary"] == "heads=1,2 dropout=0..0.5"
    assert (page.query_params["trials"], page.query_params["recipe"]) == ("5", "pixel_attention.1v8")
    page.selectbox(key="recipe").select("pixel_attention.digits").run()
    assert page.query_params["trials"] == "5"
    assert "heads=1,2" not in page.text_area[0].value
    assert not page.error


@pytest.mark.parametrize(
    "words", [{"recipe": "x"}, {"recipe": "pixel_attention.1v8", "data": "cifar10"}, {"trials": "0"}, {"workers": "-1"}]
)
def test_settings_of_a_link_that_are_not_there_are_said(here, words):
    page = _page(**words)
    assert not page.exception
    assert len(page.warning) == 1
    assert [one for one in page.button if one.key == "search_do"]


def test_a_trial_of_a_search_of_this_machine_opens_on_the_page_of_its_mechanism(tmp_path):
    with searching.place(tmp_path):
        search = table.prepare(wanted(trials=2), most=NONE)
        worker.work(table.home(search), table.read(search))
        best = table.found(search).best
        page = _page(search=search)
        assert not page.exception
        text = _text(page)
        assert f"run%3A{best.run}%40{best.epoch}" in text
        assert "after each epoch" in text
