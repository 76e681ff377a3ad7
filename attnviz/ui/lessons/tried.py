"""Checks the views of a lesson: each is opened as in the app, and whatever its page refuses is a mistake of the lesson.

Each page reports unknown models, data sets and experiments, and reads its own URL fields, so nothing here lists them.
`in_browser` checks the values of components, which only a browser computes.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from attnviz import paths
from attnviz.errors import closest
from attnviz.lessons import Lesson, Mistake, View
from attnviz.lessons.conditions import holds
from attnviz.ui.lessons.shelf import file_of
from attnviz.ui.shared import url_state
from attnviz.views.payload import unpack
from attnviz.views.url_fields import KINDS

PAGES = paths.shipped("pages")
PATIENCE = 300.0  # seconds for one page
_WARNS = "streamlit.runtime.scriptrunner_utils.script_run_context"
_WANTED = {
    "place": "a row and a column from 1, such as 3,12",
    "number": "a number from 1",
    "head": "a number from 1, or mean",
}
OWN = {"v", *url_state.STAYS}


@dataclass(frozen=True)
class Opened:
    """The result of opening a view: the page's complaints, the URL fields that it has read, and those that state its
    view.
    """

    sentences: tuple[str, ...]
    looked_at: frozenset[str]
    words: Mapping[str, str]


def mistakes(lesson: Lesson) -> list[Mistake]:
    """Return the mistakes found by opening the views of a lesson and judging its tasks by their URLs."""
    found: list[Mistake] = []
    opened: dict[tuple[str, str], Opened] = {}

    def complain(line: int, sentence: str) -> None:
        sentence = " ".join(sentence.split())
        if all(one.sentence != sentence for one in found):  # later views often have all fields of an earlier one
            found.append(Mistake(f"{lesson.name}.md", line, sentence))

    def look(view: View) -> Opened:
        key = view.page, str(sorted(view.words.items()))
        if key not in opened:
            opened[key] = open_view(view)
            for sentence in opened[key].sentences:
                complain(view.line, f"The page of this view complains: {sentence}")
            known = sorted(opened[key].looked_at - OWN)
            for name in view.words:
                if name not in opened[key].looked_at | OWN:
                    complain(
                        view.line,
                        f"The page {view.page or 'home'!r} reads no field {name!r}. {closest(name, known)}",
                    )
        return opened[key]

    for step in lesson.steps:
        shown = look(step.view)
        before = shown.words
        for link in step.links:
            look(link)
        task = step.task
        if task is None:
            continue
        known = sorted(shown.looked_at - OWN)
        for name in [one[0] for one in task.check if "." not in one[0] and one[0] not in shown.looked_at]:
            complain(
                task.line,
                f"The page {step.view.page or 'home'!r} has no field {name!r} that could be checked. "
                f"{closest(name, known)}",
            )
        if task.check and holds(task.check, before):
            complain(
                task.line,
                "This task counts as done before the reader does anything: its condition holds in the step's view.",
            )
        if task.shows is None:
            continue
        after = look(task.shows).words
        for one in task.check:
            if holds([one], after, before) is False:
                complain(
                    task.shows.line, f"In this view of the solution the condition {' '.join(one).strip()!r} fails."
                )
    return sorted(found)


def open_view(view: View) -> Opened:
    """Open a view and return the result."""
    logging.getLogger(_WARNS).setLevel(logging.ERROR)  # it warns that no browser is connected
    test = AppTest.from_file(str(PAGES / file_of(view.page)), default_timeout=PATIENCE)
    test.query_params.update({"v": url_state.VERSION, **view.words})
    with recorded() as looked_at:
        test.run()
    said = [one.value for kind in (test.warning, test.error) for one in kind]
    said += [one.value for one in test.exception]
    shapes = [unpack(one.proto.bytes)[0] for one in test.get("bidi_component")]
    looked_at |= {field["name"] for header in shapes for field in header.get("fields", ())}
    said += [sentence for header in shapes for sentence in _out_of_place(header, view.words)]
    words = {**test.session_state["url_state.stated"], **view.words} if _states(test) else dict(view.words)
    return Opened(tuple(sentence.replace("\\", "") for sentence in said), frozenset(looked_at), words)


@contextmanager
def recorded() -> Iterator[set[str]]:
    """Record the names of all URL fields that are read in the block."""
    names: set[str] = set()
    item, contains, to_dict = (getattr(QueryParamsProxy, name) for name in ("__getitem__", "__contains__", "to_dict"))

    class Words(dict[str, str]):
        def __getitem__(self, name: str) -> str:
            names.add(name)
            return super().__getitem__(name)

        def __contains__(self, name: object) -> bool:
            names.add(str(name))
            return super().__contains__(name)

        def get(self, name: str, default: Any = None) -> Any:
            names.add(name)
            return super().get(name, default)

    def recorded_item(self: QueryParamsProxy, name: str) -> str:
        names.add(name)
        return str(item(self, name))

    def recorded_contains(self: QueryParamsProxy, name: object) -> bool:
        names.add(str(name))
        return bool(contains(self, name))

    with (
        patch.object(QueryParamsProxy, "__getitem__", recorded_item),
        patch.object(QueryParamsProxy, "__contains__", recorded_contains),
        patch.object(QueryParamsProxy, "to_dict", lambda self: Words(to_dict(self))),
    ):
        yield names


def _states(test: AppTest) -> bool:
    return "url_state.stated" in test.session_state


def _out_of_place(header: Any, words: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each URL field that is invalid for a component: a choice, or a cell of its picture."""
    if not isinstance(header, Mapping) or "fields" not in header:
        return
    for field in header["fields"]:
        name, word = field["name"], words.get(field["name"], "")
        options = {"choice": field["options"], "yes_no": ("yes", "no")}.get(field["kind"])
        if word and options and word not in options:
            yield f"The URL asks for {name} '{word}', which does not exist. {closest(word, options)}"
        elif word and field["kind"] in KINDS and KINDS[field["kind"]].read(word) in (None, -1):
            wanted = _WANTED.get(field["kind"], f"a {field['kind'].replace('_', ' ')}")
            yield f"The URL asks for {name} '{word}', and it is {wanted}."
        elif field["kind"] == "place":
            yield from _no_place(name, word, header)


def _no_place(name: str, word: str, header: Mapping[str, Any]) -> Iterator[str]:
    rows, columns, parts = header.get("rows"), header.get("columns"), word.split(",")
    if not (isinstance(rows, int) and isinstance(columns, int)):
        return
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        row, column = map(int, parts)
        nowhere = row == 0 and 1 <= column <= header.get("prefix", 0)  # a class token
        if not nowhere and not (1 <= row <= rows and 1 <= column <= columns):
            nearest = f"{min(max(row, 1), rows)},{min(max(column, 1), columns)}"
            yield (
                f"The URL asks for {name} '{word}', and there are rows 1 to {rows} and columns 1 to {columns}. Did you "
                f"mean '{nearest}'?"
            )
