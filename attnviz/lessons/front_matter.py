"""What is wrong with the front matter of a lesson, in words for those who have never heard of YAML."""

import re
from collections.abc import Iterator, Sequence

import yaml

_FIELD = re.compile(r"([A-Za-z_]\w*):(?:\s.*)?")

_SENTENCES = (
    ("mapping values are not allowed", "A value with a colon in it stands between quotes: title: 'Heads: a story'."),
    ("could not find expected ':'", "Each line is 'name: value', and this one has no colon after its name."),
    ("cannot start any token", "A value that begins with {character!r} stands between quotes."),
    ("expected <block end>", "This line is indented differently from those before it, or its quotes are not closed."),
    ("found undefined alias", "A value that begins with '*' stands between quotes."),
    ("found unexpected end of stream", "A quotation mark that is opened here is never closed."),
    ("expected ',' or", "A bracket that is opened here is never closed."),
    ("expected the node content", "A value that begins with a bracket or a comma stands between quotes."),
    ("block sequence entries are not allowed", "A list begins on the line after its name, each sentence after '- '."),
    ("found unknown escape", "A backslash stands between single quotes: 'a \\ b'."),
    ("could not determine a constructor", "A value that begins with '!' stands between quotes."),
    ("expected alphabetic or numeric", "A value that begins with '*' or '&' stands between quotes."),
)


def explained(error: yaml.YAMLError, content: str) -> tuple[int, str]:
    """Return the line of the file, from 0, and a sentence for what YAML cannot read."""
    problem = f"{getattr(error, 'problem', None) or error}"
    begun = getattr(error, "context_mark", None)
    mark = begun if "end of stream" in problem or "expected ',' or" in problem else None
    mark = mark or getattr(error, "problem_mark", None)
    lines = content.split("\n")
    line = min(mark.line, len(lines) - 1) if mark else 0
    character = lines[line][mark.column : mark.column + 1] if mark else ""
    if character == "\t":
        return line + 1, "Lines are indented with spaces, and here is a tab."
    for found, sentence in _SENTENCES:
        if found in problem:
            return line + 1, f"The front matter cannot be read. {sentence.format(character=character)}"
    return line + 1, "The front matter cannot be read: it consists of lines 'name: value'."


def repeated(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the line of the file, from 0, and the name of each field that was there before."""
    before: set[str] = set()
    for number, line in enumerate(lines):
        field = _FIELD.fullmatch(line)
        if field and field[1] in before:
            yield number + 1, field[1]
        if field:
            before.add(field[1])
