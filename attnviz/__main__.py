"""The command line: `python -m attnviz --help`. A wrong word ends it with one sentence and exit status 2."""

import argparse
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attnviz import cards, data, files, results
from attnviz.errors import AttnvizError, BadInput
from attnviz.recipes import RECIPES, Recipe, paper, recipe

if TYPE_CHECKING:
    from attnviz.training.loop import Epoch, Step


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after the program's name; by default those it was called with.

    Returns:
        The exit status: 0, 2 for a wrong word or something missing, 130 when stopped by the keyboard.
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except AttnvizError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from the last epoch.", file=sys.stderr)
        return 130
    return 0


def _models(_: argparse.Namespace) -> None:
    from attnviz.models import MODELS

    for name, spec in MODELS.items():
        recipes = ", ".join(known.name for known in RECIPES.values() if known.model == name)
        print(f"{name:18} {spec.title}. {spec.source}. Recipes: {recipes}.")


def _checkpoints(_: argparse.Namespace) -> None:
    for name in cards.names():
        card = cards.read(name)
        said = ", ".join(f"{results.percent(f.value)} on {results.words(f)} ({f.count:,})" for f in card.figures)
        print(f"{name:24} {card.parameters:,} parameters, seed {card.seed} of {len(card.runs)}: {said}")


def _train(options: argparse.Namespace) -> None:
    card = _trained(recipe(options.model, options.recipe), options.seeds, options.device, options.threads)
    for figure in card.figures:
        print(f"{card.name}: accuracy on {results.words(figure)}, {figure.count:,}: {results.spread(figure)}")


def _evaluate(options: argparse.Namespace) -> None:
    from attnviz.checkpoints import load
    from attnviz.training.seeds import evaluate

    model, card = load(options.name)
    for test in card.recipe.tests:
        accuracy, count = evaluate(model, card.recipe, test)
        stated = card.figure(test)
        said = results.percent(stated.value) if stated else "nothing"
        print(f"{card.name} on {results.words(test)}, {count:,}: {results.percent(accuracy)}; its card says {said}")


def _results(options: argparse.Namespace) -> None:
    if not options.write:
        print(results.everything())
        return
    try:
        files.write(results.README, results.renewed(results.README.read_text("utf-8")))
    except OSError as error:
        raise BadInput(f"{results.README} cannot be renewed: {files.reason(error)}.") from error
    print(f"Rendered the tables of {results.README} again.")


def _reproduce(options: argparse.Namespace) -> None:
    chosen = paper(options.paper)
    for name in dict.fromkeys(name for figure in chosen.figures for name in figure.checkpoints):
        if options.train and name not in cards.names():
            _trained(RECIPES[name], range(5), options.device, None)
    print(f"{chosen.title} ({chosen.source})\n\n{results.reproduction(chosen)}")


def _data(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    if options.name in data.DATASETS and not data.DATASETS[options.name].megabytes:
        print(f"{options.name} needs no download: it is drawn.")
        return
    with tqdm(total=100, unit="%", desc=options.name) as bar:

        def progress(fraction: float, sentence: str) -> None:
            bar.set_postfix_str(sentence)
            bar.update(round(100 * fraction) - bar.n)

        data.fetch(options.name, progress)
    print(f"{options.name} is in {data.folder() / options.name}.")


def _trained(chosen: Recipe, seeds: Sequence[int], device: str, threads: int | None) -> cards.Card:
    from tqdm import tqdm

    from attnviz.training import seeds as training
    from attnviz.training.loop import Epoch

    device = training.device_of(device)
    with tqdm(unit="step", desc=chosen.key) as bar:

        def report(seed: int, event: "Step | Epoch") -> None:
            if isinstance(event, Epoch):
                loss, accuracy = event.validation_loss, results.percent(event.validation_accuracy)
                bar.set_postfix_str(f"seed {seed}, epoch {event.epoch}: validation loss {loss:.4f}, {accuracy}")
            else:
                bar.total = event.total
                bar.update(event.done - bar.n)

        return training.train(chosen, seeds, device=device, threads=threads, report=report)


def seeds(word: str) -> list[int]:
    """Read "3" or "0-4" as a list of seeds.

    Raises:
        BadInput: anything else.
    """
    read = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", word)
    first, last = (int(read[1]), int(read[2] or read[1])) if read else (1, 0)
    if last < first:
        raise BadInput(f"Seeds are a number below a million or a range such as 0-4, not {word!r}.")
    return list(range(first, last + 1))


def _seeds(word: str) -> list[int]:
    try:
        return seeds(word)
    except BadInput as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("attnviz", description="See, train and test attention in vision models.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("models", help="list the architectures and their recipes")
    command.set_defaults(run=_models)

    command = commands.add_parser("checkpoints", help="list the trained models")
    command.set_defaults(run=_checkpoints)

    command = commands.add_parser("data", help="download a data set")
    command.add_argument("name", metavar="NAME", help="mnist, fashion_mnist or cifar10")
    command.set_defaults(run=_data)

    command = commands.add_parser("train", help="train or go on with a recipe, and write its checkpoint")
    command.add_argument("model", metavar="MODEL")
    command.add_argument("--recipe", required=True)
    command.add_argument("--seeds", type=_seeds, default=[0], help="such as 0-4")
    command.add_argument("--device", default="auto", help="auto, cpu or cuda")
    command.add_argument("--threads", type=int, help="of the CPU; a run keeps the number it was started with")
    command.set_defaults(run=_train)

    command = commands.add_parser("evaluate", help="test a checkpoint again")
    command.add_argument("name", metavar="NAME")
    command.set_defaults(run=_evaluate)

    command = commands.add_parser("results", help="print the tables of README")
    command.add_argument("--write", action="store_true", help="put them into README")
    command.set_defaults(run=_results)

    command = commands.add_parser("reproduce", help="print a paper's figures beside ours and the controls")
    command.add_argument("paper", metavar="PAPER")
    command.add_argument("--train", action="store_true", help="train what is missing, five seeds each")
    command.add_argument("--device", default="auto", help="auto, cpu or cuda")
    command.set_defaults(run=_reproduce)
    return parser


if __name__ == "__main__":
    sys.exit(main())
