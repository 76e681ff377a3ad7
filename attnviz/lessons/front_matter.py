"""Parsing the front matter of a lesson; mistakes are explained to readers who do not know YAML."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import yaml
from markdown_it import MarkdownIt
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from attnviz.errors import closest
from attnviz.lessons import marks
from attnviz.lessons.languages import DEFAULT, LANGUAGES
from attnviz.lessons.lesson import LAST, LONGEST

MOST = 400  # the maximum length of a sentence


def _words(text: str) -> str:
    if not 0 < len(text.strip()) <= MOST:
        raise ValueError("a sentence")
    return text


def _whole(word: object) -> object:
    return int(word) if isinstance(word, str) and re.fullmatch(r"0|[1-9]\d{0,4}", word, re.ASCII) else word


Sentence = Annotated[str, AfterValidator(_words)]


class FrontMatter(BaseModel):
    """The fields of the front matter; the last two are optional."""

    model_config = ConfigDict(strict=True)

    title: Sentence
    minutes: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=LONGEST)]
    level: Sentence
    objectives: Annotated[list[Sentence], Field(min_length=1, max_length=7)]
    believed: Sentence
    against: Sentence
    order: Annotated[int, BeforeValidator(_whole), Field(ge=0, le=LAST)] = LAST
    language: str = DEFAULT


FIELDS = tuple(name for name, field in FrontMatter.model_fields.items() if field.is_required())

_WANTED = {
    "minutes": f"a number of minutes, 1 to {LONGEST}",
    "objectives": "a list of one to seven sentences, each after '- '",
    "order": f"a number up to {LAST:,}",
}  # all other fields are sentences
_KINDS: dict[type, str] = {list: "a list", dict: "a field with fields"}
_PARTED = re.compile(r"---[ \t]*\n((?:(?!##|:::).*\n)*?)---[ \t]*(?:\n|\Z)")
_FIELD = re.compile(r"([A-Za-z_]\w*)\s*:(?:\s.*)?")

_SENTENCES = (
    ("mapping values are not allowed", "A value with a colon in it must be in quotes: title: 'Heads: a story'."),
    ("could not find expected ':'", "Each line is 'name: value', and this one has no colon after its name."),
    ("cannot start any token", "A value that begins with {character!r} must be in quotes."),
    ("expected <block end>", "This line is indented differently from those before it, or its quotes are not closed."),
    ("found undefined alias", "A value that begins with '*' must be in quotes."),
    ("found unexpected end of stream", "A quotation mark opened here is never closed."),
    ("expected ',' or", "A bracket opened here is never closed."),
    ("expected the node content", "A value that begins with a bracket or a comma must be in quotes."),
    ("block sequence entries are not allowed", "A list begins on the line after its name, each sentence after '- '."),
    ("found unknown escape", "A backslash must be in single quotes: 'a \\ b'."),
    ("could not determine a constructor", "A value that begins with '!' must be in quotes."),
    ("expected alphabetic or numeric", "A value that begins with '*' or '&' must be in quotes."),
)


def explained(error: Exception, content: str) -> tuple[int, str]:
    """Return the line of the file, from 0, and a sentence for an error of YAML."""
    problem = f"{getattr(error, 'problem', None) or error}"
    begun = getattr(error, "context_mark", None)
    mark = begun if "end of stream" in problem or "expected ',' or" in problem else None
    mark = mark or getattr(error, "problem_mark", None)
    lines = content.split("\n")
    line = min(mark.line, len(lines) - 1) if mark else 0
    character = lines[line][mark.column : mark.column + 1] if mark else ""
    if character == "\t":
        return line + 1, "Lines must be indented with spaces, but here is a tab."
    for found, sentence in _SENTENCES:
        if found in problem:
            return line + 1, f"The front matter cannot be read. {sentence.format(character=character)}"
    return line + 1, "The front matter cannot be read: it consists of lines 'name: value'."


def repeated(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the line of the file, from 0, and the name of each repeated field."""
    before: set[str] = set()
    for number, line in enumerate(lines):
        field = _FIELD.fullmatch(line)
        if field and field[1] in before:
            yield number + 1, field[1]
        if field:
            before.add(field[1])


def _other(content: str) -> Iterator[tuple[int, str]]:
    """Yield the line of the file, from 0, and a sentence for YAML syntax that would be lost as text."""
    lines = content.split("\n")
    line = 0
    try:
        for event in yaml.parse(content, yaml.BaseLoader):
            line = event.start_mark.line
            if getattr(event, "tag", None) or getattr(event, "anchor", None):
                yield line + 1, "A value that begins with '!', '&' or '*' must be in quotes."
            rest = lines[event.end_mark.line][event.end_mark.column :] if event.end_mark.line < len(lines) else ""
            if isinstance(event, yaml.ScalarEvent) and rest.lstrip().startswith("#"):
                yield event.end_mark.line + 1, "Text after ' #' would be lost: a value with it must be in quotes."
    except yaml.YAMLError as error:
        yield explained(error, content)
    except (ValueError, OverflowError):  # a character that does not exist
        yield line + 1, "This value cannot be read: put it in single quotes."


def parted(text: str, complain: Callable[[int, str], None]) -> tuple[str, str]:
    """Return the front matter of a lesson without its '---' lines, and the lesson with empty lines in its place."""
    found = _PARTED.match(text)
    if not found:
        complain(
            0,
            "The front matter that begins here is not closed before the first step: end it with a line '---'."
            if re.match(r"---[ \t]*\n", text)
            else f"A lesson begins with front matter between two lines '---', the first of which is the first line of "
            f"the file: {', '.join(FIELDS)}.",
        )
        return "", text
    return found[1], "\n" * found[0].count("\n") + text[found.end() :]


def read(content: str, complain: Callable[[int, str], None], parser: MarkdownIt) -> tuple[dict[str, Any] | None, str]:
    """Return the fields of the front matter, or None if it has mistakes, and the language, used in either case.

    The content excludes the '---' lines; `complain` receives the line, from 0, and a sentence for each mistake.
    """
    wrong = [*_other(content)]
    if wrong:
        complain(*wrong[0])
        return None, DEFAULT
    try:
        found = yaml.load(content, yaml.BaseLoader)  # noqa: S506 -- every value is text: 010 is not 8, yes is not True
    except (yaml.YAMLError, RecursionError) as error:
        complain(*explained(error, content))
        return None, DEFAULT
    if not isinstance(found, dict):
        complain(1, f"The front matter consists of lines 'name: value': {', '.join(FIELDS)}.")
        return None, DEFAULT
    lines = content.split("\n")

    def at(name: str) -> int:
        return next((i + 1 for i, one in enumerate(lines) if re.match(rf"{re.escape(name)}\s*:", one)), 1)

    for line, name in repeated(lines):
        wrong.append((line, f"The front matter has the field {name!r} twice: keep one of them."))
    known = [*FrontMatter.model_fields]
    for name in found:
        if name not in known:
            word = _short(name).strip("'")
            wrong.append((at(word), f"There is no field {word!r} in the front matter. {closest(word, known)}"))
    language = found.get("language", DEFAULT)
    if not isinstance(language, str) or language not in LANGUAGES:
        word, language = _short(language).strip("'"), DEFAULT
        wrong.append((at("language"), f"There is no language {word!r}. {closest(word, LANGUAGES)}"))
    fields = None
    try:
        given = {name: value for name, value in found.items() if name in known} | {"language": language}
        fields = FrontMatter.model_validate(given).model_dump()
    except ValidationError as error:
        for name in dict.fromkeys(str(one["loc"][0]) for one in error.errors()):
            value = found.get(name)
            said = "is missing" if not value and name in FIELDS else f"is {_short(value)} here"
            wanted = _WANTED.get(name, f"a sentence of at most {MOST} characters")
            wrong.append((at(name), f"In the front matter, {name} must be {wanted}; it {said}."))
    for field, value in found.items():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and (mark := marks.not_plain(parser, word)):
                wrong.append((at(field), f"The front matter is plain text, but {field} contains Markdown: {mark}."))
    for line, sentence in wrong:
        complain(line, sentence)
    return None if wrong else fields, language


def _short(value: object) -> str:
    """Return a value of the front matter for a sentence: its first words, or its kind."""
    return repr(value[:40]) if isinstance(value, str) else _KINDS.get(type(value), "something else")
