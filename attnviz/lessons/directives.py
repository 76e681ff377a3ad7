"""Directives: parsing them, and finding directives and blocks of code that are never closed.

In Markdown an unclosed block continues to the end, or to the end of the next one, and everything in between is lost. So
unclosed blocks are found line by line, before Markdown is parsed.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from attnviz.errors import closest

DIRECTIVES = {  # name -> its options
    "view": ("frame",),
    "exercise": ("check", "number", "within"),
    "hint": (),
    "solution": ("view",),
    "keypoints": (),
}
_OPTION = re.compile(r":([a-z_-]+):(?:[ \t]+(.*))?")
_OPENS = re.compile(r" {0,3}(:{3,})[ \t]*\{?([\w-]+).*")
_CLOSES = re.compile(r" {0,3}(:{3,})[ \t]*")
_CODE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


@dataclass
class Directive:
    """A directive; `lines` holds the lines of its options, and `body` is the line at which its text begins."""

    name: str
    argument: str
    options: Mapping[str, str]
    lines: Mapping[str, int]
    nodes: list[SyntaxTreeNode]
    line: int
    body: int


def read(node: SyntaxTreeNode, parser: MarkdownIt, complain: Callable[[int, str], None]) -> Directive | None:
    """Return the directive of a node, or None if it is not one; `complain` receives lines, from 0, and sentences."""
    line = node.map[0] if node.map else 0
    found = re.fullmatch(r"\{([\w-]+)\}(?:\s+(.*))?", node.info.strip())
    if not found or found[1] not in DIRECTIVES:
        name = found[1][:40] if found else node.info.strip()[:40]
        meant = closest(name.strip("{} \t"), DIRECTIVES)
        if found:
            complain(line, f"There is no directive {name!r}. {meant}")
        else:
            complain(line, f"A directive begins with :::{{name}}, not with {name!r}. {meant}")
        return None
    name, allowed, argument = found[1], DIRECTIVES[found[1]], found[2] or ""
    if argument and name != "view":
        complain(line, f"Nothing may follow :::{{{name}}} on its line: write {argument[:40]!r} into the lines below.")
    lines, options, places = node.content.split("\n"), {}, {}
    count = 0
    for count, one in enumerate(lines):  # noqa: B007 -- the count is used below
        option = _OPTION.fullmatch(one.strip())
        named = re.match(r"\s*:?\s*([A-Za-z_-]+)", one)
        if not option and (one.lstrip().startswith(":") or (named and f"{named[1]}:" in one and named[1] in allowed)):
            complain(line + 1 + count, f"An option is ':name: value', with a space, not {one.strip()[:40]!r}.")
            continue
        if not option:
            break
        if option[1] in options:
            complain(line + 1 + count, f"The option {option[1][:40]} occurs twice: keep one of them.")
        options[option[1]], places[option[1]] = (option[2] or "").strip(), line + 1 + count
        if option[1] not in allowed:
            known: Collection[str] = allowed or ("none",)
            complain(places[option[1]], f"{name} has no option {option[1][:40]!r}. {closest('', known)}")
        elif not options[option[1]]:
            complain(places[option[1]], f"The option {option[1]} needs a value: ':{option[1]}: ...'.")
    else:
        count = len(lines)
    if not (node.content + " ").strip() and name != "view":
        complain(line, f"The directive {name} is empty.")
    body = "\n".join(lines[count:])
    nodes = SyntaxTreeNode(parser.parse(body)).children
    return Directive(name, argument, options, places, nodes, line, line + 1 + count)


def unclosed(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line, from 0, of each unclosed directive or block of code, and a sentence."""
    directive: tuple[int, str, int] | None = None  # the line that opened it, its name, and its colons
    code: tuple[int, str] | None = None  # the line that opened it, and its mark
    for number, line in enumerate(text.split("\n")):
        mark = _CODE.fullmatch(line)
        if code:
            if mark and mark[1][0] == code[1][0] and len(mark[1]) >= len(code[1]) and not mark[2].strip():
                code = None
            elif directive and _closes(line, directive[2]):  # the directive ends, and the code with it
                yield code[0], f"This block of code is never closed: end it with a line {code[1]!r}."
                code = directive = None
            continue
        opens = _OPENS.fullmatch(line)
        if mark:
            code = number, mark[1]
        elif opens:
            if directive:
                yield (
                    directive[0],
                    f"The {directive[1]} that begins here is not closed before line {number + 1}, where the "
                    f"{opens[2]} begins: end it with a line {':' * directive[2]!r}.",
                )
            directive = number, opens[2], len(opens[1])
        elif directive and _closes(line, directive[2]):
            directive = None
    if code:
        yield code[0], f"This block of code is never closed: end it with a line {code[1]!r}."
    if directive:
        end = ":" * directive[2]
        yield directive[0], f"The {directive[1]} that begins here is never closed: end it with a line {end!r}."


def _closes(line: str, colons: int) -> bool:
    found = _CLOSES.fullmatch(line)
    return found is not None and len(found[1]) >= colons
