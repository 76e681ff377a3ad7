"""Marks of Markdown that Markdown has left as they are: what was meant as a link, a formula or emphasis and is none.

The parser turns what it knows into nodes and leaves the rest in the text. So there is one rule: the text of a lesson
holds no mark, unless it stands where it cannot be one, is escaped with a backslash, or is part of code.
"""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_NODE = "\ufffc"  # stands for whatever is no text: code, a formula, an escaped character
_NUMBER = r"[-+\u2212]?(?:\d+(?:[.,]\d+)?|\u221e)"
_MEANT = re.compile(
    rf"[\[(\]]\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*[\])\[]"  # an interval
    r"|\[(?:\.{3}|\u2026)\]"  # something left out
    r"|(?<=[\s\d])\*(?=[\s\d])"  # a product
)
"""Marks that are none."""

_URL = re.compile(r"(?:https?:/|www\.)\S{0,40}")
_RULES = [
    (re.compile(pattern, re.MULTILINE), sentence)
    for pattern, sentence in [
        (r"^\s*\||\|\s*:?-{2,}", "There are no tables: write a list."),
        (r"^\s*[:\uff1a]", "A colon begins no line of a text: an option such as ':check: ...' stands directly below "
         "the first line of its directive, and this begins with three colons, :::{{hint}}."),
        (r"^\s*[#\uff03]+", "A step begins with '## Title', at the left and with a space after the signs."),
        (r"^\s*(?:--|[-+](?![\d.])|[\u2022\u2023\u25aa\u25e6])", "An item of a list begins with '- ', at the left and "
         "with a space."),
        (r"^\s*\d{1,2}[.)](?=[^\W\d_])", "An item of a list begins with '1. ', with a space."),
        (r"^%+\s|^\([\w-]+\)=\s*$", "{found!r} would be shown as it is: a lesson has no comments and no labels."),
        (r"`", "A backtick has no other one: code, and the words of a role, stand between two of them."),
        (r"\{[a-z]+\}", "After {found} its text stands between backticks: {found}`...`."),
        (r"[{}]", "A brace belongs to a role, such as {{key}}`words`: write \\{{ for the sign alone."),
        (r"^\[[ xXvV\u2713\u2717]?\](?!\()", "An answer to choose begins with '- [ ] ' or '- [x] ', spaces included."),
        (
            r"\[[^\[\]\n]*\]?(?: ?[({\[][^\s)}\]]*[)}\]]?)?|\S{0,60}\](?:[({][^\s)}]*[)}]?)?",
            "This is no link: {found!r}. One is written [words](page) or [words](URL); write \\[ for the sign alone.",
        ),
        (
            rf"\$(?:\$[^$]+\$|{_NODE})\$",
            "A formula between two dollar signs on each side has lines of its own: in a sentence it is written $q$.",
        ),
        (r"\$", "A formula stands between two dollar signs, $q$, without spaces at its ends, and here the second is "
         "missing; write \\$ for the sign alone."),
        (r"\\[A-Za-z()]", "LaTeX stands between dollar signs, $q \\cdot k$: here is {found!r} outside of them."),
        (r"\*+", "*Emphasis* and **strong** stand between equal signs, without spaces at their ends: here {found!r} "
         "has no other one. Write \\* for the sign alone."),
        (r"(?<!\w)_+(?=[^\W_])|(?<=[^\W_])_+(?!\w)", "_Emphasis_ stands between equal signs: here {found!r} has no "
         "other one. Write \\_ for the sign alone, or `name` for a name."),
        (r"<[A-Za-z/!?][^<>\s]{0,30}>?", "HTML is not read: {found!r} would be shown as it is. Write \\< for the sign "
         "alone."),
        (r"(?<=\S)\^(?=\S)", "What is raised or lowered is a formula between dollar signs, $x^2$."),
        (r"&#?\w+;", "There is no character {found!r}: write the sign itself."),
        (r"~~|~\w+~|(?<!\S)==(?=\w)", "Words cannot be struck out, marked or lowered: take out {found!r}."),
        (_URL.pattern, "Nobody could follow this: write <https://...> or [words](https://...)."),
        (r"(?<![\w:]):[a-z][a-z_]+:(?![\w:])", "There is no sign {found!r}: write the sign itself."),
    ]
]  # fmt: skip
_PLAIN = re.compile(r"[`{}]|\*\*|\]\(|<[A-Za-z/!]")


def unread(nodes: Sequence[SyntaxTreeNode], skip: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the first mark of each line of a paragraph that was not read, but for the characters at its beginning that
    are known: the line, from 0, and a sentence.
    """
    text = "".join(_text(nodes))
    text = _MEANT.sub(lambda found: _NODE * len(found[0]), " " * skip + text[skip:] if skip else text)
    matches = ((found, sentence) for pattern, sentence in _RULES for found in pattern.finditer(text))
    lines: set[int] = set()
    for found, sentence in sorted(matches, key=lambda one: one[0].start()):
        line = text.count("\n", 0, found.start())
        if line not in lines:
            lines.add(line)
            yield line, sentence.format(found=found[0].strip()[:60])


def not_plain(parser: MarkdownIt, words: str) -> str | None:
    """Return the first mark of Markdown in words that are shown as they are; None where there is none."""
    if found := _PLAIN.search(words):
        return found[0]
    (inline,) = SyntaxTreeNode(parser.parseInline(words)).children
    kinds = [node.type for node in inline.children if node.type not in ("text", "softbreak")]
    return kinds[0].replace("_", " ") if kinds else None


def _text(nodes: Sequence[SyntaxTreeNode]) -> Iterator[str]:
    for node in nodes:
        if node.type == "text":
            yield node.content
        elif node.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif node.type in ("em", "strong", "link"):
            inside = "".join(_text(node.children))
            yield f"{_NODE}{_URL.sub(_NODE, inside) if node.type == 'link' else inside}{_NODE}"
        elif node.type == "text_special" and (node.content.startswith("\\") or node.markup in ("\\(", "\\)")):
            yield node.markup if node.markup in ("\\(", "\\)") else node.content  # these escape nothing: LaTeX
        else:
            yield _NODE
