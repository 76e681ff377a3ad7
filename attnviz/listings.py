"""The lists of the command line: models, recipes, papers, checkpoints, data sets, runs, jobs, searches and folders, as
lines or as JSON.

JSON is a list of objects. Each has `name` and `line`, the text printed next to the name; further fields depend on the
list. An entry that cannot be read has `error` instead of them.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attnviz import cards, checkpoint_folder, data, formatting, paths
from attnviz.errors import AttnvizError
from attnviz.recipes import PAPERS, RECIPES
from attnviz.training import runs

Row = dict[str, Any]


def lines(rows: Iterable[Row], as_json: bool, width: int, empty: str) -> Iterator[str]:
    """Yield a line for each row, with its `name` (padded to `width`) and `line`, or one line of JSON. If there are no
    rows, yield `empty`, which tells users what to do.
    """
    if as_json:
        yield json.dumps(list(rows))
        return
    none = True
    for row in rows:
        none = False
        yield f"{row['name']:{width}} {row['line']}"
    if none:
        yield empty


def models() -> Iterator[Row]:
    """Yield the architectures: `title`, `source` and the names of the `recipes`."""
    from attnviz.models import MODELS

    for name, spec in MODELS.items():
        recipes = [known.name for known in RECIPES.values() if known.model == name]
        line = f"{spec.title}. {spec.source}. Recipes: {', '.join(recipes)}."
        yield {"name": name, "line": line, "title": spec.title, "source": spec.source, "recipes": recipes}


def recipes() -> Iterator[Row]:
    """Yield the recipes: `title`, `model`, `data`, and whether a checkpoint is `trained`."""
    trained = set(cards.names())
    for name, its in RECIPES.items():
        there = name in trained
        line = f"{its.title} ({its.data}, {'trained' if there else 'not trained'})"
        yield {
            "name": name, "line": line, "title": its.title, "model": its.model, "data": its.data, "trained": there,
        }  # fmt: skip


def papers() -> Iterator[Row]:
    """Yield the papers with figures to compare: `title`, `source` and the names of the `checkpoints`."""
    for name, its in PAPERS.items():
        line = f"{its.title} ({its.source})"
        yield {
            "name": name, "line": line, "title": its.title, "source": its.source, "checkpoints": list(its.checkpoints),
        }  # fmt: skip


def checkpoints() -> Iterator[Row]:
    """Yield the trained models: `parameters`, the shipped `seed`, all `seeds`, and `figures`."""
    yield from _each(cards.names(), _checkpoint)


def _checkpoint(name: str) -> Row:
    card = cards.read(name)
    said = ", ".join(
        f"{f.name} {formatting.quantity(f.value, f.unit)} on {formatting.words(f)} ({f.count:,})" for f in card.figures
    )
    figures = [
        {"name": f.name, "value": f.value, "unit": f.unit, "on": formatting.words(f), "pictures": f.count}
        for f in card.figures
    ]
    return {
        "line": f"{card.parameters:,} parameters, seed {card.seed} of {len(card.runs)}: {said}",
        "parameters": card.parameters, "seed": card.seed, "seeds": [run.seed for run in card.runs], "figures": figures,
    }  # fmt: skip


def trained() -> Iterator[Row]:
    """Yield the runs: `recipe`, `seed`, the number of finished `epochs`, and their maximum, `at_most`."""
    yield from _each(runs.ids(), _run)


def _run(name: str) -> Row:
    info, done = runs.read(name), len(runs.curve(name))
    most = info.recipe.epochs
    line = f"{info.recipe.key}, seed {info.seed}: {done} of at most {most} epochs"
    return {"line": line, "recipe": info.recipe.key, "seed": info.seed, "epochs": done, "at_most": most}


def jobs() -> Iterator[Row]:
    """Yield the trainings in the background, each with its `state`, such as "running"."""
    from attnviz.work.jobs import table

    yield from _each(table.ids(), lambda name: {"line": (at := table.state(name)).sentence, "state": at.word})


def searches() -> Iterator[Row]:
    """Yield the searches: `state`, the number of `trials`, and how many are `finished`."""
    from attnviz.work.search import table

    def row(name: str) -> Row:
        at = table.state(name)
        return {"line": at.sentence, "state": at.word, "finished": at.done, "trials": at.trials}

    yield from _each(table.ids(), row)


def data_sets() -> Iterator[Row]:
    """Yield the data sets: `title`, the `megabytes` of the download, and whether it is `here`."""
    for name, its in data.DATASETS.items():
        here = data.available(name)
        missing = f"not here: `attnviz data {its.made_from or name}` downloads what it needs"
        line = f"{its.title}: {'here' if here else missing}"
        yield {"name": name, "line": line, "title": its.title, "megabytes": its.megabytes, "here": here}


def folders() -> Iterator[Row]:
    """Yield the folders of files: `path`, and the environment `variable` that changes it, if any."""
    for name, variable, folder in (
        ("checkpoints", "ATTNVIZ_CHECKPOINTS", checkpoint_folder.folder()),
        ("kept models", "ATTNVIZ_KEPT", checkpoint_folder.kept()),
        ("runs", "ATTNVIZ_RUNS", runs.folder()),
        ("data sets", "ATTNVIZ_DATA", data.folder()),
        ("places of tokens", None, paths.computed("places")),
        ("tables of heads", None, paths.computed("heads")),
    ):
        path = folder.absolute()
        how = f"{variable} changes it" if variable else "may be deleted"
        line = f"{path}{'' if folder.is_dir() else ' (not there yet)'}; {how}"
        yield {"name": name, "line": line, "path": str(path), "variable": variable}


def _each(names: Iterable[str], row: Callable[[str], Row]) -> Iterator[Row]:
    for name in names:
        try:
            yield {"name": name, **row(name)}
        except AttnvizError as error:  # such as missing pictures; the others are still listed
            yield {"name": name, "line": str(error), "error": str(error)}
