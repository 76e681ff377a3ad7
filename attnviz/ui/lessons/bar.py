"""The bar of a lesson over a page: the step that the URL names, sent to `frontend/lessons/lesson_bar.js`.

It is drawn by the navigation, so that it is on every page, but only if the URL names a lesson: other pages do not load
it. It is drawn through a component that every page already has, so that a lesson costs one request.
"""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from attnviz.errors import AttnvizError, BadInput, UnknownName
from attnviz.lessons import Lesson, Step, View
from attnviz.lessons.languages import LANGUAGES
from attnviz.ui.components.component import FRONTEND, component
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim
from attnviz.views.payload import pack

_ON_PAPER = {"task", "keypoints", "screen", "screen_picture", "head", "believed", "against"}
LESSON, STEP = "lesson", "step"
_ELSEWHERE = {LESSON, STEP, "only", "v"}  # a URL with only these fields does not determine the view


def draw(pages: Sequence[StreamlitPage], here: StreamlitPage) -> None:
    """Draw the bar if the URL names a lesson; a URL without a view is redirected to the step's view."""
    name = st.query_params.get(LESSON)
    if name is None:
        return
    try:
        lesson, number = _asked(name, st.query_params.get(STEP, "1"))
    except AttnvizError as error:
        st.warning(verbatim(str(error)))
        return
    step = lesson.steps[number]
    named = set(st.query_params) - _ELSEWHERE
    if not named and (step.view.words or step.view.page != here.url_path):
        there = next((page for page in pages if page.url_path == step.view.page), None)
        if there:
            st.switch_page(there, query_params={**st.query_params.to_dict(), **words_of(step.view, name, number)})
    with st.container(key="lesson_bar"):
        with st.container(key="lesson_formulas"):
            for formula in step.formulas:
                st.latex(formula)
        component("arrive")(key="lesson", data=pack({"lesson": sent(lesson, number)}, {}), height=1)


def resume(lesson: Lesson) -> None:
    """Draw a link to the reader's last step in a lesson, if this browser has stored it."""
    tasks = sum(step.task is not None for step in lesson.steps)
    begun = {"name": lesson.name, "views": [_view(step.view) for step in lesson.steps], "tasks": tasks}
    component("arrive")(key=f"begun_{lesson.name}", data=pack({"begun": begun}, {}))


def sent(lesson: Lesson, number: int) -> dict[str, Any]:
    """Return the data of a step for the browser."""
    step = lesson.steps[number]
    return {
        "name": lesson.name,
        "title": lesson.title,
        "language": _language(lesson.language),
        "step": number,
        "steps": [one.title for one in lesson.steps],
        "views": [_view(one.view) for one in lesson.steps],
        "view": _view(step.view),
        "text": step.text,
        "task": _task(step),
        "style": _style(),
    }


def _asked(name: str, word: str) -> tuple[Lesson, int]:
    """Return the lesson and the step that the URL names."""
    from attnviz.ui.lessons import shelf  # imports a Markdown parser, which pages without a lesson do not need

    found = shelf.find(name)
    if found is None:
        raise UnknownName("lesson", name, shelf.lessons())
    if found.lesson is None:
        raise BadInput(f"This lesson has mistakes and cannot be shown. The first: {found.mistakes[0]}")
    count = len(found.lesson.steps)
    if not (word.isascii() and word.isdecimal() and len(word) < 4 and 1 <= int(word) <= count):
        raise BadInput(f"The URL asks for step {word[:20]!r}; the lesson {name!r} has steps 1 to {count}.")
    return found.lesson, int(word) - 1


def _view(view: View) -> dict[str, Any]:
    return {"page": view.page, "words": _words(view), "frame": view.frame}


def words_of(view: View, name: str, number: int) -> dict[str, str]:
    """Return the URL fields that show a view in a lesson."""
    return {**_words(view), LESSON: name, STEP: str(number + 1)}


def _words(view: View) -> dict[str, str]:
    """Return the URL fields of a view, with the version of their defaults."""
    return {"v": url_state.VERSION, **view.words}


def _task(step: Step) -> dict[str, Any] | None:
    task = step.task
    if task is None:
        return None
    shown = {name: getattr(task, name) for name in ("prompt", "check", "number", "within", "hint", "solution")}
    shows = None if task.shows is None else _view(task.shows)
    return {**shown, "options": [asdict(option) for option in task.options], "shows": shows}


def _language(code: str) -> dict[str, Any]:
    language = LANGUAGES[code]
    words = {key: word for key, word in language.words.items() if key not in _ON_PAPER}
    return {"code": code, "decimal": language.decimal, "group": language.group, "words": words}


@lru_cache(maxsize=1)
def _style() -> str:
    return (FRONTEND / "lessons" / "lesson_bar.css").read_text("utf-8")
