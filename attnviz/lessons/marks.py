"""Finding markup that the Markdown parser left as text: what was meant as a link, a formula or emphasis but is not.

The parser converts known markup into nodes and leaves the rest in the text. So the rule is that the text of a lesson
contains no marks, except where they cannot be markup, are escaped with a backslash, or are part of code.
"""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_NODE = "\ufffc"  # replaces anything that is not text: code, a formula, an escaped character
_NUMBER = r"[-+\u2212]?(?:\d+(?:[.,]\d+)?|\u221e)"
_MEANT = re.compile(
    rf"[\[(\]]\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*[\])\[]"  # an interval
    r"|\[(?:\.{3}|\u2026)\]"  # something left out
    r"|(?<=[\s\d])\*(?=[\s\d])"  # a product
)
"""Text that looks like marks but is not markup."""

_URL = re.compile(r"(?:https?:/|www\.)\S{0,40}")
_RULES = [
    (re.compile(pattern, re.MULTILINE), sentence)
    for pattern, sentence in [
        (r"^\s*\||\|\s*:?-{2,}", "Tables are not supported: write a list."),
        (r"^\s*[:\uff1a]", "Text must not begin with a colon: an option such as ':check: ...' comes directly below "
         "the first line of its directive, and this begins with three colons, :::{{hint}}."),
        (r"^\s*[#\uff03]+", "A step begins with '## Title', at the left and with a space after the signs."),
        (r"^\s*(?:--|[-+](?![\d.])|[\u2022\u2023\u25aa\u25e6])", "An item of a list begins with '- ', at the left and "
         "with a space."),
        (r"^\s*\d{1,2}[.)](?=[^\W\d_])", "An item of a list begins with '1. ', with a space."),
        (r"^%+\s|^\([\w-]+\)=\s*$", "{found!r} would be shown as text: a lesson has no comments and no labels."),
        (r"`", "A backtick has no partner: code, and the words of a role, are enclosed in two of them."),
        (r"\{[a-z]+\}", "The text after {found} must be in backticks: {found}`...`."),
        (r"[{}]", "Braces are for roles, such as {{key}}`words`: write \\{{ for the sign itself."),
        (r"^\[[ xXvV\u2713\u2717]?\](?!\()", "An answer to choose begins with '- [ ] ' or '- [x] ', spaces included."),
        (
            r"\[[^\[\]\n]*\]?(?: ?[({\[][^\s)}\]]*[)}\]]?)?|\S{0,60}\](?:[({][^\s)}]*[)}]?)?",
            "This is not a link: {found!r}. Write [words](page) or [words](URL), or \\[ for the sign itself.",
        ),
        (
            rf"\$(?:\$[^$]+\$|{_NODE})\$",
            "A formula between double dollar signs needs its own lines: in a sentence write $q$.",
        ),
        (r"\$", "A formula is enclosed in two dollar signs, $q$, without spaces at its ends, and here the second is "
         "missing; write \\$ for a dollar sign."),
        (r"\\[A-Za-z()]", "LaTeX is enclosed in dollar signs, $q \\cdot k$: here {found!r} is outside of them."),
        (r"\*+", "*Emphasis* and **strong** need the same marks on both sides, without spaces: here {found!r} has no "
         "partner. Write \\* for an asterisk."),
        (r"(?<!\w)_+(?=[^\W_])|(?<=[^\W_])_+(?!\w)", "_Emphasis_ needs the same marks on both sides: here {found!r} "
         "has no partner. Write \\_ for an underscore, or `name` for a name."),
        (r"<[A-Za-z/!?][^<>\s]{0,30}>?", "HTML is not supported: {found!r} would be shown as text. Write \\< for the "
         "sign itself."),
        (r"(?<=\S)\^(?=\S)", "Write superscripts and subscripts as a formula between dollar signs, $x^2$."),
        (r"&#?\w+;", "There is no character {found!r}: write the character itself."),
        (r"~~|~\w+~|(?<!\S)==(?=\w)", "Words cannot be struck out, highlighted or lowered: remove {found!r}."),
        (_URL.pattern, "This would not be a link: write <https://...> or [words](https://...)."),
        (r"(?<![\w:]):[a-z][a-z_]+:(?![\w:])", "There is no emoji {found!r}: write the character itself."),
    ]
]  # fmt: skip
_PLAIN = re.compile(r"[`{}]|\*\*|\]\(|<[A-Za-z/!]")


def unread(nodes: Sequence[SyntaxTreeNode], skip: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the first unparsed mark in each line of a paragraph, without its first `skip` characters: the line, from 0,
    and a sentence.
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
    """Return the first Markdown mark in words that are shown as plain text, or None."""
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
            yield node.markup if node.markup in ("\\(", "\\)") else node.content  # these are LaTeX, not escapes
        else:
            yield _NODE
