"""What a lesson says of components is compared in a browser by `lessons check`, or it says that it was not."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from attnviz.errors import BadInput
from attnviz.lessons import Lesson
from attnviz.ui.lessons import command, in_browser, shelf

from .test_tried import TEXT

TASK = "query is 8,8 and pixel_viewer.head is 5"
SOLVED = "query=8,8&head=5"


def written(folder: Path, words: str, check: str = TASK, solved: str = "So.") -> Path:
    text = TEXT.replace("VIEW", "head=1").replace("CHECK", check).replace("SOLUTION", SOLVED)
    (folder / "tried.md").write_text(text.replace("Look.", words).replace("\nSo.\n", f"\n{solved}\n"))
    return folder


def told(folder: Path) -> list[str]:
    lines: list[str] = []
    with pytest.raises(BadInput):
        for line in command.check(str(folder)):
            lines.append(line)
    return lines[1:]


def line_of(folder: Path, words: str) -> int:
    text = (folder / "tried.md").read_text()
    return text[: text.index(words)].count("\n") + 1


@pytest.mark.slow
def test_a_number_that_the_page_does_not_show_and_a_condition_that_fails_are_named_with_their_lines(
    tmp_path: Path,
) -> None:
    words = (
        "It says {shown}`8 <pixel_viewer.answer>`, and {shown}`0.45 <pixel_viewer.probability>`.\n"
        'Here is {shown}`3 <gates.channel>`, and {shown}`18 of 20 <"findings">`, $\\sofmax(q)$.'
    )
    solved = "Now {shown}`6 <pixel_viewer.head>` is chosen."
    written(tmp_path, words, "query is 8,8 and pixel_viewer.head is 6", solved)
    file = tmp_path / "tried.md"
    file.write_text(file.read_text().replace("head=1\n", "head=99\n:frame: pixel_viewer.head-prat\n", 1))
    process = subprocess.run(  # Playwright of these tests and that of the command cannot share a process
        [sys.executable, "-m", "attnviz", "lessons", "check", str(tmp_path)],
        capture_output=True, text=True, check=False, env=os.environ,
    )  # fmt: skip
    found = process.stdout.splitlines()[1:]
    assert process.returncode != 0 and len(found) == 8, process
    wanted = {
        "'0.45'": (line_of(tmp_path, "0.45"), "pixel_viewer.probability is "),
        "'3'": (line_of(tmp_path, "<gates"), "there is no gates on it"),
        "'18 of 20'": (line_of(tmp_path, "18 of"), 'there is no part "findings" on it'),
        "head “99”": (line_of(tmp_path, ":::{view}"), "complains: The URL asks for head"),
        "'pixel_viewer.head-prat'": (line_of(tmp_path, ":::{view}"), "Did you mean 'pixel_viewer.head-part'?"),
        "sofmax' is not LaTeX": (line_of(tmp_path, "## "), "cannot be drawn"),
        "'6'": (line_of(tmp_path, solved), "pixel_viewer.head is 5 there"),
        "pixel_viewer.head is 6' fails": (line_of(tmp_path, ":view: ?"), "pixel_viewer.head is 5 there"),
    }
    for part, (line, says) in wanted.items():
        (one,) = [one for one in found if part in one]
        assert one.startswith(f"tried.md:{line}: ") and says in one, one


def test_without_a_browser_the_check_says_what_it_did_not_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def none() -> Iterator[None]:
        raise in_browser.NoBrowser(in_browser.INSTALL)
        yield

    monkeypatch.setattr(in_browser, "_browser", none)
    lines = list(command.check(str(written(tmp_path, "It says {shown}`8 <pixel_viewer.answer>`."))))
    assert len(lines) == 2 and "not checked in 1 lesson" in lines[1] and in_browser.INSTALL in lines[1]


def test_all_lessons_of_ours_name_what_only_a_browser_shows() -> None:
    assert all(isinstance(one, Lesson) and in_browser.needed(one) for one in shelf.lessons().values())
