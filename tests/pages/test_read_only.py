"""Pages over folders that can only be read: what there is is shown, and what would be written is one sentence."""

import builtins
import errno
import io
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.training.cost import Cost
from attnviz.ui.training import access
from attnviz.work import processes
from attnviz.work.jobs import cost, table
from attnviz.work.jobs.order import Order
from attnviz.work.search import table as searches

from .conftest import PAGES

SENTENCE = "cannot be written.*read.*only file system"


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Return a function that makes the test's folder one of a read-only file system, for root too."""
    before: dict[str, Callable[..., Any]] = {name: getattr(os, name) for name in ("mkdir", "replace", "unlink")}
    opened, os_open = io.open, os.open

    def refuse(path: Any) -> None:
        if not isinstance(path, int) and Path(os.fsdecode(path)).is_relative_to(tmp_path):
            raise OSError(errno.EROFS, "Read-only file system", str(path))

    def open_file(file: Any, mode: str = "r", *more: Any, **words: Any) -> Any:
        if set(mode) & set("wax+"):
            refuse(file)
        return opened(file, mode, *more, **words)

    def open_descriptor(path: Any, flags: int, *more: Any, **words: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            refuse(path)
        return os_open(path, flags, *more, **words)

    def change(name: str) -> Callable[..., Any]:
        def changed(path: Any, *more: Any, **words: Any) -> Any:
            if not (name == "mkdir" and Path(path).is_dir()):  # which says that it is there already
                refuse(path)
            return before[name](path, *more, **words)

        return changed

    def begin() -> Path:
        monkeypatch.setattr(io, "open", open_file)
        monkeypatch.setattr(builtins, "open", open_file)
        monkeypatch.setattr(os, "open", open_descriptor)
        for name in before:
            monkeypatch.setattr(os, name, change(name))
        return tmp_path

    for name in ("RUNS", "KEPT", "DATA"):
        monkeypatch.setenv(f"ATTNVIZ_{name}", str(tmp_path / name.lower()))
    monkeypatch.setattr(access, "_sits_here", lambda: True)
    monkeypatch.setattr(cost, "of", lambda order: Cost(2.0, 300.0, 8))
    return begin


def test_trainings_are_listed_and_none_is_started_or_deleted(read_only, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Order, "words", lambda one: [sys.executable, "-c", ""])
    job = table.start(Order(model="pixel_line", recipe="digits", changes={"data": "strokes"}))
    for child in processes.children:
        child.wait()
    read_only()
    page = AppTest.from_file(str(PAGES / "80_train.py"), default_timeout=120).run()
    assert not page.exception and not page.error
    for key in ("train_start", f"Delete-{job}"):
        page.button(key=key).click().run()
        assert not page.exception
        assert [re.search(SENTENCE, one.value) is not None for one in page.error] == [True], key
    assert table.ids() == [job]


def test_searches_are_listed_and_none_is_started_or_deleted(read_only, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "words", lambda one: [sys.executable, "-c", ""])
    page = AppTest.from_file(str(PAGES / "90_search.py"), default_timeout=120).run()
    page.session_state["search_start"] = True
    page.run().button(key="search_do").click().run()
    (search,) = searches.ids()
    for child in processes.children:
        child.wait()
    read_only()
    page.text_input(key="epochs").input("3").run()
    for key in ("search_do", f"Delete-search-{search}"):
        page.button(key=key).click().run()
        assert not page.exception
        assert [re.search(SENTENCE, one.value) is not None for one in page.error] == [True], key
    assert searches.ids() == [search]
