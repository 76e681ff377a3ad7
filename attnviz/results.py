"""The tables of README and pages, rendered from the cards: no figure is ever typed by hand."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from attnviz import cards
from attnviz.cards import Card, Figure
from attnviz.errors import BadInput
from attnviz.recipes import PAPERS, RECIPES, Paper
from attnviz.recipes.recipe import PaperFigure, Test

RESAMPLES = 2_000
README = Path(__file__).parent.parent / "README.md"
_MARKS = "<!-- results -->", "<!-- end of results -->"


def percent(share: float) -> str:
    """Write a share of 0..1 as a percentage with two digits: 98.86 %."""
    return f"{100 * share:.2f} %"


def spread(figure: Figure) -> str:
    """Write a figure's mean over the seeds, and of several the lowest and highest: 98.96 % (98.81 to 99.05)."""
    if figure.seeds == 1:
        return percent(figure.value)
    return f"{percent(figure.mean)} ({100 * figure.lowest:.2f} to {100 * figure.highest:.2f})"


def reproduction(paper: Paper) -> str:
    """Return a paper's figures in Markdown, each with our tables."""
    return "\n\n".join(compared(figure) for figure in paper.figures)


def compared(figure: PaperFigure) -> str:
    """Return one figure of a paper, ours and the controls on all their tests, and how far apart they are."""
    asked = f", {figure.where}: {percent(figure.value)}" if figure.value is not None else ""
    parts = [f"{figure.what}{asked}. Ours:", table(figure.checkpoints)]
    parts += [comparison(name, figure.checkpoints) for name in figure.compared if name in cards.names()]
    return "\n\n".join(parts)


def table(names: Sequence[str]) -> str:
    """Return a Markdown table of trained models on the tests of the first; a row that was not trained says so.

    Args:
        names: of the checkpoints, one a row.
    """
    found = {name: cards.read(name) if name in cards.names() else None for name in names}
    tests = RECIPES[names[0]].tests
    lines = [["Mean over the seeds (lowest to highest)", *(_head(found.values(), test) for test in tests)]]
    lines.append(["---"] * len(lines[0]))
    for name, card in found.items():
        seeds = f", {len(card.runs)} seed{'s' * (len(card.runs) > 1)}" if card else ""
        lines.append([f"{RECIPES[name].title} (`{name}`){seeds}", *(_cell(card, test) for test in tests)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def comparison(name: str, others: Sequence[str]) -> str:
    """Return a Markdown table of how many points of accuracy a model has more than others, on the same test pictures.

    Args:
        name: of the checkpoint; its shipped weights.
        others: the checkpoints to compare with, one a row; those that are not trained are left out.
    """
    card = cards.read(name)
    trained = [cards.read(other) for other in others if other != name and other in cards.names()]
    tests = [test for test in card.recipe.tests if any(other.figure(test) for other in trained)]
    lines = [[f"Points that `{name}` has more than", *map(words, tests)], ["---"] * (len(tests) + 1)]
    for other in trained:
        cells = []
        for test in tests:
            one, two = card.figure(test), other.figure(test)
            cells.append("" if one is None or two is None else _points(*difference(one, two)))
        lines.append([f"`{other.name}`", *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@lru_cache(maxsize=1024)
def difference(one: Figure, other: Figure) -> tuple[float, float, float]:
    """Return how much more of the same pictures one model answers rightly than another, with its 95 % interval.

    The interval is that of the bootstrap: pictures are drawn again, with replacement, as many as there are; all
    variants of a picture are drawn together.

    Args:
        one, other: figures of the same test.

    Returns:
        difference of the shares, lowest, highest; each -1..1.

    Raises:
        BadInput: they are not of the same pictures.
    """
    if (one.data, one.split, one.count, one.augmentation) != (other.data, other.split, other.count, other.augmentation):
        raise BadInput(f"{words(one)} and {words(other)} are not the same pictures: they cannot be compared.")
    rights = [figure.unpacked().reshape(figure.draws, -1).mean(0) for figure in (one, other)]
    values, counts = np.unique(rights[0] - rights[1], return_counts=True)
    pictures = counts.sum()  # only how often each value is drawn matters: this is the same as drawing pictures
    drawn = np.random.default_rng(0).multinomial(pictures, counts / pictures, RESAMPLES) @ values / pictures
    lowest, highest = np.quantile(drawn, (0.025, 0.975))
    return float(values @ counts / pictures), float(lowest), float(highest)


def everything() -> str:
    """Return all tables, paper by paper."""
    return "\n\n".join(f"**{paper.title}** ({paper.source}): {reproduction(paper)}" for paper in PAPERS.values())


def words(test: Test | Figure) -> str:
    """Say what a test measures: "mnist test, variants (bilinear)"."""
    if test.augmentation is None:
        return f"{test.data} {test.split}"
    kinds = [name for name in ("rotation", "shift", "noise") if getattr(test.augmentation, name)]
    how = "noise" if kinds == ["noise"] else f"variants, {' or '.join(test.augmentation.sampling)}"
    return f"{test.data} {test.split}, {how}"


def _head(found: Iterable[Card | None], test: Test) -> str:
    counts = {figure.count for card in found if card and (figure := card.figure(test))}
    return words(test) + "".join(f", {count:,} pictures" for count in sorted(counts))


def _cell(card: Card | None, test: Test) -> str:
    if card is None:
        return "*not trained*"
    figure = card.figure(test)
    return spread(figure) if figure else ""


def _points(value: float, lowest: float, highest: float) -> str:
    return f"{100 * value:+.2f} ({100 * lowest:+.2f} to {100 * highest:+.2f})"


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
