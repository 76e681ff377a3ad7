"""The results page, run alone: every mechanism and paper of the tables, filters, and the numbers one click away."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards, results
from attnviz.recipes import PAPERS, RECIPES
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared.results import result_dots

PAGE = Path(__file__).parents[2] / "pages" / "85_results.py"


def run(**words: str) -> AppTest:
    test = AppTest.from_file(PAGE, default_timeout=120)
    test.query_params.update(words)
    test.run()
    assert not test.exception
    return test


def shown(test: AppTest) -> list[str]:
    return [one.value for one in test.subheader]


def verdicts(test: AppTest) -> list[str]:
    (table,) = [one.value for one in test.markdown if one.value.startswith('<table class="verdicts"')]
    return re.findall(r"<tr><th scope=\"row\">.*?</tr>", table)


def test_the_questions_of_each_mechanism_stand_on_top_as_the_cards_say() -> None:
    lines = verdicts(run())
    asked = [one for one in results.answered(results.first(PAPERS)) if cards.is_there(one[0].checkpoint)]
    rows = [
        (row, *one) for row in MECHANISMS.values() for one in asked if RECIPES[one[0].checkpoint].model in row.models
    ]
    assert len(lines) == len(rows)
    for line, (row, question, found, decided) in zip(lines, rows, strict=True):
        assert row.title in line and f"model={question.checkpoint}" in line
        if found is None:
            assert "no control yet" in line
            continue
        for card, figure in zip((found.one, found.other), found.figures, strict=True):
            assert f"<b>{100 * figure.mean:.2f} %</b>" in line and card.recipe.title in line
        assert f"<strong>{decided}</strong>" in line and found.cost in line
        written = line.replace("−", "-")
        assert f"{100 * found.difference.value:+.2f}" in written
        if found.difference.interval is not None:
            assert " to ".join(f"{100 * end:+.2f}" for end in found.difference.interval) in written
        else:
            assert found.difference.missing in line


@pytest.mark.parametrize("name", MECHANISMS)
def test_one_chart_is_shown_and_the_url_says_which(name: str) -> None:
    row = MECHANISMS[name]
    tasks = [*result_dots.groups(row)]
    assert shown(run(mechanism=name)) == [f"{row.title}: {tasks[0].title}"]
    last = run(mechanism=name, data=tasks[-1].word)
    assert shown(last) == [f"{row.title}: {tasks[-1].title}"]
    assert not last.warning
    papers = [one.label.split("**")[1] for one in last.expander if one.label.startswith("**")]
    assert papers == [PAPERS[one].title for one in row.papers]


def test_every_task_of_a_mechanism_has_a_word_of_its_own() -> None:
    for row in MECHANISMS.values():
        words = [task.word for task in result_dots.groups(row)]
        assert len(set(words)) == len(words)
    assert result_dots.Task("mnist", (8, 1)).word == "mnist-1-8"


def test_another_mechanism_begins_with_its_first_data_set() -> None:
    test = run(mechanism="element_wise", data="cifar10")
    test.button_group(key="mechanism").set_value("pixel_attention").run()
    assert not test.warning
    assert (
        test.query_params["mechanism"] in ("pixel_attention", ["pixel_attention"]) and "data" not in test.query_params
    )


@pytest.mark.parametrize("words", [{"mechanism": "nothing"}, {"data": "nothing"}], ids=str)
def test_nonsense_is_a_sentence_and_the_first_chart(words: dict[str, str]) -> None:
    test = run(**words)
    assert len(test.warning) == 1
    assert shown(test) == shown(run())


def test_the_page_names_no_mechanism_and_no_paper() -> None:
    text = PAGE.read_text()
    assert not re.search("|".join([*MECHANISMS, *PAPERS]), text)


def key_of_numbers() -> str:
    task = next(iter(result_dots.groups(MECHANISMS["pixel_attention"])))
    return f"numbers_of_pixel_attention-{task.word}"


def test_the_numbers_stand_one_click_away() -> None:
    test = run(mechanism="pixel_attention")
    test.session_state[key_of_numbers()] = True
    test.run()
    said = "\n".join(one.value for one in test.markdown)
    assert "97.90 %" in said
    assert "logistic regression on the pixels" in said
