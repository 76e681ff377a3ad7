"""The tables of docs/results.md and of pages, rendered from the cards: no figure is ever typed by hand."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path

from attnviz import cards, comparisons, formatting, retraining
from attnviz.cards import Card, SeedRun
from attnviz.comparisons import Comparison
from attnviz.looks import one_look
from attnviz.measures.difference import METHOD, NEGLIGIBLE, OF_THE_ERRORS, Difference, Verdict, together
from attnviz.recipes import PAPERS, RECIPES, Paper
from attnviz.recipes.recipe import PaperColumn, PaperFigure, PaperTable, Question, Recipe, Test

FULL = Path(__file__).parents[1] / "docs" / "results.md"
_FIGURES = {"accuracy_one_draw": "accuracy of one draw", "accuracy_mean_path": "accuracy along the means"}
_AT_A_LENGTH = re.compile(r"_(\d+)$")
_INTRODUCTION = f"""\
# Results

Rendered from the cards in `checkpoints/` by `python -m attnviz results --write`.

Next to the models are controls: what the same pictures give without the mechanism. Tables say what differs between
a model and its control, by comparing their recipes. Weights and settings were chosen on validation pictures, never on
test pictures, except for the models marked *no validation part*.

A difference is that of the means over all seeds, in points of accuracy. Its 95 % interval is from
{METHOD}:

    variance = V1 / S1 + V2 / S2 + W / N - R1 / (S1 N) - R2 / (S2 N)

V is the variance of the means of the S seeds of a side, W that of the differences of the N pictures between the means
over seeds, and R the mean square of the residuals of a side, which V and W both contain. Where the sum is below W / N,
W / N takes its place. A model beside itself with a part replaced is one side, of the differences seed by seed.

A model is *better* or *worse* where the interval does not contain 0, and *within the margin* where all of the interval
lies within a margin: {OF_THE_ERRORS:.0%} of the mean error of the two, at most {100 * NEGLIGIBLE:g} points. All else is
*not decided*; so are comparisons without an interval, where one side was trained once or its card does not hold what
each seed answered. Verdicts of a table are corrected for the number of its comparisons (Holm); intervals are not.
A model that draws where it looks answers with the mean over ten draws from what it has learnt, its control with ten
random ones, unless the table speaks of one path.
Minutes of a training by the clock, where core-minutes were not measured, include waiting for other work.

*Variants* are test pictures rotated by any angle, shifted by up to a tenth and stretched by up to a fifth, five of
each. Bilinear sampling mixes neighbouring pixels, so that grey levels reveal the rotation; nearest sampling does not.
[results.csv](results.csv) holds every figure of every model, on all its tests and with parts of it replaced;
`python -m attnviz reproduce PAPER` prints them model by model, and with `--train` trains what is missing."""
_DIFFERENCE = "Difference in points (95 % interval over seeds and pictures)"


@one_look()
def verdicts(questions: Iterable[Question]) -> str:
    """Return a Markdown table with a row for each question: with the mechanism, without it, and which is better.

    Args:
        questions: which models are compared, and with what; of those that are not trained the row says so.
    """
    lines = [["With the mechanism", "Without it", _DIFFERENCE, "Verdict", "What differs"]]
    for question, found, verdict in answered(questions):
        if found is None:
            card, test = _card(question.checkpoint), comparisons.main_test(RECIPES[question.checkpoint])
            on_test = f", on {formatting.words(test)}" if card else ""
            here = f"{_short(question.checkpoint, card)}{on_test}: {_cell(question.checkpoint, card, test, 'accuracy')}"
            lines.append([here, _absent(question), "", "**not decided**", ""])
        else:
            difference, *rest = judged(found, verdict)
            lines.append([*sides(found, question.what), difference + longer(question), *rest])
    return formatting.table(lines)


def sides(found: Comparison, what: str = "") -> tuple[str, str]:
    """Return what the two sides of a comparison are and what each reaches, as Markdown."""
    one, other = found.figures
    asked = f", {what}" if what else ""
    instead = f"The same, {found.replaced}" if found.replaced else _short(found.other.name, found.other)
    return (
        f"{_short(found.one.name, found.one)}{asked}, on {formatting.words(one)}: {formatting.spread(one)}",
        f"{instead}: {formatting.spread(other)}",
    )


def judged(found: Comparison, verdict: Verdict | None = None) -> tuple[str, str, str]:
    """Return a comparison's difference in points, its verdict, and what differs and how long a training takes, as
    Markdown.

    Args:
        found: the comparison.
        verdict: of it among others, see `attnviz.measures.difference.together`; by default of it alone.
    """
    difference = found.difference
    words = decided(difference, verdict or difference.verdict)
    differs = [*found.differs, *filter(None, [found.cost])]
    return formatting.points(difference), words, "; ".join(differs) or "nothing"


def decided(difference: Difference, verdict: Verdict) -> str:
    """Return a verdict in Markdown, with the margin where all is within it, and what it would be alone."""
    words = f"**{verdict}**"
    if verdict == "within the margin":
        words += f" of {100 * difference.margin:.2g} points"
    return words if verdict == difference.verdict else f"{words} (alone: {difference.verdict})"


def _together(found: Sequence[Comparison | None]) -> list[Verdict]:
    """Return a verdict for each row of a table, all together; for a row without comparison one of no meaning."""
    verdicts = iter(together([one.difference for one in found if one]))
    return ["not decided" if one is None else next(verdicts) for one in found]


def answered(questions: Iterable[Question]) -> list[tuple[Question, Comparison | None, Verdict]]:
    """Return the questions of a table with what is compared and the verdicts, which hold for all of them together.

    Args:
        questions: of all rows.

    Returns:
        For each its comparison, None where there is none yet; then the verdict is "not decided".
    """
    asked = [(question, comparisons.answered(question)) for question in questions]
    verdicts = _together([found for _, found in asked])
    return [(question, found, verdict) for (question, found), verdict in zip(asked, verdicts, strict=True)]


def longer(question: Question) -> str:
    """Return what the difference is where both were trained for longer, as the end of a cell; "" where none was."""
    found = comparisons.with_control(question.longer) if question.longer else None
    if found is None:
        return ""
    short, long = RECIPES[question.checkpoint].epochs, found.one.recipe.epochs
    return f"; trained {long / short:g} times as long: {formatting.points(found.difference)}"


@one_look()
def answer(figure: PaperFigure) -> str:
    """Return one table for a question: each model on its main test, its control, and which is better."""
    lines = [["Model", "Accuracy", "Its control", _DIFFERENCE, "Verdict", "What differs"]]
    found_of = {name: comparisons.with_control(name) for name in figure.checkpoints}
    for (name, found), verdict in zip(found_of.items(), _together([*found_of.values()]), strict=True):
        card, test = _card(name), comparisons.main_test(RECIPES[name])
        accuracy = _cell(name, card, test, "accuracy")
        tested = f"{accuracy}, {formatting.words(test)}" if accuracy and card else accuracy
        if found and not found.figures[0].measures(test, "accuracy"):
            tested += f"; compared on {formatting.words(found.figures[0])}: {formatting.spread(found.figures[0])}"
        lines.append([_short(name, card), tested, _control(name), *(judged(found, verdict) if found else ("", "", ""))])
    return formatting.table(lines)


def finding(verdicts: Iterable[Verdict]) -> str:
    """Say how often the models of a question are better than their controls, in Markdown.

    Args:
        verdicts: of each model that has a trained control.
    """
    found = Counter(verdicts)
    count = found.total()
    if not count:
        return "**Not known yet**: no model of this question has a trained control."
    rest = [
        f"{found['worse']} worse" if found["worse"] else "",
        f"{found['within the margin']} within the margin" if found["within the margin"] else "",
        f"{found['not decided']} not decided" if found["not decided"] else "",
    ]
    others = "; ".join(filter(None, rest))
    what = "model is better than its control" if count == 1 else "models are better than their controls"
    return f"**{found['better']} of {count} {what}**" + (f"; {others}." if others else ".")


@one_look()
def verdicts_of(figure: PaperFigure) -> list[Verdict]:
    """Return the verdict of each model of a question that has a trained control, corrected for their number."""
    found = (comparisons.with_control(name) for name in figure.checkpoints)
    return together([one.difference for one in found if one])


@one_look()
def reproduction(paper: Paper) -> str:
    """Return a paper's figures and tables in Markdown, each with ours."""
    told = filter(None, [paper.note, how_chosen(paper.checkpoints)])
    return "\n\n".join([*told, *map(compared, paper.figures), *map(beside, paper.tables)])


def how_chosen(names: Iterable[str]) -> str:
    """Return a Markdown list of how the settings of some models were chosen, where their recipes say so.

    Args:
        names: of the checkpoints; those of one sentence share a line.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(RECIPES[name].chosen, []).append(f"`{name}`")
    groups.pop("", None)
    lines = [f"- {', '.join(those)}: {said}" for said, those in groups.items()]
    return "\n".join(["How the settings were chosen:", "", *lines]) if lines else ""


@one_look()
def compared(figure: PaperFigure) -> str:
    """Return one figure of a paper, ours and the controls on all their tests, and how far apart they are."""
    parts = [f"{_asked(figure)} Ours:", table(figure.checkpoints)]
    trained = [name for name in figure.checkpoints if _card(name)]
    parts += [comparison(name, trained) for name in figure.compared if name in trained and len(trained) > 1]
    return "\n\n".join(parts)


@one_look()
def beside(given: PaperTable) -> str:
    """Return a paper's table with ours beside each of its columns, a row per model."""
    heads = [head for column in given.columns for head in (f"{column.title}, theirs", "ours")]
    lines = [["Mean over the seeds (lowest to highest)", *heads]]
    for row in given.rows:
        card = _card(row.checkpoint)
        cells = [_title(row.checkpoint, card)]
        for column, value in zip(given.columns, row.values, strict=True):
            cells += ["" if value is None else formatting.quantity(value, column.unit)]
            cells += [_not_trained(row.checkpoint) if card is None else _ours(card, column)]
        lines.append(cells)
    return f"{given.title}.\n\n{formatting.table(lines)}"


@one_look()
def table(names: Sequence[str]) -> str:
    """Return a Markdown table of trained models on their tests; a row that was not trained says so, and its cost.

    What was measured at several lengths ("digits_15") follows in tables of its own, with a column for each length.

    Args:
        names: of the checkpoints, one per row. There is a column for each figure of each test that a row has.
    """
    cards_here = cards.readable(names)
    found = {name: cards_here.get(name) for name in names}
    absent = {name: _not_trained(name) for name, card in found.items() if card is None}
    columns = {key: one for name in names for key, one in _columns(name).items() if not _AT_A_LENGTH.search(one[1])}
    lines = [
        ["Mean over the seeds (lowest to highest)", *(_head(found.values(), *column) for column in columns.values())]
    ]
    for name, card in found.items():
        own = _columns(name)
        cells = [
            "" if key not in own else absent[name] if name in absent else _cell(name, card, *column)
            for key, column in columns.items()
        ]
        lines.append([_title(name, card), *cells])
    return "\n\n".join([formatting.table(lines), *_by_length([card for card in found.values() if card])])


def _by_length(trained: Sequence[Card]) -> list[str]:
    """Return a table for each test with figures at several lengths: a row for each model and what was measured."""
    measured: dict[str, dict[str, dict[int, str]]] = {}  # test -> model and figure -> length -> cell
    for card in trained:
        for figure in card.figures:
            at = _AT_A_LENGTH.search(figure.name)
            if at:
                test = f"{formatting.words(figure)}, {figure.count:,} pictures of each length"
                row = f"{card.recipe.title} (`{card.name}`), {_seeds(card.runs)}: {figure.name[: at.start()]}"
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
    """Return a Markdown table of how many points of accuracy a model has more than others, over all seeds.

    Args:
        name: of the checkpoint.
        others: the checkpoints to compare with, one per row; those that are not trained are left out.
    """
    card = cards.read(name)
    trained = [found for other in others if other != name and (found := _card(other))]
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
def everything() -> str:
    """Return docs/results.md: a verdict for each mechanism, then a table for each question of the papers."""
    further = [question for paper in PAPERS.values() for question in paper.questions]
    parts = [_INTRODUCTION, "## With and without", verdicts(first(PAPERS))]
    parts += ["## Further comparisons", verdicts(further)] if further else []
    pairs = retraining.pairs()
    parts += ["## Does an ablation predict a retraining?", *retraining.in_words(pairs)] if pairs else []
    for paper in PAPERS.values():
        parts += [f"## {paper.title}", f"{paper.source}.", *filter(None, [paper.note, how_chosen(paper.checkpoints)])]
        for figure in paper.figures:
            found = verdicts_of(figure)
            parts += [f"{_asked(figure)} {finding(found)}" if found else _asked(figure), answer(figure)]
        parts += map(beside, paper.tables)
    return "\n\n".join(parts) + "\n"


@one_look()
def every_figure() -> str:
    """Return docs/results.csv: every figure of every card of ours, also with a part of the model replaced."""
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
    """Say which models have other data, variants or epochs than one of them, and what differs; nothing if none has.

    Args:
        names: of the checkpoints that stand beside it.
        like: the checkpoint that they are compared with.
    """
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
    """Say which of some models had no validation part, and of which the statistics were renewed; nothing if none.

    Args:
        names: of the checkpoints.
    """
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


def first(papers: Iterable[str]) -> list[Question]:
    """Return what the results of some papers begin with: questions of each mechanism.

    Args:
        papers: names in PAPERS; others are left out.
    """
    return [question for paper in papers if paper in PAPERS for question in PAPERS[paper].first]


def _asked(figure: PaperFigure) -> str:
    value = f": {formatting.quantity(figure.value, figure.unit)}" if figure.value is not None else ""
    return f"{figure.what}, {figure.where}{value}."


def _absent(question: Question) -> str:
    name = question.control or RECIPES[question.checkpoint].control
    if not name:
        return ""
    card = _card(name)
    return _short(name, card) + ("" if card else f": {_not_trained(name)}")


def _card(name: str) -> Card | None:
    """Return a card, or None where there is none or it is damaged: the rest of a table is still of use."""
    return cards.readable([name]).get(name)


def _control(name: str) -> str:
    """Return the control of a checkpoint, with its seeds where it is trained; nothing where it has none."""
    control = RECIPES[name].control
    if control is None:
        return ""
    card = _card(control)
    return f"`{control}`" + (f", {_seeds(card.runs)}" if card else "")


def _seeds(runs: Sequence[SeedRun]) -> str:
    return f"{len(runs)} seed{'s' * (len(runs) > 1)}"


def _title(name: str, card: Card | None) -> str:
    stored = "" if card is None or cards.has_weights(name) else f"; no weights here: `{card.command}`"
    return _short(name, card) + stored


def _short(name: str, card: Card | None) -> str:
    recipe = RECIPES[name]
    seeds = [_seeds(card.runs)] if card else []
    return ", ".join([f"{recipe.title} (`{name}`)", *seeds, *formatting.marks(recipe)])


def _columns(name: str) -> dict[str, tuple[Test, str]]:
    """Return the tests of a recipe, each with each of its figures, by a distinct key."""
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


def _cell(name: str, card: Card | None, test: Test, figure: str) -> str:
    if card is None:
        return _not_trained(name)
    found = card.figure(test, figure)
    return formatting.spread(found) if found else ""


def _not_trained(name: str) -> str:
    """Say that there are no figures of a checkpoint, and why."""
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
