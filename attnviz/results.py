"""The tables of docs/results.md and of pages, rendered from the cards: no figure is typed by hand."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from attnviz import comparisons, formatting, retraining
from attnviz.comparisons import Comparison
from attnviz.looks import one_look
from attnviz.measures.difference import METHOD, NEGLIGIBLE, OF_THE_ERRORS, Difference, Verdict, together
from attnviz.recipes import PAPERS, RECIPES
from attnviz.recipes.paper import PaperFigure, Question
from attnviz.result_tables import beside, card_of, cell, count_of_seeds, how_chosen, not_trained, question_of, short

FULL = Path(__file__).parents[1] / "docs" / "results.md"
_INTRODUCTION = f"""\
# Results

Rendered from the cards in `checkpoints/` by `python -m attnviz results --write`.

Each model is compared with a control, trained on the same pictures without the mechanism. The tables list what
differs between the two recipes. Weights and settings were chosen on validation pictures, never on test pictures, except
for the models marked *no validation part*.

A difference is the difference of the means over all seeds, in points of accuracy. Its 95 % interval comes from
{METHOD}:

    variance = V1 / S1 + V2 / S2 + W / N - R1 / (S1 N) - R2 / (S2 N)

V is the variance of the means of the S seeds of a side, W the variance over the N pictures of the differences between
the two means over seeds, and R the mean square of the residuals of a side, which V and W both contain. If the sum is
below W / N, W / N is used instead. A model compared with itself after a part was replaced counts as one side: the
differences seed by seed.

A model is *better* or *worse* if the interval does not contain 0, and *within the margin* if the whole interval lies
within a margin: {OF_THE_ERRORS:.0%} of the mean error of the two, at most {100 * NEGLIGIBLE:g} points. Everything else
is *not decided*, including comparisons without an interval: one side was trained once, or its card does not contain the
answers of each seed. Verdicts in a table are corrected for the number of its comparisons (Holm); intervals are not.
A model that samples where to look averages its answers over ten draws from its learnt policy, and its control over ten
random draws, unless the table mentions one path.
If core-minutes were not measured, minutes are those of the clock and include waiting for other work.

*Variants* are test pictures rotated by any angle, shifted by up to a tenth and stretched by up to a fifth, five per
picture. Bilinear sampling mixes neighbouring pixels, so grey levels reveal the rotation; nearest sampling does not.
[results.csv](results.csv) contains every figure of every model, on all its tests and with parts of it replaced;
`python -m attnviz reproduce PAPER` prints them model by model, and with `--train` trains what is missing."""
_DIFFERENCE = "Difference in points (95 % interval over seeds and pictures)"


@one_look()
def verdicts(questions: Iterable[Question]) -> str:
    """Return a Markdown table with a row for each question: with the mechanism, without it, and which is better, or
    that a model is not trained.
    """
    lines = [["With the mechanism", "Without it", _DIFFERENCE, "Verdict", "What differs"]]
    for question, found, verdict in answered(questions):
        if found is None:
            card, test = card_of(question.checkpoint), comparisons.main_test(RECIPES[question.checkpoint])
            on_test = f", on {formatting.words(test)}" if card else ""
            here = f"{short(question.checkpoint, card)}{on_test}: {cell(question.checkpoint, card, test, 'accuracy')}"
            lines.append([here, _absent(question), "", "**not decided**", ""])
        else:
            difference, *rest = judged(found, verdict)
            lines.append([*sides(found, question.what), difference + longer(question), *rest])
    return formatting.table(lines)


def sides(found: Comparison, what: str = "") -> tuple[str, str]:
    """Return the two sides of a comparison, each with its figure, as Markdown."""
    one, other = found.figures
    asked = f", {what}" if what else ""
    instead = f"The same, {found.replaced}" if found.replaced else short(found.other.name, found.other)
    return (
        f"{short(found.one.name, found.one)}{asked}, on {formatting.words(one)}: {formatting.spread(one)}",
        f"{instead}: {formatting.spread(other)}",
    )


def judged(found: Comparison, verdict: Verdict | None = None) -> tuple[str, str, str]:
    """Return, as Markdown, a comparison's difference in points, its verdict (the one given, corrected by
    `difference.together`, or by default its own), and what differs, with the training times.
    """
    difference = found.difference
    words = decided(difference, verdict or difference.verdict)
    differs = [*found.differs, *filter(None, [found.cost])]
    return formatting.points(difference), words, "; ".join(differs) or "nothing"


def decided(difference: Difference, verdict: Verdict) -> str:
    """Return a verdict in Markdown, with the margin if it is "within the margin", and the uncorrected verdict."""
    words = f"**{verdict}**"
    if verdict == "within the margin":
        words += f" of {100 * difference.margin:.2g} points"
    return words if verdict == difference.verdict else f"{words} (alone: {difference.verdict})"


def _together(found: Sequence[Comparison | None]) -> list[Verdict]:
    """Return a verdict for each row of a table, corrected for their number, or "not decided" without a comparison."""
    verdicts = iter(together([one.difference for one in found if one]))
    return ["not decided" if one is None else next(verdicts) for one in found]


def answered(questions: Iterable[Question]) -> list[tuple[Question, Comparison | None, Verdict]]:
    """Return the questions of a table with their comparisons and their joint verdicts; a question without a comparison
    yet has None and "not decided".
    """
    asked = [(question, comparisons.answered(question)) for question in questions]
    verdicts = _together([found for _, found in asked])
    return [(question, found, verdict) for (question, found), verdict in zip(asked, verdicts, strict=True)]


def longer(question: Question) -> str:
    """Return the difference after longer trainings of both, as the end of a cell, or "" if there are none."""
    found = comparisons.with_control(question.longer) if question.longer else None
    if found is None:
        return ""
    short, long = RECIPES[question.checkpoint].epochs, found.one.recipe.epochs
    return f"; trained {long / short:g} times as long: {formatting.points(found.difference)}"


@one_look()
def answer(figure: PaperFigure) -> str:
    """Return the table of a question: each model on its main test, its control, and which is better."""
    lines = [["Model", "Accuracy", "Its control", _DIFFERENCE, "Verdict", "What differs"]]
    found_of = {name: comparisons.with_control(name) for name in figure.checkpoints}
    for (name, found), verdict in zip(found_of.items(), _together([*found_of.values()]), strict=True):
        card, test = card_of(name), comparisons.main_test(RECIPES[name])
        accuracy = cell(name, card, test, "accuracy")
        tested = f"{accuracy}, {formatting.words(test)}" if accuracy and card else accuracy
        if found and not found.figures[0].measures(test, "accuracy"):
            tested += f"; compared on {formatting.words(found.figures[0])}: {formatting.spread(found.figures[0])}"
        lines.append([short(name, card), tested, _control(name), *(judged(found, verdict) if found else ("", "", ""))])
    return formatting.table(lines)


def finding(verdicts: Iterable[Verdict]) -> str:
    """Return in Markdown how many models of a question are better than their control, if that is trained."""
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
    """Return the verdict for each model of a question with a trained control, corrected for their number."""
    found = (comparisons.with_control(name) for name in figure.checkpoints)
    return together([one.difference for one in found if one])


@one_look()
def everything() -> str:
    """Return the text of docs/results.md: a verdict for each mechanism, then a table for each question of papers."""
    further = [question for paper in PAPERS.values() for question in paper.questions]
    parts = [_INTRODUCTION, "## With and without", verdicts(first(PAPERS))]
    parts += ["## Further comparisons", verdicts(further)] if further else []
    pairs = retraining.pairs()
    parts += ["## Does an ablation predict a retraining?", *retraining.in_words(pairs)] if pairs else []
    for paper in PAPERS.values():
        about = " ".join([f"{paper.source}.", paper.note]).rstrip()
        parts += [f"## {paper.title}", about, *filter(None, [how_chosen(paper.checkpoints)])]
        for figure in paper.figures:
            found = verdicts_of(figure)
            parts += [f"{question_of(figure)} {finding(found)}" if found else question_of(figure), answer(figure)]
        parts += map(beside, paper.tables)
    return "\n\n".join(parts) + "\n"


def first(papers: Iterable[str]) -> list[Question]:
    """Return the questions with which the results of papers begin; names that are not in PAPERS are skipped."""
    return [question for paper in papers if paper in PAPERS for question in PAPERS[paper].first]


def _absent(question: Question) -> str:
    name = question.control or RECIPES[question.checkpoint].control
    if not name:
        return ""
    card = card_of(name)
    return short(name, card) + ("" if card else f": {not_trained(name)}")


def _control(name: str) -> str:
    """Return the control of a checkpoint, with its seeds if it is trained, or "" if there is no control."""
    control = RECIPES[name].control
    if control is None:
        return ""
    card = card_of(control)
    return f"`{control}`" + (f", {count_of_seeds(card.runs)}" if card else "")
