"""Plausible mistakes of an author: each is named with its line, and with the nearest right word where there is one."""

import re
from dataclasses import replace

import pytest

from attnviz.lessons import Lesson, reader
from attnviz.lessons.languages import LANGUAGES

from .samples import KNOWN, TEXT


def mistakes(text: str) -> list[str]:
    return [str(one) for one in reader.read(text, "wrong.md", KNOWN)[1]]


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def swapped(*pairs: tuple[str, str]) -> str:
    text = TEXT
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("`0.75 <viewer.weight>`", "`0,75 <viewer.weight>`", "Write 0.75"),
        ("`0.75 <viewer.weight>`", "`7,5 % <viewer.weight>`", "Write 7.5"),
        ("`0.75 <viewer.weight>`", "`1.000.5 <viewer.weight>`", "is not a number in English format"),
        (":number: 0.25", ":number: 0,25", "Write 0.25"),
        (":within: 0.1", ":within: 0,1", "Write 0.1"),
        ("viewer.weight > 0.5", "viewer.weight > 0,5", "Write 0.5"),
        ("minutes: 3", "minutes: 0,54", "it is '0,54' here"),
        ("minutes: 3", "minutes: 3\nlanguage: germ", "There is no language 'germ'"),
        ("minutes: 3", "minutes: 3\nminuts: 4", "Did you mean 'minutes'?"),
        ("believed: It is long.", "believed: It is: long.", "must be in quotes"),
        ("believed: It is long.", 'believed: "It is long.', "never closed"),
        ("believed: It is long.", "believed: *It* is long.", "must be in quotes"),
        ("believed: It is long.", "believed: @It is long.", "begins with '@' must be in quotes"),
        ("believed: It is long.", "believed: [It is long.", "never closed"),
        ("level: all", "level all", "has no colon after its name"),
        ("  - Read it.", "\t- Read it.", "here is a tab"),
        ("level: all", "level: all\nlevel: some", "twice"),
        ("look?number=23&query=12,13", "look?number=23&number=24", "names the field 'number' more than once"),
        ("viewer.weight > 0.5", "viewr.weight > 0.5", "Did you mean 'viewer'?"),
        ("`8 <viewer.answer>`", "`8 <veiwer.answer>`", "Did you mean 'viewer'?"),
        ("{term}`attention head`", "{term} attention head", "must be in backticks: {term}`...`."),
        ("[page](draw)", "[page](draw?models=a&models=b)", "names the field 'models' more than once"),
        ("[page](draw)", "[page] (draw)", "This is not a link: '[page] (draw)'"),
        ("[page](draw)", "[page](https://a.org", "This is not a link: '[page](https://a.org'"),
        ("[page](draw)", "[page](javascript:alert(1))", "This is not a link: '[page](javascript:alert(1)'"),
        ("$q \\cdot k$", "$q \\cdot k", "the second is missing"),
        (":number: 0.25 <viewer.weight>\n:within: 0.1", ":within: 0.1", "Only a :number: has a tolerance"),
        (":::{exercise}\nChoose.", ":::{exercise}\nChoose.\n\n- [ ] The first", "all different"),
    ],
)
def test_a_word_of_it(old: str, new: str, says: str) -> None:
    text = swapped((old, new))
    found = mistakes(text)
    lines = {line_of(text, new) + extra for extra in range(new.count("\n") + 2)}
    assert any(says in one and int(one.split(":")[1]) in lines for one in found), found


@pytest.mark.parametrize("name", ["view", "exercise", "hint", "solution", "keypoints"])
def test_a_directive_that_is_not_closed_is_named_where_it_begins_and_nothing_else_is(name: str) -> None:
    at = TEXT.rindex(f":::{{{name}}}")
    end = TEXT.index("\n:::\n", at)
    text = TEXT[:end] + TEXT[end + 4 :]
    (one,) = mistakes(text)
    assert one.startswith(f"wrong.md:{text[:at].count(chr(10)) + 1}: The {name} that begins here is n")


@pytest.mark.parametrize("end", ["", "--\n", "----\n", "...\n", "\u2014\n"])
def test_front_matter_that_is_not_closed_is_named_where_it_begins_and_nothing_else_is(end: str) -> None:
    left = TEXT.replace("short.\n---\n", f"short.\n{end}")
    for text in (left, left.replace("Count.", "---")):
        (one,) = mistakes(text)
        assert one.startswith("wrong.md:1: The front matter that begins here is not closed before the first step")


@pytest.mark.parametrize("begins", ["\n---\n", " ---\n", "--\n", "\u2014\n", "+++\n", "", "# Title\n\n---\n"])
def test_front_matter_begins_with_the_file(begins: str) -> None:
    (one,) = mistakes(begins + TEXT.removeprefix("---\n"))
    assert one.startswith("wrong.md:1: A lesson begins with front matter between two lines '---'")


@pytest.mark.parametrize("mark", ["```", "~~~~"])
def test_a_block_of_code_that_is_not_closed_is_named_where_it_begins(mark: str) -> None:
    text = swapped(("Count.\n", f"Count.\n\n{mark}\ncode\n"))
    (one,) = mistakes(text)
    assert one.startswith(f"wrong.md:{line_of(text, mark)}: This block of code is never closed")
    assert not mistakes(swapped(("Count.\n", f"Count.\n\n{mark}\n:::{{view}}\n{mark}\n")))


def test_no_word_of_yaml_or_python_reaches_an_author() -> None:
    for new in (
        "believed: It is: long",
        "believed: {a",
        "believed: 'a",
        "believed: !x y",
        "believed: %a",
        "\tx: y",
        "- a",
    ):
        for one in mistakes(swapped(("believed: It is long.", new))):
            assert not any(word in one for word in ("scalar", "mapping", "token", "yaml", "constructor", "<block")), one


@pytest.mark.parametrize("value", ["!!timestamp x", "!bold x", "&a x", '"\\UFFFFFFFF"', "Head #1", "9" * 5000])
def test_a_value_that_would_not_be_shown_as_it_is_written_is_named_with_its_line(value: str) -> None:
    text = swapped(("believed: It is long.", f"believed: {value}"))
    (one,) = mistakes(text)
    assert int(one.split(":")[1]) == line_of(text, "believed: ")
    assert "quotes" in one or "at most 400" in one


@pytest.mark.parametrize("value", ["2024-99-99", "yes", "0b_", "~", "12:30", "1e3", "'Head #1'"])
def test_a_value_of_the_front_matter_is_its_words(value: str) -> None:
    lesson, found = reader.read(swapped(("believed: It is long.", f"believed: {value}")), "right.md", KNOWN)
    assert not found and lesson and lesson.believed == value.strip("'")


# What is said of a text, and what stands in it in place of "- a list": every mark that Markdown leaves as it is.
MARKS = {
    "not a link": ["see [[draw]]", "see [page]{draw}", "see [page][draw]", "see [page] (draw)", "a claim [1]",
        "see page](draw)", "see [page(draw)", "see [page](draw", "a claim[^1]", "[^1]: word", "[draw]: draw",
        "> [!NOTE]\n> x"],
    "must name its page": ["see [page]()"],
    "with words": ["see [](draw)"],
    "without a title": ['see [page](draw "there")'],
    "must not name a part": ["see [page](#there)", "see [page](draw#x)"],
    "Did you mean 'draw'": ["see [page](/draw)", "see [page](http://draw)", "see [page](Draw)",
        "see [page](pages/draw)"],
    "the reader's own computer": ["see [page](http://localhost:8501/draw)"],
    "https://...": ["see [page](mailto:a@b.c)"],
    "would not be a link": ["see https://a.org there", "see www.a.org", "https:/a.org"],
    "has no partner": ["a **bold word", "a ** bold ** word", "a *word", "a word* of it", "an _odd word",
        "an odd_ word"],
    "struck out": ["a ~~word~~", "a ==word==", "H~2~O"],
    "backtick": ["a `word"],
    "in backticks": ["{key} word", "{shown}'8 <viewer.answer>'"],
    "Braces": ["{{ word }}", "{key word}"],
    "contains Markdown": ["{key}`*word*`"],
    "HTML": ["<b>bold</b>", "<div>\nx\n</div>", "<!-- later -->", "line<br>", "<viewer.answer>"],
    "no character": ["a&nbps;b"],
    "in a sentence write": ["see $$q$$", "see $$ q \\cdot k $$"],
    "two dollar signs": ["it costs 5$", "from $5 to $6", "$ q $", "$$\nq"],
    "LaTeX": ["\\(q \\cdot k\\)", "\\alpha is"],
    "formula": ["x^2", "the 1^st^ head", "$\\frac{q$", "{math}`{q`"],
    "Tables are not supported": ["| a | b |\n|---|---|"],
    "begin with a colon": ["::note", ":check: key is set", "Term\n: meaning", "\uff1a\uff1a\uff1a{view} look"],
    "no emoji": ["well done :tada:"],
    "begins with '## Title'": ["##Third", "Word\n---"],
    "begins with four spaces": ["    indented", "\tindented", "    :::{hint}"],
    "A horizontal line": ["a\n\n---\n\nb", "* * *"],
    "An item": ["-word", "+word", "•  word", "1.Word", "-[x] right", "a | b\n--|--"],
    "must start at 1": ["1986. A year", "3. third"],
    "no comments": ["% later", "(here)="],
    "An answer to choose": ["[ ] wrong"],
    "invisible character": ["a\x00b", "a\u200bb", "a\ufffdb"],
    "no directive 'note'": ["::: {note}\n:::"],
    "begins with :::{name}": [":::hint\n:::"],
    "Did you mean 'hint'": [":::{Hint}\n:::"],
    "into the lines below": [":::{hint} Click.\n:::"],
    "not closed": ["::::{hint}\nClick.\n:::"],
}  # fmt: skip


@pytest.mark.parametrize("says", MARKS)
def test_no_mark_of_markdown_is_left_in_a_text(says: str) -> None:
    for written in MARKS[says]:
        text = swapped(("- a list", written))
        begins = line_of(text, "$q \\cdot k$.") + 2
        lines = range(begins, begins + written.count("\n") + 2)
        found = mistakes(text)
        assert any(says in one and int(one.split(":")[1]) in lines for one in found), (written, found)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("minutes: 3", "minutes: 010", "it is '010' here"),
        ("minutes: 3", "minutes: 0x3", "it is '0x3' here"),
        ("minutes: 3", "minutes: 0_3", "it is '0_3' here"),
        ("minutes: 3", "minutes: 3 # or 4", "would be lost"),
        ("title: Everything", "title: '**Everything**'", "contains Markdown"),
        ("  - Read it.", "  - Read the {term}`query`.", "contains Markdown"),
        ("against: It is short.", "against: See [page](draw).", "contains Markdown"),
        ("## Second", "## First", "occurs twice"),
        ("## Second", "## See {shown}`8 <viewer.answer>`", "plain text"),
        ("## Second", "## See [page](draw)", "plain text"),
        ("## Second", "## The **second", "has no partner"),
        (":frame: viewer.pair", ":frame:viewer.pair", "An option is ':name: value'"),
        (":frame: viewer.pair", ": frame: viewer.pair", "An option is ':name: value'"),
        (":check: key", ":Check: key", "An option is ':name: value'"),
        ("Lock a key.", "\n:number: 3\nLock a key.", "Text must not begin with a colon"),
        (":within: 0.1", ":within: 0.1\n:within: 0.2", "twice"),
        (":::{view} ?head=2", ":::{view}", "A view must name its page"),
        (":::{view} ?head=2", ":::{view} ?", "A view must name its page"),
        (":::{view} ?head=2", ":::{view}?head=2", "begins with :::{name}"),
        (":::{view} ?head=2", ":::{view} http://look?head=2", "Did you mean 'look?head=2'"),
        (":::{view} ?head=2", ":::{view} /look?head=2", "Did you mean 'look?head=2'"),
        (":::{view} ?head=2", ":::{view} localhost:8501/look?head=2", "Did you mean 'look?head=2'"),
        (":::{view} ?head=2", ":::{view} htp://localhost:8501/look?head=2", "Did you mean 'look?head=2'"),
        (":::{view} ?head=2", ":::{view} http://localhost:8501/", "Did you mean 'home'"),
        (":::{view} ?head=2", ":::{view} look?head=2 # the second", "has no spaces"),
        (":::{view} ?head=2", ":::{view} look?head=2#board", "must not name a part"),
        (":::{view} ?head=2", ":::{view} ??head=2", "'?head=2' is not such a field"),
        (":::{view} ?head=2", ":::{view} ?head==2", "'head==2' is not such a field"),
        (":::{view} ?head=2", ":::{view} ?head=2key=3", "'head=2key=3' is not such a field"),
        (":within: 0.1", "within: 0.1", "An option is ':name: value'"),
        (":within: 0.1", ":within: 01", "not '01'"),
        ("`0.75 <viewer.weight>`", "`075 <viewer.weight>`", "is not a number in English format"),
        ("`0.75 <viewer.weight>`", "`0.75 <<viewer.weight>`", "shows as {shown}"),
        ("- It works.", "-- It works.", "An item of a list"),
        (":view: ?key=3,3", ":view: ?key=3,3 here", "has no spaces"),
        ("## Third\n", ":::{keypoints}\n- A.\n:::\n\n## Third\n", "ends with its keypoints"),
        ("- It works.\n:::", "- It works.\n:::\n\nMore.", "ends with its keypoints"),
        ("- [ ] The first", "- [ ] The first[1]", "not a link"),
    ],
)
def test_what_would_be_lost_or_mean_something_else_is_a_mistake(old: str, new: str, says: str) -> None:
    found = mistakes(swapped((old, new)))
    assert any(says in one for one in found), found


def german() -> str:
    return swapped(
        ("minutes: 3", "minutes: 3\nlanguage: de"), ("`0.75 <", "`0,75 <"), (":number: 0.25", ":number: 0,25"),
        (":within: 0.1", ":within: 0,1"), ("> 0.5", "> 0,5"),
    )  # fmt: skip


def test_numbers_are_written_as_in_the_language_of_the_lesson() -> None:
    lesson, found = reader.read(german(), "german.md", KNOWN)
    assert isinstance(lesson, Lesson) and not found
    first, _, third = (step.task for step in lesson.steps)
    assert first and first.check[1] == ["viewer.weight", ">", "0.5"]
    assert third and (third.number, third.within) == ("0.25", 0.1)
    assert ["part", "Zum Merken", lesson.keypoints] in lesson.steps[-1].text
    (one,) = mistakes(german().replace("`0,75 <", "`0.75 <"))
    assert "Write 0,75" in one


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_all_words_with_the_same_places(code: str) -> None:
    words, english = LANGUAGES[code].words, LANGUAGES["en"].words
    assert set(words) == set(english)
    for key, word in words.items():
        assert word.strip()
        assert sorted(re.findall(r"{\w+}", word)) == sorted(re.findall(r"{\w+}", english[key]))


@pytest.mark.parametrize(
    ("code", "word", "plain"),
    [("en", "1,234.5", "1234.5"), ("en", "0,54", None), ("de", "1.234,5", "1234.5"), ("de", "0.54", None)],
)
def test_a_number_is_read_as_its_language_writes_it(code: str, word: str, plain: str | None) -> None:
    assert LANGUAGES[code].plain(word) == plain


def test_a_place_has_a_comma_and_is_no_number() -> None:
    known = replace(KNOWN, declared={"viewer": ("answer", "weight", "query")})
    text = swapped(("`8 <viewer.answer>`", "`4,14 <viewer.query>`"))
    assert not reader.read(text, "place.md", known)[1]
