"""Views that are opened: what a page does not have, and what a task gets wrong, is a mistake with its line."""

import logging

import pytest

from attnviz.lessons import Lesson, reader
from attnviz.lessons.conditions import holds
from attnviz.ui.lessons import shelf, tried
from attnviz.ui.lessons.shelf import known

TEXT = """---
title: Tried
minutes: 3
level: all
objectives:
  - Try it.
believed: It is right.
against: It is wrong.
---

## First

:::{view} pixel_attention?VIEW
:::

Look.

:::{exercise}
:check: CHECK
Lock it.
:::

:::{solution}
:view: ?SOLUTION
So.
:::

:::{keypoints}
- It works.
:::
"""
VIEW = "model=pixel_attention.digits&data=strokes&number=23"
SHOWN, WORDS, TASK, SOLVED = 13, 16, 18, 24


def lesson(
    view: str = "head=2", check: str = "query is 12,13", solution: str = "query=12,13", words: str = "Look."
) -> Lesson:
    given = dict(part.split("=") for part in f"{VIEW}&{view}".split("&"))
    text = TEXT.replace("VIEW", "&".join(map("=".join, given.items())))
    text = text.replace("CHECK", check).replace("SOLUTION", solution).replace("Look.", words)
    read, mistakes = reader.read(text, "tried.md", known())
    assert read, mistakes
    return read


@pytest.mark.parametrize(
    ("arguments", "line", "says"),
    [
        ({"view": "query=99,8"}, SHOWN, "Did you mean '14,8'"),
        ({"view": "query=88"}, SHOWN, "it is a row and a column from 1, such as 3,12."),
        ({"view": "head=0"}, SHOWN, "it is a number from 1, or mean."),
        ({"view": "qery=12,8"}, SHOWN, "Did you mean 'query'"),
        ({"view": "model=pixel_attention.digitz"}, SHOWN, "Did you mean 'pixel_attention.digits'"),
        ({"view": "data=stroke"}, SHOWN, "Did you mean 'strokes'"),
        ({"view": "query=12,13"}, TASK, "done before the reader does anything"),
        ({"check": "key is set and viewer.weight > 1"}, SOLVED, "the condition 'key is set' fails"),
        ({"check": "query is 12,13 and head is 3"}, SOLVED, "the condition 'head is 3' fails"),
        ({"solution": "query=12,13&kye=3,3"}, SOLVED, "Did you mean 'key'"),
        ({"view": "direction=recieved"}, SHOWN, "Did you mean 'received'"),
        ({"words": "There is [a page](draw?modl=x)."}, WORDS, "Did you mean 'models'"),
    ],
)
def test_a_mistake_in_a_view_or_a_task_is_named_with_its_line(arguments: dict[str, str], line: int, says: str) -> None:
    (one,) = tried.mistakes(lesson(**arguments))
    assert str(one).startswith(f"tried.md:{line}: ") and says in one.sentence, one


def test_a_misspelt_field_in_a_condition_is_named_with_its_line_and_the_right_one() -> None:
    first, second = tried.mistakes(lesson(check="querry is 12,13"))
    assert first.line == TASK and "no field 'querry'" in first.sentence and "Did you mean 'query'" in first.sentence
    assert second.line == SOLVED and "fails" in second.sentence


def test_a_right_lesson_has_no_mistake() -> None:
    logging.getLogger(tried._WARNS).setLevel(logging.WARNING)
    assert tried.mistakes(lesson()) == []
    assert not logging.getLogger(tried._WARNS).isEnabledFor(logging.WARNING)  # of Streamlit, at each page


@pytest.mark.slow
@pytest.mark.parametrize("name", shelf.lessons())
def test_the_views_of_our_lessons_have_no_mistake(name: str) -> None:
    assert tried.mistakes(shelf.lessons()[name]) == []


def test_what_depends_on_a_component_is_left_open() -> None:
    check = [["query", "is set", ""], ["viewer.share", ">", "5"]]
    assert holds(check, {"query": "1,1"}) is None
    assert holds(check, {}) is False
    assert holds([["query", "is set", ""]], {"query": "1,1"}) is True
