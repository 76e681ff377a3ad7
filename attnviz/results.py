"""The tables of README and pages, rendered from the cards: no figure is ever typed by hand."""

import re
from collections.abc import Sequence
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
    """Write a figure with its spread: 98.86 % (98.72 to 98.96, 5 seeds)."""
    return (
        f"{percent(figure.mean)} ({100 * figure.lowest:.2f} to {100 * figure.highest:.2f}, "
        f"{figure.seeds} seed{'s' if figure.seeds > 1 else ''})"
    )


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
    tests = list(dict.fromkeys((test.data, test.split) for name in names for test in RECIPES[name].tests))
    columns = [[f"{data}, {split}" for data, split in tests], ["---"] * len(tests)]
    for name in names:
        card = cards.read(name) if name in cards.names() else None
        columns.append([_cell(card, data, split) for data, split in tests])
    firsts = ["", "---", *(f"{RECIPES[name].title} (`{name}`)" for name in names)]
    return "\n".join(f"| {' | '.join([first, *cells])} |" for first, cells in zip(firsts, columns, strict=True))


def everything() -> str:
    """Return all tables, paper by paper."""
    return "\n\n".join(f"**{paper.title}** ({paper.source}): {reproduction(paper)}" for paper in PAPERS.values())


def _cell(card: Card | None, data: str, split: str) -> str:
    if card is None:
        return "*not trained*"
    figure = next((figure for figure in card.figures if (figure.data, figure.split) == (data, split)), None)
    return f"{spread(figure)}; {figure.count:,} pictures" if figure else ""


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
