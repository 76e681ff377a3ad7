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
        ("`0.75 <viewer.weight>`", "`1.000.5 <viewer.weight>`", "no number as English writes it"),
        (":number: 0.25", ":number: 0,25", "Write 0.25"),
        (":within: 0.1", ":within: 0,1", "Write 0.1"),
        ("viewer.weight > 0.5", "viewer.weight > 0,5", "Write 0.5"),
        ("minutes: 3", "minutes: 0,54", "it is '0,54' here"),
        ("minutes: 3", "minutes: 3\nlanguage: germ", "There is no language 'germ'"),
        ("minutes: 3", "minutes: 3\nminuts: 4", "Did you mean 'minutes'?"),
        ("believed: It is long.", "believed: It is: long.", "stands between quotes"),
        ("believed: It is long.", 'believed: "It is long.', "never closed"),
        ("believed: It is long.", "believed: *It* is long.", "stands between quotes"),
        ("believed: It is long.", "believed: @It is long.", "begins with '@' stands between quotes"),
        ("believed: It is long.", "believed: [It is long.", "never closed"),
        ("level: all", "level all", "has no colon after its name"),
        ("  - Read it.", "\t- Read it.", "here is a tab"),
        ("level: all", "level: all\nlevel: some", "twice"),
        ("look?number=23&query=12,13", "look?number=23&number=24", "names the field 'number' more than once"),
        ("viewer.weight > 0.5", "viewr.weight > 0.5", "Did you mean 'viewer'?"),
        ("`8 <viewer.answer>`", "`8 <veiwer.answer>`", "Did you mean 'viewer'?"),
        ("{term}`attention head`", "{term} attention head", "stands between backticks: {term}`...`."),
        ("[page](draw)", "[page](draw?models=a&models=b)", "names the field 'models' more than once"),
        ("[page](draw)", "[page] (draw)", "This is no link: '[page] (draw)'"),
        ("[page](draw)", "[page](https://a.org", "This is no link: '[page](https://a.org'"),
        ("[page](draw)", "[page](javascript:alert(1))", "This is no link: '[page](javascript:alert'"),
        ("$q \\cdot k$", "$q \\cdot k", "the second is missing"),
        (":number: 0.25 <viewer.weight>\n:within: 0.1", ":within: 0.1", "Only a :number: may be off"),
        (":::{exercise}\nChoose.", ":::{exercise}\nChoose.\n\n- [ ] The first", "no two are the same"),
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


@pytest.mark.parametrize(
    "value",
    ["2024-99-99", "!!timestamp x", "!!bool 3", "!!int ''", "!!float ''", '"\\UFFFFFFFF"', "9" * 5000, "0b_"],
    ids=lambda value: value[:12],
)
def test_a_value_that_cannot_be_made_is_named_with_its_line(value: str) -> None:
    text = swapped(("believed: It is long.", f"believed: {value}"))
    (one,) = mistakes(text)
    assert int(one.split(":")[1]) == line_of(text, "believed: ")
    assert "between quotes" in one
    assert not any(word in one for word in ("NoneType", "literal", "int(", "month", "string")), one


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
