"""A lesson is read as it was written, and every mistake is one sentence with its line."""

from dataclasses import replace

import pytest

from attnviz.lessons import View
from attnviz.lessons.reader import read

from .samples import KNOWN, TEXT

FILE = "everything.md"


def test_everything_in_a_lesson_is_read() -> None:
    lesson, mistakes = read(TEXT, FILE, KNOWN)
    assert not mistakes and lesson is not None
    assert (lesson.name, lesson.title, lesson.minutes, lesson.objectives) == (
        "everything",
        "Everything",
        3,
        ["Read it."],
    )
    first, second, third = lesson.steps
    assert first.view == View("look", {"number": "23", "query": "12,13"}, "viewer.pair")
    assert second.view == View("look", {"number": "23", "query": "12,13", "head": "2"})
    assert third.view == second.view
    assert first.formulas == ("q \\cdot k",)
    assert first.text[0] == [
        "p",
        [
            ["text", "The answer is "],
            ["shown", "8", "viewer.answer"],
            ["text", ", of "],
            ["em", [["text", "one"]]],
            ["text", " "],
            ["term", "attention-head", "attention head"],
            ["text", ", for "],
            ["role", "query", "its query"],
            ["text", ", "],
            ["math", 0],
            ["text", "."],
        ],
    ]
    assert first.text[1] == ["ul", [[["p", [["text", "a list"]]]], [["p", [["text", "of two"]]]]]]
    assert lesson.keypoints == [["ul", [[["p", [["text", "It works."]]]]]]]
    assert third.text[-1] == ["part", "To keep in mind", lesson.keypoints]


def test_each_kind_of_task_is_read() -> None:
    lesson, _ = read(TEXT, FILE, KNOWN)
    assert lesson is not None
    do, choose, count = (step.task for step in lesson.steps)
    assert do is not None and choose is not None and count is not None
    assert do.check == [["key", "is set", ""], ["viewer.weight", ">", "0.5"]]
    assert do.shows == View("look", {"number": "23", "query": "12,13", "key": "3,3"})
    assert do.hint == [["p", [["text", "Click."]]]]
    assert [(option.words, option.right) for option in choose.options] == [
        ([["text", "The first"]], False),
        ([["text", "The second"]], True),
    ]
    assert choose.options[0].reply == [["p", [["text", "No, "], ["em", [["text", "not"]]], ["text", " that one."]]]]
    assert (count.number, count.target, count.within) == ("0.25", "viewer.weight", 0.1)


def test_what_a_step_names_of_its_page_is_listed() -> None:
    lesson, _ = read(TEXT, FILE, KNOWN)
    assert lesson is not None
    assert list(lesson.steps[0].shown()) == [("8", "viewer.answer")]
    assert list(lesson.steps[0].shown_when_solved()) == [("0.75", "viewer.weight")]


@pytest.mark.parametrize(
    ("old", "new", "line", "part"),
    [
        ("title: Everything\n", "", 2, "title"),
        ("title: Everything", "title: [a", 2, "front matter cannot be read"),
        ("minutes: 3", "minutes: 30", 3, "1 to 10"),
        ("minutes: 3", "minuts: 3", 3, "Did you mean 'minutes'?"),
        ("minutes: 3", "minutes: 0x" + "f" * 5000, 3, "minutes"),
        ("minutes: 3", "minutes: 3\norder: first", 4, "order must be a number"),
        ("objectives:\n  - Read it.", "objectives: Read it.", 5, "a list"),
        ("---\n\n## First", "---\n\nSome text.\n\n## First", 11, "begins with a step"),
        ("## Second", "# Second", 36, "'## Title'"),
        ("look?number", "lok?number", 13, "Did you mean 'look'?"),
        ("look?number=23", "look?number", 13, "cannot be read"),
        (":::{view} look?number=23&query=12,13", ":::{view} ?query=1,1", 13, "must name its page"),
        (":frame: viewer.pair", ":farme: viewer.pair", 14, "no option 'farme'"),
        (":frame: viewer.pair", ":frame: <b>", 14, "name such as"),
        ("<viewer.answer>", "<viewer.anser>", 17, "Did you mean 'answer'?"),
        ("{shown}`8 <viewer.answer>`", "{shown}`8`", 17, "<pixel_viewer.probability>"),
        ("{term}`attention head`", "{term}`attention hat`", 17, "attention-head"),
        ("{query}`its", "{qery}`its", 17, "Did you mean 'query'?"),
        ("- a list", "![a](b.png)", 19, "not picture files"),
        ("- a list", "### a", 19, "'## Title'"),
        ("- a list", "> ## a", 19, "A heading is not allowed"),
        ("- a list", "```{view} x\n```", 19, "lines of colons"),
        ("- a list", ":::{figure} x\n:::", 19, "no directive 'figure'"),
        (":check: key is set and", ":check: key sets and", 23, "A condition is such as"),
        ("viewer.weight > 0.5", "viewer.weight > much", 23, "Only numbers"),
        ("viewer.weight > 0.5", "viewer.wait > 0.5", 23, "declares no value 'wait'"),
        (":view: ?key=3,3\n", "", 22, "needs a solution with a :view:"),
        ("Lock a key.", "", 22, "tells what to do"),
        ("[page](draw)", "[page](../../etc/passwd)", 41, "https://"),
        ("- [x] The second", "- [ ] The second", 43, "Exactly one"),
        ("- [ ] The first\n\n  No, *not* that one.\n- [x] The second\n", "", 43, "one of these"),
        (":number: 0.25 <viewer.weight>", ":number: some", 57, "The answer is a number"),
        (":within: 0.1", ":within: -1", 58, "must be a number"),
        (":::{keypoints}\n- It works.\n:::\n", "", 62, "{keypoints}"),
        (":::{hint}\nClick.\n:::\n", ":::{hint}\nA.\n:::\n:::{hint}\nB.\n:::\n", 30, "its second"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(old: str, new: str, line: int, part: str) -> None:
    assert old in TEXT
    lesson, mistakes = read(TEXT.replace(old, new, 1), FILE, KNOWN)
    assert lesson is None
    found = [mistake for mistake in mistakes if mistake.line == line and part in mistake.sentence]
    assert found, [str(one) for one in mistakes]
    assert str(found[0]).startswith(f"everything.md:{line}: ")


def test_all_mistakes_are_said_at_once_and_in_order() -> None:
    text = TEXT.replace("minutes: 3", "minutes: 30").replace("look?", "lok?").replace(":within: 0.1", ":within: -1")
    _, mistakes = read(text, FILE, KNOWN)
    assert [mistake.line for mistake in mistakes] == [3, 13, 58]


def test_signs_of_markdown_are_text_where_they_are_escaped_or_mean_nothing() -> None:
    written = r"\<b> \$5 \[page\](draw) \*x\_ \{key\} &lt;i&gt; &amp;amp; [0, 1] (both) 2 * 3 < 4, x_y [...] ca. ~5"
    lesson, mistakes = read(TEXT.replace("- a list", f"{written}\n\n- a list"), FILE, KNOWN)
    assert not mistakes and lesson is not None
    first, *_ = lesson.steps
    words = "<b> $5 [page](draw) *x_ {key} <i> &amp; [0, 1] (both) 2 * 3 < 4, x_y [...] ca. ~5"
    assert first.text[1] == ["p", [["text", words]]]


def test_a_link_to_the_outside_may_be_its_own_words() -> None:
    url = "https://a.org/x"
    lesson, mistakes = read(TEXT.replace("- a list", f"<{url}>, [{url}]({url})\n\n- a list"), FILE, KNOWN)
    assert not mistakes and lesson is not None
    link = ["link", url, [["text", url]]]
    assert lesson.steps[0].text[1] == ["p", [link, ["text", ", "], link]]


def test_an_address_is_taken_as_a_browser_shows_it() -> None:
    text = TEXT.replace(
        "look?number=23&query=12,13", "http://localhost:8501/look?number=23&query=12%2C13&lesson=a&step=2"
    )
    lesson, _ = read(text, FILE, KNOWN)
    whole, _ = read(TEXT, FILE, KNOWN)
    assert lesson is not None and whole is not None
    assert replace(lesson.steps[0]).view == whole.steps[0].view
