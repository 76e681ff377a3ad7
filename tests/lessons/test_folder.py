"""A folder of lessons: its own files alone, each read again when it has changed."""

import os
from pathlib import Path

import pytest

from attnviz.errors import BadInput
from attnviz.lessons.folder import Folder, picture_of, pictures

from .samples import KNOWN, TEXT


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path, KNOWN)
    file = tmp_path / "one.md"
    file.write_text(TEXT)
    first = folder.read()["one"]
    assert first.lesson and first.lesson.title == "Everything"
    assert folder.read()["one"] is first
    file.write_text(TEXT.replace("title: Everything", "title: Something"))
    again = folder.read()["one"].lesson
    assert again and again.title == "Something"
    file.unlink()
    assert folder.read() == {}


def test_no_file_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    folder, outside = tmp_path / "lessons", tmp_path / "secret.md"
    (folder / "below").mkdir(parents=True)
    outside.write_text(TEXT)
    (folder / "below" / "deep.md").write_text(TEXT)
    (folder / "link.md").symlink_to(outside)
    (folder / "notes.txt").write_text("no lesson")
    for name in ("two.MD", "three.md.txt", "four.markdown"):
        (folder / name).write_text(TEXT)
    found = Folder(folder, KNOWN).read()
    assert set(found) == {"link", "two.MD", "three.md.txt", "four.markdown"}
    assert "NAME.md" in found["two.MD"].mistakes[0].sentence
    assert found["link"].lesson is None and "outside the folder" in found["link"].mistakes[0].sentence


def test_what_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "bytes.md").write_bytes(b"---\ntitle: \xff\n")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "large.md").write_text("a" * 300_000)
    os.mkfifo(tmp_path / "pipe.md")
    found = Folder(tmp_path, KNOWN).read()
    assert {name: str(one.mistakes[0]).split(":")[1] for name, one in found.items()} == {
        "bytes": "2", "folder": "1", "large": "1", "pipe": "1",
    }  # fmt: skip


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        Folder(tmp_path / "none", KNOWN).read()


def test_links_that_lead_in_a_circle_are_said_and_the_other_lessons_are_there(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text(TEXT)
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    (tmp_path / "there.md").symlink_to(tmp_path / "back.md")
    (tmp_path / "back.md").symlink_to(tmp_path / "there.md")
    found = Folder(tmp_path, KNOWN).read()
    assert found["one"].lesson
    for name in ("self", "there", "back"):
        assert "cannot be read: too many levels of symbolic links" in found[name].mistakes[0].sentence


def test_a_folder_that_is_a_link_to_itself_is_said(tmp_path: Path) -> None:
    (tmp_path / "self").symlink_to(tmp_path / "self")
    with pytest.raises(BadInput, match="cannot be read: too many levels of symbolic links"):
        Folder(tmp_path / "self", KNOWN).read()


def test_a_picture_that_is_a_link_to_itself_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text(TEXT)
    lesson = Folder(tmp_path, KNOWN).read()["one"].lesson
    assert lesson
    first = min(lesson.views)
    path = picture_of(tmp_path, "one", first)
    path.parent.mkdir()
    path.symlink_to(path)
    assert pictures(tmp_path, lesson) == {}
