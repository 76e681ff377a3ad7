"""Results as a plot, for every mechanism: dots with intervals next to the controls, and the numbers one click away."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from attnviz import cards, comparisons, data, formatting, result_tables, results
from attnviz.card import Card
from attnviz.charts.dots import Dot, dots
from attnviz.charts.tables import Line, Side
from attnviz.recipes import PAPERS, RECIPES, Paper, Recipe
from attnviz.ui.mechanisms import MECHANISMS, Mechanism, is_control
from attnviz.ui.shared import cache, url_state
from attnviz.ui.shared.reserved import container_key
from attnviz.ui.shared.wording import without_shared_start

ACCURACY = "test accuracy, %"
MOST_SHOWN, BEST = 5, 2  # rows next to a net; if there are more, the BEST with the mechanism and the BEST controls
MOST_SAID = 2  # maximum number of differences between two trainings in a row of the table
PAGE = "85_results.py"  # the page with the results of all mechanisms
EXPLORER = "explorer"  # the URL of the page that shows every model


@dataclass(frozen=True)
class Task:
    """The task that models are compared on: a data set, and the labels to distinguish."""

    source: str
    classes: tuple[int, ...]

    @property
    def title(self) -> str:
        """The title: "MNIST" or, with only some of its classes, "MNIST, 1 and 8"."""
        spec = data.DATASETS[self.source]
        if len(self.classes) == len(spec.classes):
            return spec.title
        return f"{spec.title}, {' and '.join(spec.classes[label] for label in sorted(self.classes))}"

    @property
    def word(self) -> str:
        """The URL field: "mnist" or, with only some of its classes, "mnist-1-8"."""
        some = [] if len(self.classes) == len(data.DATASETS[self.source].classes) else sorted(self.classes)
        return "-".join([self.source, *map(str, some)])


def leads_to(name: str) -> str | None:
    """Return the relative URL of the page that shows a model: its mechanism's page, or the explorer for a control
    without one; None if its weights are not here.
    """
    if name not in RECIPES or not cards.has_weights(name):
        return None
    row = next((row for row in MECHANISMS.values() if RECIPES[name].model in row.models), None)
    return f"{row.url if row else EXPLORER}?{urlencode({'v': url_state.VERSION, 'model': name})}"


def verdicts(row: Mechanism) -> list[Line]:
    """Return the verdicts on a mechanism: the questions that the results begin with, whether for or against it.

    The list is empty if none of the mechanism's papers begins with one of its models, or none of those is trained.
    """
    lines = []
    for question, found, decided in results.answered(results.first(PAPERS)):
        name = question.checkpoint
        card = cards.readable([name]).get(name)
        if RECIPES[name].model not in row.models or card is None:
            continue
        if found is None:
            figure = card.figure(comparisons.main_test(card.recipe))
            accuracy = formatting.percent(figure.mean) if figure else ""
            one = Side(card.recipe.title, accuracy, _seeds(card), leads_to(name))
            lines.append(Line(row.title, row.url, one, None, "", "no control yet"))
            continue
        one, other = (
            Side(side.recipe.title, formatting.percent(figure.mean), _seeds(side), leads_to(side.name))
            for side, figure in zip((found.one, found.other), found.figures, strict=True)
        )
        differs = [part for part in found.differs if not part.startswith("in the network")]
        difference = formatting.points(found.difference).replace("*", "")
        later = [results.longer(question).removeprefix("; ").replace("*", "")] if question.longer else []
        if len(differs) > MOST_SAID:  # docs/results.md lists them
            differs = [differs[0], f"{len(differs) - 1} settings"]
        lines.append(Line(row.title, row.url, one, other, difference, decided, [*later, *differs, found.cost]))
    return lines


def _seeds(card: Card) -> str:
    """Return a model's data set and number of seeds, and whether it lacks a validation part."""
    count = "one seed" if len(card.runs) == 1 else f"{len(card.runs)} seeds"
    return f"{data.DATASETS[card.recipe.data].title}, {count}" + ", no validation part" * (
        card.recipe.validation is None
    )


def claimed(papers: Sequence[str]) -> dict[str, float]:
    """Return checkpoint -> the test accuracy, 0..1, that a paper reports in a table, or in a figure's first row.

    Only accuracies on the same pictures as ours count: the unchanged test part of a published data set. Accuracies on
    generated pictures, such as rotated or cluttered digits, or on similar data are reported in words instead.
    """
    found: dict[str, float | None] = {}
    for paper in (PAPERS[name] for name in papers if name in PAPERS):
        tested = [figure for figure in paper.figures if figure.unit == "share" and figure.tested]
        found |= {figure.checkpoints[0]: figure.value for figure in tested}
        for table in paper.tables:
            places = [place for place, column in enumerate(table.columns) if column.of == "accuracy"]
            found |= {row.checkpoint: row.values[place] for place in places for row in table.rows}
    return {name: value for name, value in found.items() if value is not None and _published(RECIPES[name])}


def _published(recipe: Recipe) -> bool:
    """Return whether a model's main test is the unchanged test part of a published data set."""
    test = comparisons.main_test(recipe)
    as_they_are = test.augmentation is None and test.split == "test" and test.count is None
    return as_they_are and data.DATASETS[test.data].made_from is None


def of(names: Sequence[str], controls: Collection[str], claims: dict[str, float], source: str) -> list[Dot]:
    """Return the accuracies, in percent, of the trained models among `names` on a data set's test pictures.

    Models that are not measured on these pictures are left out. The `claims`, from `claimed`, are added only on the
    data set that a model was trained on.
    """
    found = []
    for name, card in cards.readable(names).items():
        tests = [test for test in card.recipe.tests if test.data == source and test.augmentation is None]
        measured = [figure for test in tests if (figure := card.figure(test))]
        figure = max(measured, key=lambda one: one.count, default=None)
        if not figure:
            continue
        mean, lowest, highest = (100 * part for part in (figure.mean, figure.lowest, figure.highest))
        found.append(
            Dot(
                card.recipe.title,
                mean,
                lowest,
                highest,
                figure.seeds,
                control=card.recipe.model in controls or is_control(card.recipe.model, card.config),
                parameters=card.parameters,
                claimed=100 * claims[name] if name in claims and source == card.recipe.data else None,
                link=leads_to(name),
            )
        )
    return found


def show(
    names: Sequence[str],
    controls: Collection[str],
    papers: Sequence[str],
    source: str,
    *,
    key: str,
    like: str | None = None,
) -> None:
    """Draw the results of recipes, trained or not, on a data set, with the papers' accuracies; the numbers are one
    click away.

    `like` is the recipe of the model that is shown: models trained differently are pointed out, and if there are many
    rows, it and the best are drawn, the others one click away.
    """
    wanted = tuple(name for name in names if any(test.data == source for test in RECIPES[name].tests))
    given = (wanted, tuple(controls), tuple(papers), source)
    found = cache.of_checkpoints(drawn, *given, like)
    if not found.rows:
        st.caption(f"None of these models has been trained and tested on {data.DATASETS[source].title} yet.")
        return
    with st.container(key=container_key(found.rows, key)):
        st.markdown(found.picture, unsafe_allow_html=True)
    if found.caveats:
        st.caption(found.caveats)
    label = f"All {found.among} models, and the numbers" if found.among > found.rows else "The numbers"
    opened = st.expander(label, key=f"numbers_of_{key}", on_change="rerun")
    if opened.open:
        if found.among > found.rows:
            everything = cache.of_checkpoints(drawn, *given, None)
            opened.markdown(everything.picture, unsafe_allow_html=True)
            opened.caption(everything.caveats)
        for part in cache.of_checkpoints(numbers, wanted, tuple(papers), like if like in RECIPES else None):
            opened.markdown(part)


@dataclass(frozen=True)
class Drawn:
    """Results, ready to be shown.

    Args:
        rows, among: How many models are drawn, and how many have been trained and tested.
        picture: The picture of the drawn models, in HTML.
        caveats: Caveats about these models, in Markdown; "" if there are none.
    """

    rows: int
    among: int
    picture: str
    caveats: str


def drawn(
    names: Sequence[str], controls: Collection[str], papers: Sequence[str], source: str, like: str | None
) -> Drawn:
    """Return the results of the recipes tested on a data set; the arguments are those of `show`."""
    everything = of(names, controls, claimed(papers), source)
    chosen = everything if like is None else best_of(everything, RECIPES[like].title if like else "")
    titles, rows = {row.name for row in chosen}, shortened(chosen)
    if not rows:
        return Drawn(0, 0, "", "")
    chance = 100 / len(data.DATASETS[source].classes)
    picture = dots(rows, axis=ACCURACY, chance=chance if any(row.lowest < 2 * chance for row in rows) else None)
    caveats = result_tables.caveats([name for name in _trained(names) if RECIPES[name].title in titles])
    return Drawn(len(rows), len(everything), picture, caveats)


def best_of(rows: Sequence[Dot], title: str) -> list[Dot]:
    """Return all rows if few, or else that of `title`, the best with the mechanism, and the best of the controls."""
    if len(rows) <= MOST_SHOWN:
        return [*rows]
    kept = {row.name for row in rows if row.name == title}
    for control in (False, True):
        those = sorted((row for row in rows if row.control is control), key=lambda row: -row.mean)
        kept |= {row.name for row in those[:BEST]}
    return [row for row in rows if row.name in kept]


def numbers(names: Sequence[str], papers: Sequence[str], like: str | None) -> list[str]:
    """Return the numbers of the results as parts in Markdown; the arguments are those of `show`."""
    otherwise = result_tables.trained_otherwise(_trained(names), like) if like else ""
    given = (from_paper(PAPERS[name], names) for name in papers if name in PAPERS)
    return [*filter(None, [otherwise]), result_tables.table(names), *("\n\n".join(one) for one in given if one)]


def from_paper(paper: Paper, names: Collection[str]) -> list[str]:
    """Return a paper's title and its results for some models, one paragraph each, or [] if it reports none of them."""
    figures = [one for one in paper.figures if set(one.checkpoints) & set(names)]
    tables = [one for one in paper.tables if {row.checkpoint for row in one.rows} & set(names)]
    if not figures and not tables:
        return []
    found = [f"**{paper.title}**, {paper.source}:"]
    for given in figures:
        if given.value is not None:
            where = f"{given.what}, {given.where}" if given.where else given.what
            found.append(f"{where}: {formatting.quantity(given.value, given.unit)}.")
    return found + [result_tables.beside(one) for one in tables]


def shortened(rows: Sequence[Dot]) -> list[Dot]:
    """Return rows without the words that all their names begin with; see `without_shared_start`."""
    names = without_shared_start([row.name for row in rows])
    return [replace(row, name=name) for row, name in zip(rows, names, strict=True)]


def groups(row: Mechanism) -> dict[Task, list[str]]:
    """Return task -> the mechanism's recipes tested on it, followed by all mechanisms' controls."""
    return _groups(row.models)


def _groups(models: Sequence[str]) -> dict[Task, list[str]]:
    found: dict[Task, list[str]] = {}
    for wanted in (models, _controls()):
        for name, recipe in RECIPES.items():
            if recipe.model not in wanted:
                continue
            sources = dict.fromkeys(test.data for test in recipe.tests if test.augmentation is None)
            for task in [Task(source, recipe.classes) for source in sources]:
                if task in found or wanted is models:
                    found.setdefault(task, []).append(name)
    return found


def of_mechanism(
    row: Mechanism,
    task: Task,
    *,
    key: str,
    like: str | None = None,
    compared: Callable[[Recipe], bool] | None = None,
) -> None:
    """Draw the results of a mechanism and of the controls on one task, with the numbers one click away.

    Controls trained on the same picture variants are drawn. If there are none, or on the page of all results, so are
    controls trained on unmodified pictures. If no model of the mechanism is trained, a sentence says so.

    With `like`, the net that is shown, its variants count, and only models trained on the task's data set are drawn; by
    default all models tested on it are. `compared` selects the recipes to draw.
    """
    like = like if like in RECIPES else "" if like else None
    names = cache.of_checkpoints(_beside, row.models, task, like, compared)
    if names:
        show(names, _controls(), row.papers, task.source, key=key, like=like)
    else:
        st.caption(f"No model with this mechanism has been trained on {task.title} yet.")


def _beside(
    models: Sequence[str], task: Task, like: str | None, compared: Callable[[Recipe], bool] | None
) -> list[str]:
    """Return the recipes to draw with the recipe `like` ("" if unknown, None if no net is shown), or [] if no model is
    trained.
    """
    names, trained = _groups(models).get(task, []), set(cards.names())
    if compared:
        names = [name for name in names if compared(RECIPES[name])]
    if like is not None:
        names = [name for name in names if RECIPES[name].data == task.source]
    own = [name for name in names if RECIPES[name].model in models]
    if not trained & set(own):
        return []
    variants = [RECIPES[name].augmentation for name in ([like] if like else own)]
    others = [name for name in names if name not in own and RECIPES[name].augmentation in variants]
    if like is not None and trained & set(others):
        return own + others
    beside: list[str] = []
    for model in dict.fromkeys(RECIPES[name].model for name in names if name not in own):
        its = [name for name in names if RECIPES[name].model == model]
        same = [name for name in its if RECIPES[name].augmentation in variants]
        plain = [name for name in its if RECIPES[name].augmentation is None]
        beside += next((found for found in (same, plain) if trained & set(found)), its)
    return own + beside


def _trained(names: Sequence[str]) -> list[str]:
    return [name for name in names if cards.is_there(name)]


def _controls() -> list[str]:
    return list(dict.fromkeys(model for row in MECHANISMS.values() for model in row.controls))
