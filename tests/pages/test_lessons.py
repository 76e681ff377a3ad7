"""The page of lessons, run alone, and what a teacher's link hides."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.lessons.teacher import VARIABLE
from attnviz.ui.lessons import only, shelf

PAGE = Path(__file__).parents[2] / "pages" / "07_lessons.py"


def lessons() -> AppTest:
    """Return the page after its first run."""
    at = AppTest.from_file(PAGE, default_timeout=120).run()
    assert not at.exception
    return at


def test_it_offers_every_lesson_with_what_speaks_against_it() -> None:
    said = [text.value for text in lessons().markdown]
    for lesson in shelf.lessons().values():
        assert any(f"lesson={lesson.name}" in text and "step=1" in text for text in said), lesson.name
    assert sum("Many believe" in text for text in said) == len(shelf.lessons())


def test_a_lesson_with_a_mistake_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.md").write_text("nothing")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    (error,) = lessons().error
    assert "mine" in error.value and "md\\:1" in error.value


@pytest.mark.parametrize(
    ("asked", "hidden"),
    [
        (None, []),
        ("pictures", [*only.PARTS]),
        ("choices,pages", ["tries", "meaning", "experiments"]),
        ("choices,tries,meaning,experiments,pages", []),
    ],
)
def test_a_link_hides_what_it_does_not_name_and_says_so(asked: str | None, hidden: list[str]) -> None:
    def page() -> None:
        import streamlit as st

        from attnviz.ui.lessons import only

        only.say()
        st.text(",".join(only.hidden()))

    at = AppTest.from_function(page)
    if asked is not None:
        at.query_params["only"] = asked
    at.run()
    assert at.text[0].value == ",".join(hidden)
    said = [text.value for text in at.markdown]
    assert bool(said) is bool(hidden)
    if hidden:
        assert all(only.PARTS[name] in said[0] for name in hidden)


def test_a_part_that_is_none_is_named() -> None:
    def page() -> None:
        from attnviz.ui.lessons import only

        only.say()

    at = AppTest.from_function(page)
    at.query_params["only"] = "pictures,foo"
    at.run()
    assert "foo" in at.warning[0].value
