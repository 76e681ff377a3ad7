"""The URL fields of a component's view, declared once and written in the same way by Python and by the browser.

    FIELDS = Fields(Field("query", "place"), Field("head", "head", 0), Field("show", "choice", "weights", SHOWN))
    FIELDS.read({"query": "5,8"})                          # {"query": [4, 7]}
    FIELDS.write({"query": [4, 7], "head": 0})             # {"query": "5,8", "head": None, "show": None}

Numbers count from 0 in a view and from 1 in the URL, which people read. The browser receives the declaration with the
component's data, and `frontend/core/url_fields.js` writes links from it. tests/javascript/url_words.json contains
examples of every kind, with which both sides are tested.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """A kind of value for a URL field: it converts a word to its value, or None for an invalid word, and a value to its
    word.
    """

    read: Callable[[str], Any]
    write: Callable[[Any], str]


@dataclass(frozen=True)
class Field:
    """One field of the URL.

    Args:
        name: name in the URL and in the view.
        kind: kind of its value, a name in KINDS. "choice": one of the options; "text": any word; "place": [row,
            column]; "number": an integer; "head": a number or "mean"; "yes_no": True or False; "float": a number. A
            component can add kinds of its own.
        default: the value if the URL does not contain the field.
        options: the options of a choice.
    """

    name: str
    kind: str
    default: Any = None
    options: tuple[str, ...] = ()

    def read(self, word: str) -> Any:
        """Return the value of a word in the URL, or an invalid word unchanged, so that others can report it."""
        found = KINDS[self.kind].read(word)
        return word if found is None else found

    def write(self, value: Any) -> str | None:
        """Return the URL word of a value, or None for the default, which the URL omits."""
        return None if value == self.default else KINDS[self.kind].write(value)


class Fields:
    """All fields of a view, in the order of a link."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self.defaults: dict[str, Any] = {field.name: field.default for field in fields}

    def read(self, words: Mapping[str, str]) -> dict[str, Any]:
        """Return the part of a view that the URL contains, ignoring words of other fields."""
        return {field.name: field.read(words[field.name]) for field in self.fields if field.name in words}

    def write(self, view: Mapping[str, Any]) -> dict[str, str | None]:
        """Return a view, completed with defaults, as fields of the URL; None for a default, which is omitted."""
        return {field.name: field.write(view.get(field.name, field.default)) for field in self.fields}

    def complete(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return a view with the defaults of missing fields."""
        return {**self.defaults, **view}

    def declared(self) -> list[dict[str, Any]]:
        """Return the declaration for the browser, which can be written as JSON."""
        return [{"name": f.name, "kind": f.kind, "default": f.default, "options": [*f.options]} for f in self.fields]


def place(word: str) -> list[int] | None:
    """Return the row and column, from 0, of the word "row,column", which counts from 1; None for an invalid word."""
    found = re.fullmatch(r"(\d{1,6}),(\d{1,6})", word, re.ASCII)
    return [int(part) - 1 for part in found.groups()] if found else None


def _number(word: str) -> int | None:
    return int(word) - 1 if re.fullmatch(r"\d{1,6}", word, re.ASCII) else None


def numbers(word: str, together: int) -> list[list[int]] | None:
    """Return the tuples of numbers, from 0, of a URL word such as "1.3,2.1", which counts from 1; None if invalid."""
    one = r"\d{1,6}" + r"\.\d{1,6}" * (together - 1)
    if not re.fullmatch(f"{one}(,{one})*", word, re.ASCII):
        return None
    return [[int(number) - 1 for number in part.split(".")] for part in word.split(",")]


def dotted(tuples: Iterable[Sequence[int]]) -> str:
    """Return the word for tuples of numbers, which `numbers` reads."""
    return ",".join(".".join(str(number + 1) for number in one) for one in tuples)


def _float(word: str) -> float | None:
    return float(word) if re.fullmatch(r"\d{1,4}(\.\d{1,20})?(e-?\d{1,2})?", word, re.ASCII) else None


def _plainly(word: str) -> str:
    return word


KINDS: dict[str, Kind] = {
    "choice": Kind(_plainly, str),
    "text": Kind(_plainly, str),
    "place": Kind(place, lambda place: ",".join(str(part + 1) for part in place)),
    "number": Kind(_number, lambda number: str(number + 1)),
    "head": Kind(
        lambda word: word if word == "mean" else _number(word), lambda head: head if head == "mean" else str(head + 1)
    ),
    "yes_no": Kind({"yes": True, "no": False}.get, lambda yes: "yes" if yes else "no"),
    "float": Kind(_float, str),
}
"""The kinds of values; a component adds its own here and to `KINDS` of `url_fields.js`."""
