"""The tables of docs/results.md, README and pages, rendered from the cards: no figure is ever typed by hand."""

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from attnviz import cards
from attnviz.cards import Card, Figure
from attnviz.errors import BadInput
from attnviz.recipes import PAPERS, RECIPES, Paper
from attnviz.recipes.recipe import PaperColumn, PaperFigure, PaperTable, Test

RESAMPLES = 2_000
README = Path(__file__).parent.parent / "README.md"
FULL = README.parent / "docs" / "results.md"
_MARKS = "<!-- results -->", "<!-- end of results -->"
_FIGURES = {"accuracy_one_draw": "accuracy of one draw", "accuracy_mean_path": "accuracy along the means"}
_INTRODUCTION = """\
# Results

Rendered from the cards in `checkpoints/` by `python -m attnviz results --write`.

Models and settings were chosen on validation data, never on test pictures. Next to the models are controls: what the
same pictures give without the mechanism. *Variants* are test pictures rotated by any angle, shifted by up to a tenth
and stretched by up to a fifth, five of each. Bilinear sampling mixes neighbouring pixels, so that grey levels reveal
the rotation; nearest sampling does not. Differences, in points of accuracy, come with the 95 % interval of a bootstrap
over the pictures. `python -m attnviz reproduce PAPER --train` trains what is missing."""


def percent(share: float) -> str:
    """Write a share of 0..1 as a percentage with two digits: 98.86 %."""
    return f"{100 * share:.2f} %"


def said(value: float, unit: str) -> str:
    """Write a number in its unit: a share as a percentage, a count in full, anything else with four digits."""
    if unit == "share":
        return percent(value)
    return f"{value:,.0f}" if unit == "count" else f"{value:,.4g} {unit}"


def spread(figure: Figure) -> str:
    """Write a figure's mean over the seeds, and of several the lowest and highest: 98.96 % (98.81 to 99.05)."""
    if figure.seeds == 1:
        return said(figure.value, figure.unit)
    return _spread(figure.mean, figure.lowest, figure.highest, figure.unit)


def reproduction(paper: Paper) -> str:
    """Return a paper's figures and tables in Markdown, each with ours."""
    return "\n\n".join([*map(compared, paper.figures), *map(beside, paper.tables)])


def compared(figure: PaperFigure) -> str:
    """Return one figure of a paper, ours and the controls on all their tests, and how far apart they are."""
    asked = f", {figure.where}: {said(figure.value, figure.unit)}" if figure.value is not None else ""
    parts = [f"{figure.what}{asked}. Ours:", table(figure.checkpoints)]
    trained = [name for name in figure.checkpoints if _card(name)]
    parts += [comparison(name, trained) for name in figure.compared if name in trained and len(trained) > 1]
    return "\n\n".join(parts)


def beside(given: PaperTable) -> str:
    """Return a paper's table with ours beside each of its columns, a row per model."""
    heads = [head for column in given.columns for head in (f"{column.title}, theirs", "ours")]
    lines = [["Mean over the seeds (lowest to highest)", *heads]]
    for row in given.rows:
        card = _card(row.checkpoint)
        cells = [_title(row.checkpoint, card)]
        for column, value in zip(given.columns, row.values, strict=True):
            cells += ["" if value is None else said(value, column.unit)]
            cells += [_not_trained(row.checkpoint) if card is None else _ours(card, column)]
        lines.append(cells)
    return f"{given.title}.\n\n{_markdown(lines)}"


def table(names: Sequence[str]) -> str:
    """Return a Markdown table of trained models on their tests; a row that was not trained says so, and its cost.

    Args:
        names: of the checkpoints, one per row. There is a column for each figure of each test that a row has.
    """
    found = {name: _card(name) for name in names}
    columns = {key: column for name in names for key, column in _columns(name).items()}
    lines = [
        ["Mean over the seeds (lowest to highest)", *(_head(found.values(), *column) for column in columns.values())]
    ]
    for name, card in found.items():
        own = _columns(name)
        cells = [_cell(name, card, *column) if key in own else "" for key, column in columns.items()]
        lines.append([_title(name, card), *cells])
    return _markdown(lines)


def comparison(name: str, others: Sequence[str]) -> str:
    """Return a Markdown table of how many points of accuracy a model has more than others, on the same test pictures.

    Args:
        name: of the checkpoint; its shipped weights.
        others: the checkpoints to compare with, one per row; those that are not trained are left out.
    """
    card = cards.read(name)
    trained = [found for other in others if other != name and (found := _card(other))]
    tests = [test for test in card.recipe.tests if any(other.figure(test) for other in trained)]
    lines = [[f"`{name}` minus ..., in points", *(words(test) + _few(test) for test in tests)]]
    for other in trained:
        cells = []
        for test in tests:
            one, two = card.figure(test), other.figure(test)
            comparable = one is not None and two is not None and one.right is not None and two.right is not None
            cells.append(_points(*difference(one, two)) if comparable and one and two else "")
        lines.append([f"`{other.name}`", *cells])
    return _markdown(lines)


def by_seed(one: Card, other: Card, test: Test, name: str = "accuracy") -> tuple[float, float, float, int]:
    """Return how much higher one model's figure is than another's, in pairs of trainings of the same seed.

    Returns:
        mean, lowest and highest of the differences, and how many seeds both have.

    Raises:
        BadInput: one of them has no such figure, or not its values per seed, or they have no seed in common.
    """
    values = []
    for card in (one, other):
        figure = card.figure(test, name)
        if figure is None or figure.per_seed is None:
            raise BadInput(f"The card of {card.name} has no {name} per seed on {words(test)}. Train it again.")
        values.append({run.seed: value for run, value in zip(card.runs, figure.per_seed, strict=True)})
    differences = [values[0][seed] - values[1][seed] for seed in values[0] if seed in values[1]]
    if not differences:
        raise BadInput(f"{one.name} and {other.name} have no seed in common: they cannot be compared in pairs.")
    return sum(differences) / len(differences), min(differences), max(differences), len(differences)


@lru_cache(maxsize=1024)
def difference(one: Figure, other: Figure) -> tuple[float, float, float]:
    """Return what share of the same pictures one model answers correctly more than another, with its 95 % interval.

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
    """Return docs/results.md: all tables, paper by paper."""
    papers = [f"## {paper.title}\n\n{paper.source}.\n\n{reproduction(paper)}" for paper in PAPERS.values()]
    return "\n\n".join([_INTRODUCTION, *papers]) + "\n"


def brief() -> str:
    """Return the table of README: the models that the papers name first, each on its data set's test pictures."""
    lines = [["Model", "Test pictures", "Accuracy, mean over the seeds (lowest to highest)"]]
    for name in (name for paper in PAPERS.values() for name in paper.first):
        card = _card(name)
        first, *more = RECIPES[name].tests
        same = [test for test in more if (test.data, test.augmentation) == (first.data, first.augmentation)]
        test = max([first, *same], key=lambda test: test.count or math.inf)
        lines.append([_short(name, card), _head([card], test, "accuracy"), _cell(name, card, test, "accuracy")])
    return _markdown(lines)


def words(test: Test | Figure) -> str:
    """Say what a test measures: "mnist test, variants (bilinear)"."""
    if test.augmentation is None:
        return f"{test.data} {test.split}"
    kinds = [name for name in ("rotation", "shift", "noise", "mirror", "crop") if getattr(test.augmentation, name)]
    transformed = test.augmentation.stretch != (1.0, 1.0) or not set(kinds) <= {"noise", "mirror", "crop"}
    how = f"variants, {' or '.join(test.augmentation.sampling)}" if transformed or not kinds else " and ".join(kinds)
    return f"{test.data} {test.split}, {how}"


def _card(name: str) -> Card | None:
    """Return a card, or None where there is none or it is damaged: the rest of a table is still of use."""
    return cards.readable([name]).get(name)


def _title(name: str, card: Card | None) -> str:
    stored = "" if card is None or cards.weights(name).exists() else f"; no weights here: `{card.command}`"
    return _short(name, card) + stored


def _short(name: str, card: Card | None) -> str:
    seeds = f", {len(card.runs)} seed{'s' * (len(card.runs) > 1)}" if card else ""
    return f"{RECIPES[name].title} (`{name}`){seeds}"


def _columns(name: str) -> dict[str, tuple[Test, str]]:
    """Return the tests of a recipe, each with each of its figures, by a key that tells them apart."""
    asked = [(test, figure) for test in RECIPES[name].tests for figure in test.figures]
    return {
        repr((test.data, test.split, test.augmentation, test.count, figure)): (test, figure) for test, figure in asked
    }


def _few(test: Test) -> str:
    return "" if test.count is None else f", {test.count:,} pictures"


def _head(found: Iterable[Card | None], test: Test, name: str) -> str:
    counts = {figure.count for card in found if card and (figure := card.figure(test, name))}
    counts |= {test.count} if test.count is not None else set()
    said_of = words(test) if name == "accuracy" else f"{_FIGURES.get(name, name.replace('_', ' '))}, {words(test)}"
    return said_of + "".join(f", {count:,} pictures" for count in sorted(counts))


def _cell(name: str, card: Card | None, test: Test, figure: str) -> str:
    if card is None:
        return _not_trained(name)
    found = card.figure(test, figure)
    return spread(found) if found else ""


def _not_trained(name: str) -> str:
    if name in cards.names():
        return "*damaged*"
    cost = RECIPES[name].cost
    return f"*not trained* ({cost})" if cost else "*not trained*"


def _ours(card: Card, column: PaperColumn) -> str:
    if column.of == "parameters":
        return said(card.parameters, column.unit)
    values = [value for run in card.runs if (value := run.kept(column.of)) is not None]
    if values:
        if len(values) == 1:
            return said(values[0], column.unit)
        return _spread(sum(values) / len(values), min(values), max(values), column.unit)
    figure = next((figure for figure in card.figures if figure.name == column.of), None)
    return spread(figure) if figure else ""


def _spread(mean: float, lowest: float, highest: float, unit: str) -> str:
    if unit == "share":
        return f"{percent(mean)} ({100 * lowest:.2f} to {100 * highest:.2f})"
    low, high = (said(value, unit).removesuffix(f" {unit}") for value in (lowest, highest))
    return f"{said(mean, unit)} ({low} to {high})"


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    head, *rows = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, f"| {' | '.join(['---'] * len(lines[0]))} |", *rows])


def _points(value: float, lowest: float, highest: float) -> str:
    return f"{100 * value:+.2f} ({100 * lowest:+.2f} to {100 * highest:+.2f})"


def renewed(readme: str) -> str:
    """Return a README with its table rendered again.

    Raises:
        BadInput: it lacks the two marks between which it stands.
    """
    start, end = _MARKS
    if not 0 <= readme.find(start) < readme.find(end):
        raise BadInput(f"The README needs the lines {start} and {end}: the table goes between them.")
    return re.sub(
        f"{re.escape(start)}.*{re.escape(end)}", lambda _: f"{start}\n\n{brief()}\n\n{end}", readme, flags=re.S
    )
