"""The folders of jobs and searches: found by names from anywhere, read, written and locked."""

import os
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from attnviz.errors import RunError, UnknownName
from attnviz.work import folders
from attnviz.work.folders import LARGEST, Folders, identity, last_words
from attnviz.work.jobs.order import Order

FOLDERS = Folders(Order, "job", ".jobs", "order.json")


@pytest.fixture(name="order")
def _order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Order:
    """Return what one folder was written for."""
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "runs"))
    order = Order(model="pixel_attention", recipe="1v8")
    with FOLDERS.alone():
        FOLDERS.write(order)
    return order


def test_what_is_written_is_found_and_read(order: Order) -> None:
    assert FOLDERS.ids() == [order.id]
    assert FOLDERS.read(order.id) == order
    assert FOLDERS.home(order.id) == FOLDERS.folder() / order.id


def test_a_folder_without_the_file_and_one_of_another_name_are_none(order: Order) -> None:
    (FOLDERS.folder() / "pixel_attention.begun").mkdir()
    (FOLDERS.folder() / "not a name").mkdir()
    (FOLDERS.folder() / "not a name" / "order.json").write_text("{}")
    assert FOLDERS.ids() == [order.id]


def test_one_that_may_not_be_looked_into_hides_no_other(order: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    (FOLDERS.folder() / "of.another").mkdir()
    look = os.stat

    def stat(path: Any, *more: Any, **words: Any) -> os.stat_result:
        if "of.another" in os.fsdecode(path):
            raise PermissionError(13, "Permission denied", path)
        return look(path, *more, **words)

    monkeypatch.setattr(os, "stat", stat)
    assert FOLDERS.ids() == [order.id]


@pytest.mark.parametrize("name", ["", ".", "..", "../runs", "/etc/passwd", "a\0b", "a/b", "nobody"])
def test_no_path_is_made_of_a_name_that_is_none(order: Order, name: str) -> None:
    for ask in (FOLDERS.home, FOLDERS.read):
        with pytest.raises(UnknownName, match="job"):
            ask(name)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"model": 1}', b"\xff", b" " * (LARGEST + 1)],
    ids=["empty", "list", "type", "bytes", "size"],
)
def test_a_file_that_is_damaged_is_a_sentence(order: Order, content: bytes) -> None:
    path = FOLDERS.home(order.id) / "order.json"
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"order.json cannot be read. Delete the job and start it again\."):
        FOLDERS.read(order.id)


def test_a_file_that_was_copied_from_another_folder_is_a_sentence(order: Order) -> None:
    FOLDERS.home(order.id).rename(FOLDERS.folder() / "pixel_attention.copied")
    with pytest.raises(RunError, match=f"belongs to the job {order.id}"):
        FOLDERS.read("pixel_attention.copied")


@pytest.mark.usefixtures("order")
def test_two_who_start_something_wait_for_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_PATIENCE", 0)
    held = FileLock(FOLDERS.folder() / "lock")
    with held, pytest.raises(RunError, match="Another process is starting a training"), FOLDERS.alone():
        pass
    with FOLDERS.alone():
        assert FOLDERS.ids()


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be")
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "runs"))
    assert FOLDERS.ids() == []
    with pytest.raises(RunError, match="cannot be written"), FOLDERS.alone():
        pass


def test_a_file_that_names_no_process_names_none(tmp_path: Path) -> None:
    assert identity(tmp_path / "missing") is None
    (tmp_path / "process.json").write_text("{}")
    assert identity(tmp_path / "process.json") is None


@pytest.mark.parametrize(
    ("written", "last"),
    [
        ("", None),
        ("one\ntwo\n", "two"),
        ("one\n \n", "one"),
        ("one\nhalf a li", None),
        ("50 %\r100 %\n", None),
        ("x" * (LARGEST + 5) + "\nthe end\n", "the end"),
        ("y" * 2000 + "\n", "y" * 1000),
    ],
    ids=["nothing", "lines", "blank", "cut off", "a bar", "much", "long"],
)
def test_the_last_words_of_a_process(tmp_path: Path, written: str, last: str | None) -> None:
    (tmp_path / "log").write_text(written, newline="")
    assert last_words(tmp_path / "log") == last


def test_a_log_that_is_a_pipe_or_a_device_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    assert last_words(tmp_path / "log") is None
    (tmp_path / "zeros").symlink_to("/dev/zero")
    assert last_words(tmp_path / "zeros") is None


def test_a_log_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert last_words(tmp_path / "log") is None
