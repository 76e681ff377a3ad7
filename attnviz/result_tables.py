"""Tables of figures for pages and for docs/results.csv, rendered from the cards."""

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO

from attnviz import cards, comparisons, formatting
from attnviz.card import Card, SeedRun
from attnviz.looks import one_look
from attnviz.measures.difference import METHOD
from attnviz.recipes import RECIPES, Paper
from attnviz.recipes.paper import PaperColumn, PaperFigure, PaperTable
from attnviz.recipes.recipe import Recipe, Test

_FIGURES = {"accuracy_one_draw": "accuracy of one draw", "accuracy_mean_path": "accuracy along the means"}

_AT_A_LENGTH = re.compile(r"_(\d+)$")


@one_look()
def reproduction(paper: Paper) -> str:
    """Return a paper's figures and tables in Markdown, each next to ours."""
    told = filter(None, [paper.note, how_chosen(paper.checkpoints)])
    return "\n\n".join([*told, *map(compared, paper.figures), *map(beside, paper.tables)])


def how_chosen(names: Iterable[str]) -> str:
    """Return a Markdown list of how the settings of models were chosen, if their recipes tell. Models with the same
    sentence share a line.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(RECIPES[name].chosen, []).append(f"`{name}`")
    groups.pop("", None)
    lines = [f"- {', '.join(those)}: {said}" for said, those in groups.items()]
    return "\n".join(["How the settings were chosen:", "", *lines]) if lines else ""


@one_look()
def compared(figure: PaperFigure) -> str:
    """Return a figure of a paper, ours and the controls on all their tests, and their differences."""
    parts = [f"{question_of(figure)} Ours:", table(figure.checkpoints)]
    trained = [name for name in figure.checkpoints if card_of(name)]
    parts += [comparison(name, trained) for name in figure.compared if name in trained and len(trained) > 1]
    return "\n\n".join(parts)


@one_look()
def beside(given: PaperTable) -> str:
    """Return a paper's table with our figures next to each of its columns, and a row per model."""
    heads = [head for column in given.columns for head in (f"{column.title}, theirs", "ours")]
    lines = [["Mean over the seeds (lowest to highest)", *heads]]
    for row in given.rows:
        card = card_of(row.checkpoint)
        cells = [_title(row.checkpoint, card)]
        for column, value in zip(given.columns, row.values, strict=True):
            cells += ["" if value is None else formatting.quantity(value, column.unit)]
            cells += [not_trained(row.checkpoint) if card is None else _ours(card, column)]
        lines.append(cells)
    return f"{given.title}.\n\n{formatting.table(lines)}"


@one_look()
def table(names: Sequence[str]) -> str:
    """Return a Markdown table of models on their tests, with a column for each figure. The row of an untrained model
    contains its cost instead.

    Figures at several lengths ("digits_15") follow in separate tables, with a column for each length.
    """
    cards_here = cards.readable(names)
    found = {name: cards_here.get(name) for name in names}
    absent = {name: not_trained(name) for name, card in found.items() if card is None}
    columns = {key: one for name in names for key, one in _columns(name).items() if not _AT_A_LENGTH.search(one[1])}
    lines = [
        ["Mean over the seeds (lowest to highest)", *(_head(found.values(), *column) for column in columns.values())]
    ]
    for name, card in found.items():
        own = _columns(name)
        cells = [
            "" if key not in own else absent[name] if name in absent else cell(name, card, *column)
            for key, column in columns.items()
        ]
        lines.append([_title(name, card), *cells])
    return "\n\n".join([formatting.table(lines), *_by_length([card for card in found.values() if card])])


def _by_length(trained: Sequence[Card]) -> list[str]:
    """Return a table for each test with figures at several lengths: a row for each model and kind of figure."""
    measured: dict[str, dict[str, dict[int, str]]] = {}  # test -> model and figure -> length -> cell
    for card in trained:
        for figure in card.figures:
            at = _AT_A_LENGTH.search(figure.name)
            if at:
                test = f"{formatting.words(figure)}, {figure.count:,} pictures of each length"
                row = f"{card.recipe.title} (`{card.name}`), {count_of_seeds(card.runs)}: {figure.name[: at.start()]}"
                measured.setdefault(test, {}).setdefault(row, {})[int(at[1])] = formatting.spread(figure)
    tables = []
    for test, rows in measured.items():
        lengths = sorted({length for row in rows.values() for length in row})
        lines = [[f"By length: {test}", *map(str, lengths)]]
        lines += [[title, *(row.get(length, "") for length in lengths)] for title, row in rows.items()]
        tables.append(formatting.table(lines))
    return tables


@one_look()
def comparison(name: str, others: Sequence[str]) -> str:
    """Return a Markdown table of a model's lead over others in points of accuracy, over all seeds. Untrained models are
    left out.
    """
    card = cards.read(name)
    trained = [found for other in others if other != name and (found := card_of(other))]
    rows = {other.name: [comparisons.compared(card, other, test) for test in card.recipe.tests] for other in trained}
    here = [place for place in range(len(card.recipe.tests)) if any(row[place] for row in rows.values())]
    tests = [formatting.words(card.recipe.tests[place]) + _few(card.recipe.tests[place]) for place in here]
    lines = [[f"`{name}` minus ..., in points", *tests, "Seeds", "What differs"]]
    for other, row in rows.items():
        cells = [formatting.points(at.difference) if (at := row[place]) else "" for place in here]
        known = next(filter(None, row), None)
        seeds = " and ".join(map(str, known.difference.seeds)) if known else ""
        lines.append([f"`{other}`", *cells, seeds, "; ".join(known.differs) or "nothing" if known else ""])
    return f"{formatting.table(lines)}\n\nIntervals of 95 %, not corrected for their number: {METHOD}."


@one_look()
def every_figure() -> str:
    """Return the text of docs/results.csv: every figure of our cards, including those with a part replaced."""
    written = StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(
        ["checkpoint", "title", "replaced", "figure", "test", "pictures", "unit", "seeds", "mean", "lowest", "highest",
         "shipped", "answers of each seed"]
    )  # fmt: skip
    for name, card in cards.readable([name for name in cards.names() if not cards.is_kept(name)]).items():
        whole = [("", figure) for figure in card.figures]
        parts = [(one.title, figure) for one in card.ablations for figure in one.figures]
        for replaced, figure in whole + parts:
            numbers = (f"{value:.6g}" for value in (figure.mean, figure.lowest, figure.highest, figure.value))
            rows.writerow(
                [name, card.recipe.title, replaced, figure.name, formatting.words(figure), figure.count, figure.unit,
                 figure.seeds, *numbers, "yes" if figure.answers() is not None else "no"]
            )  # fmt: skip
    return written.getvalue()


def trained_otherwise(names: Iterable[str], like: str) -> str:
    """Return a sentence on which checkpoints differ from `like` in data, variants or epochs, and how, or ""."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        groups.setdefault(comparisons.trained_differently(like, name, budget=True), []).append(RECIPES[name].title)
    said = [
        f"{', '.join(f'*{title}*' for title in titles)} ({'; '.join(differs)})"
        for differs, titles in groups.items()
        if differs
    ]
    return f"Not trained like *{RECIPES[like].title}*: {'; '.join(said)}." if said else ""


def caveats(names: Iterable[str]) -> str:
    """Return which models had no validation part, and whose statistics were renewed, or "" if there are none."""
    recipes = [RECIPES[name] for name in names]
    without = [recipe for recipe in recipes if recipe.validation is None]
    chosen = [recipe for recipe in recipes if recipe.validation is not None]
    renewed = [recipe for recipe in recipes if recipe.keep == "renewed"]
    said = []
    if without and not chosen:
        said.append("None of these models had a validation part.")
    elif without and len(chosen) < len(without):
        said.append(f"Only {_titles(chosen)} had a validation part.")
    elif without:
        said.append(f"No validation part: {_titles(without)}.")
    if renewed:
        short = dict.fromkeys(f"*{recipe.title.partition(': ')[0]}*" for recipe in renewed)  # "Model A: 8 heads, ..."
        said.append(f"The running statistics of {', '.join(short)} were renewed after training, unlike the paper's.")
    return " ".join(said)


def _titles(recipes: Iterable[Recipe]) -> str:
    return ", ".join(f"*{recipe.title}*" for recipe in recipes)


def question_of(figure: PaperFigure) -> str:
    value = f": {formatting.quantity(figure.value, figure.unit)}" if figure.value is not None else ""
    return f"{figure.what}, {figure.where}{value}."


def card_of(name: str) -> Card | None:
    """Return a card, or None if it does not exist or is damaged: the rest of a table is still useful."""
    return cards.readable([name]).get(name)


def count_of_seeds(runs: Sequence[SeedRun]) -> str:
    return f"{len(runs)} seed{'s' * (len(runs) > 1)}"


def _title(name: str, card: Card | None) -> str:
    stored = "" if card is None or cards.has_weights(name) else f"; no weights here: `{card.command}`"
    return short(name, card) + stored


def short(name: str, card: Card | None) -> str:
    recipe = RECIPES[name]
    seeds = [count_of_seeds(card.runs)] if card else []
    return ", ".join([f"{recipe.title} (`{name}`)", *seeds, *formatting.marks(recipe)])


def _columns(name: str) -> dict[str, tuple[Test, str]]:
    """Return the tests of a recipe, each with the name of one of its figures, by a unique key."""
    asked = [(test, figure) for test in RECIPES[name].tests for figure in test.figures]
    return {
        repr((test.data, test.split, test.augmentation, test.count, figure)): (test, figure) for test, figure in asked
    }


def _few(test: Test) -> str:
    return "" if test.count is None else f", {test.count:,} pictures"


def _head(found: Iterable[Card | None], test: Test, name: str) -> str:
    counts = {figure.count for card in found if card and (figure := card.figure(test, name))}
    counts |= {test.count} if test.count is not None else set()
    what = "" if name == "accuracy" else f"{_FIGURES.get(name, name.replace('_', ' '))}, "
    return what + formatting.words(test) + "".join(f", {count:,} pictures" for count in sorted(counts))


def cell(name: str, card: Card | None, test: Test, figure: str) -> str:
    if card is None:
        return not_trained(name)
    found = card.figure(test, figure)
    return formatting.spread(found) if found else ""


def not_trained(name: str) -> str:
    """Return the cell of a checkpoint without figures, with the reason."""
    if cards.is_there(name):
        return "*damaged*"
    cost = RECIPES[name].cost
    return f"*not trained* ({cost})" if cost else "*not trained*"


def _ours(card: Card, column: PaperColumn) -> str:
    if column.of == "parameters":
        return formatting.quantity(card.parameters, column.unit)
    values = [value for run in card.runs if (value := run.kept(column.of)) is not None]
    if values:
        if len(values) == 1:
            return formatting.quantity(values[0], column.unit)
        return formatting.mean_of(sum(values) / len(values), min(values), max(values), column.unit)
    figure = next((figure for figure in card.figures if figure.name == column.of), None)
    return formatting.spread(figure) if figure else ""
