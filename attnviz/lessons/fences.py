"""Directives and blocks of code that are never closed: found line by line, before Markdown is read.

Markdown lets them go on to the end, or to the end of the next one, and everything in between is lost.
"""

import re
from collections.abc import Iterator

_OPENS = re.compile(r" {0,3}(:{3,})[ \t]*\{?([\w-]+).*")
_CLOSES = re.compile(r" {0,3}(:{3,})[ \t]*")
_CODE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def unclosed(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line, from 0, at which each unclosed directive or block of code begins, and a sentence."""
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
