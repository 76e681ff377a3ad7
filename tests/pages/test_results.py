"""The results page, run alone: every mechanism and paper of the tables, filters, and the numbers one click away."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.recipes import PAPERS
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import result_dots

PAGE = Path(__file__).parents[2] / "pages" / "85_results.py"


def run(**words: str) -> AppTest:
    test = AppTest.from_file(PAGE, default_timeout=120)
    test.query_params.update(words)
    test.run()
    assert not test.exception
    return test


def shown(test: AppTest) -> list[str]:
    return [one.value for one in test.subheader]


def test_every_task_of_every_mechanism_is_shown_and_every_paper() -> None:
    test = run()
    rows = MECHANISMS.values()
    assert shown(test) == [f"{row.title}: {task.title}" for row in rows for task in result_dots.groups(row)]
    papers = [row for row in test.expander if row.label.startswith("**")]
    assert [row.label.split("**")[1] for row in papers] == [paper.title for paper in PAPERS.values()]


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_filters_leave_a_mechanism_and_a_data_set(name: str) -> None:
    row = MECHANISMS[name]
    assert all(title.startswith(f"{row.title}: ") for title in shown(run(mechanism=name)))
    assert shown(run(mechanism=name, data="strokes")) == [
        f"{row.title}: {task.title}" for task in result_dots.groups(row) if task.source == "strokes"
    ]


def test_nonsense_is_a_sentence_and_everything() -> None:
    test = run(mechanism="nothing")
    assert len(test.warning) == 1
    assert shown(test) == shown(run())


def test_the_page_names_no_mechanism_and_no_paper() -> None:
    text = PAGE.read_text()
    assert not re.search("|".join([*MECHANISMS, *PAPERS]), text)


def test_the_numbers_stand_one_click_away() -> None:
    said = "\n".join(one.value for one in run(mechanism="pixel_attention").markdown)
    assert "97.90 %" in said
    assert "logistic regression on the pixels" in said
