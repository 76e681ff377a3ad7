"""Our lessons: without mistakes, each with three tasks at least, and what home offers is the first of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from attnviz.__main__ import main
from attnviz.errors import BadInput, UnknownName
from attnviz.lessons.folder import Folder, ours, picture_of
from attnviz.lessons.teacher import ALONE, VARIABLE
from attnviz.ui.components.component import FRONTEND
from attnviz.ui.lessons import bar, command, offer, shelf
from attnviz.ui.lessons.shelf import file_of, known

from ...lessons.samples import TEXT

PAGES = Path(__file__).parents[3] / "pages"
MOST = 20_000  # bytes that a lesson adds to a page


def test_our_lessons_have_no_mistake_and_three_tasks_each() -> None:
    assert not [one for found in Folder(ours(), known()).read().values() for one in found.mistakes]
    for lesson in shelf.lessons().values():
        assert sum(step.task is not None for step in lesson.steps) >= 3, lesson.name


def test_each_view_of_ours_has_its_picture_for_the_handout_and_no_picture_is_left_over() -> None:
    lessons = [lesson for name, lesson in shelf.lessons().items() if (ours() / f"{name}.md").exists()]
    needed = {picture_of(ours(), lesson.name, number) for lesson in lessons for number in lesson.views}
    assert {*(ours() / "pictures").iterdir()} == needed, "python -m docs.lesson_pictures"
    for path in needed:
        with Image.open(path) as picture:
            assert (picture.format, path.stat().st_size < 60_000) == ("WEBP", True), path


def test_home_offers_the_first_lesson() -> None:
    first = next(iter(shelf.lessons().values()))
    assert (first.name, first.title) == (offer.FIRST, offer.TITLE)


def test_every_page_that_a_lesson_may_name_has_its_file() -> None:
    for page in known().pages:
        assert (PAGES / file_of(page)).exists(), page


def test_a_step_and_the_bar_are_small() -> None:
    script = sum(len(path.read_bytes()) for path in (FRONTEND / "lessons").glob("*.js"))
    for lesson in shelf.lessons().values():
        for number in range(len(lesson.steps)):
            step = len(json.dumps(bar.sent(lesson, number)).encode())
            # The scripts are fetched once for all steps, packed to less than a third; a step comes as it is.
            assert script / 3 + step < MOST, (lesson.name, number)


def test_what_is_sent_of_a_step_is_words_alone() -> None:
    for lesson in shelf.lessons().values():
        for number in range(len(lesson.steps)):
            assert json.loads(json.dumps(bar.sent(lesson, number)))["step"] == number


def test_a_teachers_folder_adds_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("look?", "draw?").replace("viewer.", "pixel_viewer.").replace("(draw)", "(results)")
    (tmp_path / "own.md").write_text(text)
    (tmp_path / "heads.md").write_text(text.replace("title: Everything", "title: Other heads"))
    (tmp_path / "wrong.md").write_text(text.replace("minutes: 3", "minutes: 99"))
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    found = shelf.found()
    assert found["own"].lesson and found["heads"].lesson
    assert found["heads"].lesson.title == "Other heads"
    assert found["wrong"].lesson is None
    assert "wrong" not in shelf.lessons() and offer.FIRST in shelf.lessons()


def test_the_command_says_all_mistakes(tmp_path: Path) -> None:
    (tmp_path / "wrong.md").write_text(TEXT)
    lines = []
    with pytest.raises(BadInput, match="to be corrected"):
        for line in command.check(str(tmp_path)):
            lines.append(line)
    assert lines and all(line.startswith("wrong.md:") for line in lines)
    with pytest.raises(BadInput, match="no lesson"):
        list(command.check(str(tmp_path / "..")))


def test_two_lessons_of_a_folder_have_two_titles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attnviz.ui.lessons.tried.mistakes", lambda _: [])
    monkeypatch.setattr("attnviz.ui.lessons.in_browser.needed", lambda _: False)
    text = TEXT.replace("look?", "draw?").replace("viewer.", "pixel_viewer.").replace("(draw)", "(results)")
    (tmp_path / "first.md").write_text(text)
    (tmp_path / "second.md").write_text(text.replace("title: Everything", "title: everything"))
    said = command.check(str(tmp_path))
    assert [next(said).partition(":")[0] for _ in range(2)] == ["first", "second"]
    assert next(said).endswith("'everything' is that of first.md.")
    with pytest.raises(BadInput, match="1 mistake has"):
        next(said)
    (tmp_path / "second.md").unlink()
    (one,) = command.check(str(tmp_path))
    assert one.startswith("first: Everything")


def test_the_command_writes_handouts(tmp_path: Path) -> None:
    to = tmp_path / "paper"
    assert len(list(command.print_out([str(to)]))) == len(shelf.lessons())
    assert {path.stem for path in to.iterdir()} == {*shelf.lessons()}
    (line,) = command.print_out([offer.FIRST, str(to)])
    assert line == f"{offer.TITLE}: {to / offer.FIRST}.html"
    with pytest.raises(UnknownName, match=offer.FIRST):
        list(command.print_out(["pixel-to-anwser", str(to)]))
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        list(command.print_out([offer.FIRST, str(tmp_path / "file")]))


def test_a_word_alone_that_names_a_lesson_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (line,) = command.print_out([offer.FIRST])
    assert line == f"{offer.TITLE}: {offer.FIRST}.html" and (tmp_path / f"{offer.FIRST}.html").exists()
    assert len(list(command.print_out([f"./{offer.FIRST}"]))) == len(shelf.lessons())


def test_links_of_a_handout_begin_with_the_address_that_is_given(tmp_path: Path) -> None:
    list(command.print_out([offer.FIRST, str(tmp_path)], "http://192.168.1.5:8501/app/"))
    text = (tmp_path / f"{offer.FIRST}.html").read_text()
    link = f"http://192.168.1.5:8501/app/?lesson={offer.FIRST}&amp;step=1"
    assert f'<a href="{link}">{link}</a>' in text
    with pytest.raises(BadInput, match="An address is such as"):
        list(command.print_out([offer.FIRST, str(tmp_path)], "192.168.1.5"))


def test_a_teachers_lessons_stand_instead_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("look?", "draw?").replace("viewer.", "pixel_viewer.").replace("(draw)", "(results)")
    (tmp_path / "own.md").write_text(text)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setenv(ALONE, "yes")
    assert [*shelf.found()] == ["own"]
    monkeypatch.setenv(ALONE, "")
    assert {"own", offer.FIRST} <= {*shelf.found()}


def test_play_starts_the_app_with_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="no lesson"):
        command.chosen(str(tmp_path))
    (tmp_path / "own.md").write_text(TEXT)
    started: list[list[str]] = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda words, prog_name: started.append(words))
    monkeypatch.setattr(os, "environ", {**os.environ})
    main(["lessons", "play", "--alone", str(tmp_path), "--server.port=8600"])
    ((run, app, option),) = started
    assert (run, option) == ("run", "--server.port=8600")
    assert Path(app).name == "app.py" and Path(app).exists()
    assert os.environ[VARIABLE] == str(tmp_path.resolve()) and os.environ[ALONE] == "yes"


def test_pages_without_a_lesson_bring_no_parser_along() -> None:
    code = "import attnviz.ui.lessons.bar, attnviz.ui.lessons.offer, sys; assert 'markdown_it' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
