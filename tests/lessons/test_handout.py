"""A lesson on paper says all that the lesson says, as plain text."""

from base64 import b64decode, b64encode
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from attnviz.lessons import Lesson
from attnviz.lessons.folder import LARGEST_PICTURE, picture_of, pictures
from attnviz.lessons.handout import formula, handout
from attnviz.lessons.reader import read

from .samples import KNOWN, TEXT


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""
        self.pictures: list[bytes] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        sources = [value or "" for name, value in attrs if name == "src"]
        self.pictures += [b64decode(one.removeprefix("data:image/webp;base64,")) for one in sources]
        assert not [name for name, _ in attrs if name.startswith("on") or name == "href"]

    def handle_data(self, data: str) -> None:
        self.words += data


def sample() -> Lesson:
    """Return the small lesson that has everything."""
    lesson, _ = read(TEXT, "everything.md", KNOWN)
    assert lesson is not None
    return lesson


def parsed(page: str) -> _Read:
    """Return what a page says, and its elements."""
    found = _Read()
    found.feed(page)
    return found


def test_all_of_a_lesson_is_on_the_paper() -> None:
    found = parsed(handout(sample()))
    for words in (
        "Everything", "3 minutes", "Read it.", "It is long.", "It is short.", "1. First", "The answer is 8, of one",
        "attention head, for its query, q \u00b7 k", "of two", "Task 1", "Lock a key.", "Task 2", "The second",
        "Task 3", "How large is it?", "To keep in mind", "The weight is 0.75.", "?lesson=everything&step=2",
    ):  # fmt: skip
        assert words in found.words, words
    assert "0.25." in found.words.rpartition("Answers")[2]
    assert "No, not that one." not in found.words  # the reply to a wrong answer


def test_a_view_that_stays_is_named_once() -> None:
    assert handout(sample()).count("On the screen") == 2


def test_each_view_has_its_picture_if_there_is_one() -> None:
    lesson = sample()
    pictures = {number: b"picture %d" % number for number in lesson.views}
    assert len(pictures) == 2
    assert parsed(handout(lesson, pictures)).pictures == [*pictures.values()]
    assert parsed(handout(lesson)).pictures == []
    assert parsed(handout(lesson, dict.fromkeys(lesson.views, b"the same"))).pictures == [b"the same"]


def test_pictures_are_those_of_the_lesson_in_its_folder(tmp_path: Path) -> None:
    lesson = sample()
    folder = tmp_path / "lessons"
    first, second = (picture_of(folder, lesson.name, number) for number in lesson.views)
    first.parent.mkdir(parents=True)
    first.write_bytes(b"first")
    picture_of(folder, "another", 0).write_bytes(b"another")
    outside = tmp_path / "secret"
    outside.write_bytes(b"secret")
    second.symlink_to(outside)
    assert pictures(folder, lesson) == {lesson.views[0]: b"first"}
    second.unlink()
    second.write_bytes(b"x" * (LARGEST_PICTURE + 1))
    assert pictures(folder, lesson) == {lesson.views[0]: b"first"}


def test_what_a_lesson_says_is_never_markup() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    text = TEXT.replace("- a list", f"{evil.replace('<', chr(92) + '<')} $<b>_{{<i>}}$ `<u>`\n\n- a list")
    lesson, mistakes = read(text, "everything.md", KNOWN)
    assert lesson is not None, mistakes
    lesson = replace(lesson, title=evil, level=evil, believed=evil, against=evil, objectives=[evil])
    found = parsed(handout(lesson))
    assert not {"script", "img", "b_", "i", "u"} & {*found.tags}
    assert found.words.count("<script>") >= 6


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"s = q \cdot k", "s = q \u00b7 k"),
        (r"\sum_k w_k v_k", "\u2211<sub>k</sub> w<sub>k</sub> v<sub>k</sub>"),
        (r"x^{10} < \unknown", "x<sup>10</sup> &lt; unknown"),
    ],
)
def test_a_formula_is_signs(latex: str, words: str) -> None:
    assert formula(latex) == f'<span class="formula">{words}</span>'


@pytest.mark.parametrize(
    ("suffix", "content"), [("png", b"\x89PNG\r\n"), ("jpg", b"\xff\xd8\xff\xe0"), ("jpeg", b"\xff\xd8")]
)
def test_a_picture_may_be_png_or_jpeg_where_there_is_no_webp(tmp_path: Path, suffix: str, content: bytes) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / f"everything-1.{suffix}").write_bytes(content)
    page = handout(sample(), pictures(tmp_path, sample()))
    kind = "png" if suffix == "png" else "jpeg"
    assert f"data:image/{kind};base64,{b64encode(content).decode()}" in page
    (tmp_path / "pictures" / "everything-1.webp").write_bytes(b"RIFF")
    assert f"data:image/webp;base64,{b64encode(b'RIFF').decode()}" in handout(sample(), pictures(tmp_path, sample()))


def test_the_words_around_a_lesson_are_in_its_language() -> None:
    german = handout(replace(sample(), language="de"))
    assert '<html lang="de">' in german and "3 Minuten" in german and "Aufgabe 1" in german
    assert not {"minutes", "Task", "Answers", "On the screen", "Many believe"} & set(german.split())
