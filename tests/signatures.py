"""Counts the signatures that know a checkpoint on a picture of a data set, instead of a subject.

python -m tests.signatures

Listed per file of attnviz/ and pages/: how many functions have an argument that is annotated with `Card`, and how many
have both an argument `source` and an argument `number`.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Counts(NamedTuple):
    """File -> how many of its signatures there are of either kind; files without one are left out."""

    takes_card: Counter[str]
    takes_source_and_number: Counter[str]


@cache
def count() -> Counts:
    """Return the counts of all files."""
    found = Counts(Counter(), Counter())
    for path in sorted([*(ROOT / "attnviz").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]):
        name = path.relative_to(ROOT).as_posix()
        card, pair = count_in(path.read_text("utf-8"))
        found.takes_card.update({name: card} if card else {})
        found.takes_source_and_number.update({name: pair} if pair else {})
    return found


def count_in(code: str) -> tuple[int, int]:
    """Return how many signatures of some code take a card, and how many take a source and a number."""
    each = [list(arguments(node)) for node in ast.walk(ast.parse(code)) if isinstance(node, FUNCTIONS)]
    cards = sum(any(names_card(argument.annotation) for argument in one) for one in each)
    pairs = sum({"source", "number"} <= {argument.arg for argument in one} for one in each)
    return cards, pairs


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[ast.arg]:
    """Yield every argument of a function."""
    own = function.args
    yield from (*own.posonlyargs, *own.args, *own.kwonlyargs)
    yield from (one for one in (own.vararg, own.kwarg) if one is not None)


def names_card(annotation: ast.expr | None) -> bool:
    """Return whether an annotation names `Card`, plainly, quoted, or inside another type."""
    if annotation is None:
        return False
    each = list(ast.walk(annotation))
    names = {node.id for node in each if isinstance(node, ast.Name)}
    names |= {node.attr for node in each if isinstance(node, ast.Attribute)}
    names |= {word for node in each if isinstance(node, ast.Constant) for word in re.findall(r"\w+", str(node.value))}
    return "Card" in names


def main() -> None:
    """Write both counts per file to the standard output."""
    for what, counts in zip(("take a Card", "take source and number"), count(), strict=True):
        lines = [f"  {number:3}  {name}\n" for name, number in counts.most_common()]
        sys.stdout.writelines([f"{counts.total()} signatures {what}\n", *lines])


if __name__ == "__main__":
    main()
