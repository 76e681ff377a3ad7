"""The commands whose arguments `attnviz/command_line.py` parses; `attnviz/__main__.py` runs them."""

import argparse
import shlex
import sys
import webbrowser
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from attnviz import cards, checkpoint_folder, data, files, formatting, listings, result_tables, results, start
from attnviz.card import Card
from attnviz.errors import BadInput
from attnviz.lessons import teacher
from attnviz.recipes import RECIPES, Recipe, paper, recipe
from attnviz.recipes.altered import altered, settings
from attnviz.training import runs, together


def _models(options: argparse.Namespace) -> None:
    _listed(listings.models(), options.json, 18, "There are no models.")


def _recipes(options: argparse.Namespace) -> None:
    _listed(listings.recipes(), options.json, 40, "There are no recipes.")


def _runs(options: argparse.Namespace) -> None:
    empty = f"There are no runs in {runs.folder()}: `attnviz train MODEL --recipe RECIPE` starts one."
    _listed(listings.trained(), options.json, 40, empty)


def _checkpoints(options: argparse.Namespace) -> None:
    empty = f"There are no checkpoints in {cards.folder()}: `attnviz train` writes one, ATTNVIZ_CHECKPOINTS changes it."
    _listed(listings.checkpoints(), options.json, 24, empty)


def _listed(rows: Iterable[listings.Row], as_json: bool, width: int, empty: str) -> None:
    for line in listings.lines(rows, as_json, width, empty):
        print(line)


def _history(options: argparse.Namespace) -> None:
    from attnviz.training import histories

    checkpoint_folder.require_own()
    name = histories.write(options.run_id, options.epochs)
    print(f"The history of {name} is in {cards.home(name) / 'history'}.")


def _answers(options: argparse.Namespace) -> None:
    from attnviz.training import every_seed

    for name in options.names:
        card = every_seed.add(name, options.main)
        print(f"The card of {name} holds what each of its {len(card.runs)} seeds answered.")


def _train(options: argparse.Namespace) -> None:
    chosen = recipe(options.model, options.recipe)
    for name in ("minutes", "more"):
        if (given := getattr(options, name)) is not None and not given > 0:
            raise BadInput(f"--{name} must be above 0, not {given:g}.")
    if options.run_only:
        _trained_runs(altered(chosen, settings(options.set)), options)
        return
    if options.set or options.minutes is not None or options.more is not None:
        raise BadInput(
            "--set, --minutes and --more belong to --run-only: a checkpoint is trained by its unchanged recipe."
        )
    card = _trained(chosen, options.seeds, options.threads, options)
    if not together.rank():
        print(f"The checkpoint is in {cards.home(card.name)}, its runs are in {runs.folder()}.")
    for figure in card.figures if not together.rank() else ():
        print(
            f"{card.name}: {figure.name} on {formatting.words(figure)}, {figure.count:,}: {formatting.spread(figure)}"
        )


def _heads(options: argparse.Namespace) -> None:
    from attnviz.head_table import command

    print(command.run(options))


def _evaluate(options: argparse.Namespace) -> None:
    from attnviz.checkpoints import load
    from attnviz.training.measuring import evaluate, test_examples
    from attnviz.training.objectives import objective

    model, card = load(options.name)
    goal = objective(card.recipe)
    for test in card.recipe.tests:
        examples = test_examples(card.recipe, test)
        for name, found in evaluate(model, goal, test, examples).items():
            stated = card.figure(test, name)
            recorded = f"records {formatting.quantity(stated.value, stated.unit)}" if stated else "does not record it"
            measured = formatting.quantity(found.value, goal.measures[name].unit)
            where, count = formatting.words(test), found.count or len(examples)
            print(f"{card.name}: {name} on {where}, {count:,}: {measured}; its card {recorded}")


def _results(options: argparse.Namespace) -> None:
    if not options.write:
        print(results.everything(), end="")
        return
    figures = results.FULL.with_suffix(".csv")
    try:
        files.write(results.FULL, results.everything())
        files.write(figures, result_tables.every_figure())
    except OSError as error:
        raise BadInput(f"{results.FULL.parent} cannot be written: {files.reason(error)}.") from error
    print(f"Rendered {results.FULL} and {figures.name} again.")


def _migrate(_: argparse.Namespace) -> None:
    from attnviz.migration import migrate

    checkpoint_folder.require_own()
    print(f"{len(migrate())} cards were rewritten; weights and figures are unchanged.")


def _reproduce(options: argparse.Namespace) -> None:
    if options.paper is None:
        _listed(listings.papers(), options.json, 20, "There are no papers.")
        return
    if options.json:
        raise BadInput("--json lists all papers: leave the name out.")
    chosen = paper(options.paper)
    for name in chosen.checkpoints:
        if options.train and name not in cards.names():
            _trained(RECIPES[name], range(5), None, options)
    print(f"{chosen.title} ({chosen.source})\n\n{result_tables.reproduction(chosen)}")


def _data(options: argparse.Namespace) -> None:
    if options.name is None:
        _listed(listings.data_sets(), options.json, 20, "There are no data sets.")
        return
    if options.json:
        raise BadInput("--json lists all data sets: leave the name out.")
    from tqdm import tqdm

    if options.name in data.DATASETS and not data.DATASETS[options.name].megabytes:
        print(f"{options.name} needs no download: attnviz generates it.")
        return
    with ExitStack() as ending:
        bar: Any = None

        def progress(fraction: float, sentence: str) -> None:
            nonlocal bar
            if bar is None:  # created late, so that an error comes without a bar
                shape = "{desc} {bar:20} {percentage:.0f} %{postfix}"
                bar = ending.enter_context(
                    tqdm(total=100, desc=options.name, bar_format=shape, disable=options.quiet or None)
                )
            bar.set_postfix_str(sentence, False)
            bar.update(100 * fraction - bar.n)

        data.fetch(options.name, progress)
    kept = data.DATASETS[options.name].made_from or options.name
    print(f"{kept} is in {data.folder() / kept}.")


def _jobs(options: argparse.Namespace) -> None:
    from attnviz.work.jobs import shell

    for line in shell.act(options):
        print(line, flush=True)


def _search(options: argparse.Namespace) -> None:
    from attnviz.recipes import axes
    from attnviz.training import stopping
    from attnviz.work.jobs import order
    from attnviz.work.search import shell, table, wanted
    from attnviz.work.search.shell import Progress

    if options.worker:
        from attnviz.work.search import worker

        with stopping.terminable():
            worker.work(table.home(options.worker), table.read(options.worker))
        return
    if options.model is None and options.recipe is None:
        empty = "There are no searches: `attnviz search MODEL --recipe RECIPE` starts one."
        _listed(listings.searches(), options.json, 40, empty)
        return
    if options.json:
        raise BadInput("--json lists all searches: leave out MODEL and --recipe.")
    if options.model is None or options.recipe is None:
        raise BadInput("A search needs MODEL and --recipe.")
    base = recipe(options.model, options.recipe)
    asked = wanted.Wanted.read(
        {
            "model": options.model, "recipe": options.recipe, "changes": settings(options.set),
            "axes": axes.read(options.vary) if options.vary else wanted.axes_of(base), "trials": options.trials,
            "seconds": options.seconds, "seed": options.seed, "threads": options.threads or 1,
            "sampler": "random" if options.random else "tpe", "prune": not options.no_prune,
            "storage": options.storage or "",
        }
    )  # fmt: skip
    with Progress(asked.trials, quiet=options.quiet) as progress, stopping.terminable():
        found = shell.run(asked, options.workers, order.NONE if options.no_limits else order.limits(), progress.report)
    print(f"{found.name}: {table.state(found.name, found).sentence}")
    if found.best is not None:
        print(f"Best: {found.measure} {found.best.value:.4f} with {found.best.described}, run {found.best.run}")
    if options.write is not None:
        try:
            files.write(options.write, found.model_dump_json(indent=1, exclude_defaults=True) + "\n")
        except OSError as error:
            raise BadInput(f"{options.write} cannot be written: {files.reason(error)}.") from error


def _cost(options: argparse.Namespace) -> None:
    import json
    from dataclasses import asdict

    from attnviz import devices
    from attnviz.training import cost

    chosen = altered(recipe(options.model, options.recipe), settings(options.set))
    found = cost.probe(chosen, devices.device_of(options.device), options.threads)
    print(json.dumps(asdict(found)) if options.json else found.sentence(chosen.epochs, 1))


def _trained_runs(chosen: Recipe, options: argparse.Namespace) -> None:
    from attnviz.training import stopping
    from attnviz.training.objectives import objective
    from attnviz.training.progress import Progress
    from attnviz.training.seeds import command_of, train_runs

    goal = objective(chosen)
    progress = Progress(chosen, options.seeds, goal, quiet=options.quiet)
    changes = [word for change in options.set for word in ("--set", change)]
    with progress.shown(), stopping.terminable(), together.joined() as others:
        train_runs(
            chosen, options.seeds, device=options.device, threads=options.threads, report=progress.report, goal=goal,
            command=shlex.join([*command_of(chosen, options.seeds).split(), "--run-only", *changes]),
            minutes=options.minutes, more=options.more, together=others,
        )  # fmt: skip
    if others.first:
        print(f"Trained: the runs of {chosen.key} are in {runs.folder()}.")


def _trained(chosen: Recipe, seeds: Sequence[int], threads: int | None, options: argparse.Namespace) -> Card:
    from attnviz.training import stopping
    from attnviz.training.objectives import objective
    from attnviz.training.progress import Progress
    from attnviz.training.seeds import train

    checkpoint_folder.require_own()
    goal = objective(chosen)
    progress = Progress(chosen, seeds, goal, quiet=options.quiet)
    with progress.shown(), stopping.terminable(), together.joined() as others:
        return train(
            chosen, seeds, device=options.device, threads=threads, report=progress.report, goal=goal, together=others
        )


def _paths(options: argparse.Namespace) -> None:
    _listed(listings.folders(), options.json, 16, "")


def _app(options: argparse.Namespace) -> None:
    chosen = {f"--server.{name}": getattr(options, name) for name in ("port", "address")}
    words = [f"{flag}={value}" for flag, value in chosen.items() if value is not None]
    words += [f"--server.headless={str(options.no_browser).lower()}", "--server.showEmailPrompt=false"]
    from attnviz.figures.command import weights_of

    folders = {f"ATTNVIZ_{name.upper()}": getattr(options, name) for name in ("data", "runs", "photos", "record")}
    variables = {name: str(path.absolute()) for name, path in folders.items() if path is not None}
    weights = weights_of(options.weights)
    named = {"ATTNVIZ_MODEL": options.model, "ATTNVIZ_TIMM": options.timm, "ATTNVIZ_WEIGHTS": weights}
    variables |= {name: word for name, word in named.items() if word}
    if options.photos is not None and not options.photos.is_dir():
        raise BadInput(f"There is no folder {options.photos}.")
    if options.record is not None:
        from attnviz.figures.history import History

        History(options.record)  # raises an error if the file is not a recording
    if options.lessons is not None:
        variables[teacher.VARIABLE] = teacher.folder(options.lessons)
    start.app(words, variables)


def _figure(options: argparse.Namespace) -> None:
    from attnviz.figures import command

    for line in command.write(options):
        print(line, flush=True)


def _view(options: argparse.Namespace) -> None:
    from attnviz.figures import command

    page, variables = command.view(options)

    def ready(address: str) -> None:
        print(f"{address}/{page}", flush=True)
        if not options.no_browser:
            webbrowser.open(f"{address}/{page}")

    sys.exit(start.answering(variables, options.port, ready))


def _lessons(options: argparse.Namespace) -> None:
    command = import_module("attnviz.ui.lessons.command")  # by name, as only the app may import `ui`
    if options.action == "list":
        _listed(command.listed(options.folder), options.json, 24, f"There are no lessons in {options.folder}.")
        return
    if options.action == "play":
        start.app(options.options, command.chosen(options.folder, options.alone))
        return
    if options.action == "handout" and len(options.words) > 2:
        raise BadInput("The handout of one lesson is written into one folder: lessons handout [NAME] [FOLDER].")
    from attnviz.training import stopping

    checks = options.action == "check"
    lines = command.check(options.folder) if checks else command.print_out(options.words, options.address)
    with stopping.terminable():  # so that the app and the browser that try out lessons end too
        for line in lines:
            print(line)


COMMANDS = {
    "app": _app,
    "paths": _paths,
    "models": _models,
    "recipes": _recipes,
    "checkpoints": _checkpoints,
    "runs": _runs,
    "data": _data,
    "history": _history,
    "figure": _figure,
    "view": _view,
    "train": _train,
    "answers": _answers,
    "cost": _cost,
    "jobs": _jobs,
    "search": _search,
    "lessons": _lessons,
    "heads": _heads,
    "evaluate": _evaluate,
    "migrate": _migrate,
    "results": _results,
    "reproduce": _reproduce,
}
