"""The tables of README and pages, rendered from the cards: no figure is ever typed by hand."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from attnviz import cards
from attnviz.cards import Card, Figure
from attnviz.errors import BadInput
from attnviz.recipes import PAPERS, RECIPES, Paper

README = Path(__file__).parent.parent / "README.md"
_MARKS = "<!-- results -->", "<!-- end of results -->"


def percent(share: float) -> str:
    """Write a share of 0..1 as a percentage with two digits: 98.86 %."""
    return f"{100 * share:.2f} %"


def spread(figure: Figure) -> str:
    """Write a figure's mean over the seeds, with the lowest and the highest: 98.96 % (98.81 to 99.05)."""
    return f"{percent(figure.mean)} ({100 * figure.lowest:.2f} to {100 * figure.highest:.2f})"


def reproduction(paper: Paper) -> str:
    """Return a paper's figures in Markdown, each with a table of ours and of the controls on all their tests."""
    return "\n\n".join(
        f"{figure.what}, {figure.where}: {percent(figure.value)}. Ours:\n\n{table(figure.checkpoints)}"
        for figure in paper.figures
    )


def table(names: Sequence[str]) -> str:
    """Return a Markdown table of trained models on their tests; a row that was not trained says so.

    Args:
        names: of the checkpoints, one a row.
    """
    found = {name: cards.read(name) if name in cards.names() else None for name in names}
    tests = list(dict.fromkeys((test.data, test.split) for name in names for test in RECIPES[name].tests))
    lines = [["Mean over the seeds (lowest to highest)", *(_head(found.values(), *test) for test in tests)]]
    lines.append(["---"] * len(lines[0]))
    for name, card in found.items():
        seeds = f", {len(card.runs)} seeds" if card else ""
        lines.append([f"{RECIPES[name].title} (`{name}`){seeds}", *(_cell(card, *test) for test in tests)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def everything() -> str:
    """Return all tables, paper by paper."""
    return "\n\n".join(f"**{paper.title}** ({paper.source}): {reproduction(paper)}" for paper in PAPERS.values())


def _head(found: Iterable[Card | None], data: str, split: str) -> str:
    counts = {figure.count for card in found if card and (figure := card.figure(data, split))}
    return f"{data} {split}" + "".join(f", {count:,} pictures" for count in sorted(counts))


def _cell(card: Card | None, data: str, split: str) -> str:
    if card is None:
        return "*not trained*"
    figure = card.figure(data, split)
    return spread(figure) if figure else ""


def renewed(readme: str) -> str:
    """Return a README with its tables rendered again.

    Raises:
        BadInput: it lacks the two marks between which they stand.
    """
    start, end = _MARKS
    if not 0 <= readme.find(start) < readme.find(end):
        raise BadInput(f"The README needs the lines {start} and {end}: the tables go between them.")
    return re.sub(
        f"{re.escape(start)}.*{re.escape(end)}", lambda _: f"{start}\n\n{everything()}\n\n{end}", readme, flags=re.S
    )
