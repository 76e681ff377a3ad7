"""The arguments of the command line, as `python -m attnviz --help` explains them; `attnviz/commands.py` runs them."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attnviz
from attnviz import data
from attnviz.errors import BadInput
from attnviz.figures.saved import SUFFIXES
from attnviz.recipes import PAPERS
from attnviz.recipes.altered import names, seeds

_Run = Callable[[argparse.Namespace], None]


def parser(commands: dict[str, _Run]) -> argparse.ArgumentParser:
    """Return the parser of all commands; `run` of a parsed namespace is the function that runs the chosen command."""
    whole = _Parser("attnviz", description="See, train and test attention in vision models.")
    whole.add_argument("--version", action="version", version=f"attnviz {attnviz.__version__}")
    actions = whole.add_subparsers(required=True, metavar="COMMAND")
    for name, (what, fill) in _COMMANDS.items():
        command = actions.add_parser(name, help=what)
        command.set_defaults(run=commands[name])
        fill(command)
    return whole


class _Parser(argparse.ArgumentParser):
    def _print_message(self, message: str, file: Any = None) -> None:
        if message:  # argparse itself ignores an output that cannot be written
            (file or sys.stderr).write(message)


def _nothing(_: argparse.ArgumentParser) -> None:
    """Add nothing: the command takes no arguments."""


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the list as JSON")


def _listing(command: argparse.ArgumentParser, what: str) -> tuple[Any, argparse.ArgumentParser]:
    """Add actions to a command, of which `list` is the default; return the actions and the parser of `list`."""
    _json(command)
    actions = command.add_subparsers(metavar="ACTION", dest="action")
    command.set_defaults(action="list")
    listed = actions.add_parser("list", help=what)
    listed.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return actions, listed


def _quiet(command: argparse.ArgumentParser) -> None:
    command.add_argument("--quiet", action="store_true", help="show no progress")


def _app(command: argparse.ArgumentParser) -> None:
    command.add_argument("--port", type=_port, help="the port of the app; by default 8501, or the next free one")
    command.add_argument("--address", help="by default 127.0.0.1, for this machine only; 0.0.0.0 lets others in")
    command.add_argument("--lessons", metavar="FOLDER", help="lessons to offer together with those of attnviz")
    command.add_argument("--data", type=Path, metavar="FOLDER", help="the data sets, instead of ATTNVIZ_DATA")
    command.add_argument("--runs", type=Path, metavar="FOLDER", help="the trainings, instead of ATTNVIZ_RUNS")
    command.add_argument("--no-browser", action="store_true", help="do not open a browser")
    model = command.add_mutually_exclusive_group()
    model.add_argument(
        "--model", metavar="FILE.py:FUNCTION", help="your own model: a function that returns it; see docs/own_model.md"
    )
    model.add_argument("--timm", metavar="NAME", help="the name of a timm model")
    command.add_argument(
        "--weights",
        metavar="FILE",
        help="a .safetensors file with weights for --timm, or random; by default the pretrained weights",
    )
    command.add_argument("--photos", type=Path, metavar="FOLDER", help="photographs for your own model")
    command.add_argument("--record", type=Path, metavar="FILE", help="a training recorded by attnviz.record")


def _data(command: argparse.ArgumentParser) -> None:
    downloads = ", ".join(name for name, its in data.DATASETS.items() if its.megabytes)
    command.add_argument("name", metavar="NAME", nargs="?", help=f"{downloads}; without it, all data sets are listed")
    _json(command)
    _quiet(command)


def _figure(command: argparse.ArgumentParser) -> None:
    _model_and_picture(command)
    command.add_argument("--size", type=int, help="input size of MODEL in pixels, if it is not known; else 224")
    command.add_argument("--layers", type=_layers, metavar="LAYERS", help="numbers from 0, or paths: 0,5,11")
    command.add_argument("--gates", action="store_true", help="draw the gates of MODEL instead of its attention")
    command.add_argument("--heads", type=_some_heads, metavar="HEADS", help="numbers from 0, mean, or all")
    command.add_argument("--show", choices=("weights", "scores"))
    command.add_argument("--direction", choices=("from", "to", "received"))
    command.add_argument("--scale", choices=("share", "all", "map"))
    command.add_argument("--theme", choices=("light", "dark", "print"))
    command.add_argument("--width", help="the picture's width, such as 3.25in or 8.3cm")
    command.add_argument("--seed", type=int, help="the seed of a model that samples where it looks")
    command.add_argument("-o", "--output", required=True, metavar="FILE", help=f"must end in {', '.join(SUFFIXES)}")


def _view(command: argparse.ArgumentParser) -> None:
    _model_and_picture(command)
    command.add_argument("--port", type=_port, help="the port of the app; by default 8501, or the next free one")
    command.add_argument("--no-browser", action="store_true", help="do not open a browser, only print the URL")


def _model_and_picture(command: argparse.ArgumentParser) -> None:
    models = "FILE.py:FUNCTION, package.module:FUNCTION, with --timm a name of timm, or one of our checkpoints"
    command.add_argument("model", metavar="MODEL", help=models)
    command.add_argument("picture", metavar="PICTURE", help="a file; for one of our checkpoints DATASET:NUMBER")
    command.add_argument("--timm", action="store_true", help="MODEL is the name of a timm model")
    weights = "a .safetensors file with weights for --timm, or random; by default the pretrained weights"
    command.add_argument("--weights", default="", metavar="FILE", help=weights)
    command.add_argument("--query", type=_place, metavar="ROW,COLUMN", help="the query, from 0; by default the middle")


def _history(command: argparse.ArgumentParser) -> None:
    command.add_argument("run_id", metavar="RUN", help="the name of a run of one of our recipes")
    command.add_argument("epochs", type=_seeds, metavar="EPOCHS", help="such as 0-8,12; 0 is before training")


def _answers(command: argparse.ArgumentParser) -> None:
    command.add_argument("names", metavar="NAME", nargs="+", help="a checkpoint, such as pixel_line.digits")
    command.add_argument("--main", action="store_true", help="only the whole model on its main test, which is faster")


def _train(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL", help="a name that `attnviz models` lists")
    command.add_argument(
        "--recipe", required=True, help="a recipe of that model, such as 1v8; `attnviz models` lists them"
    )
    command.add_argument(
        "--seeds", type=_seeds, default=[0], help="such as 0-4 or 0-2,5; the card keeps its other seeds"
    )
    _device(command)
    command.add_argument(
        "--threads", type=int, help="number of CPU threads; a run keeps the number it was started with"
    )
    command.add_argument(
        "--run-only",
        action="store_true",
        help="train the runs but write no checkpoint; allows the next three options",
    )
    _set(command, f"change a setting: {', '.join(names())}")
    command.add_argument("--minutes", type=float, help="stop after this many minutes; the same command resumes it")
    command.add_argument("--more", type=int, help="stop after this many epochs; the same command resumes it")
    _quiet(command)


def _cost(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL")
    command.add_argument("--recipe", required=True)
    _set(command)
    _device(command)
    command.add_argument("--threads", type=int, default=1, help="number of CPU threads; by default one")
    command.add_argument("--json", action="store_true", help="print JSON")


def _jobs(command: argparse.ArgumentParser) -> None:
    actions, _ = _listing(command, "show the status of each job; the default ACTION")
    action = actions.add_parser("start", help="start a training, or queue it behind the one before it")
    action.add_argument("model", metavar="MODEL")
    action.add_argument("--recipe", required=True)
    action.add_argument("--seeds", type=_seeds, default=[0])
    _set(action)
    _device(action)
    action.add_argument("--threads", type=int, help="number of CPU threads; by default one")
    action.add_argument("--minutes", type=float, help="stop after this many minutes")
    action.add_argument("--no-limits", action="store_true", help="allow any number of epochs, parameters and pictures")
    action.add_argument("--cluster", metavar="URL", help="the head of a Ray cluster, such as http://127.0.0.1:8265")
    actions.add_parser("watch", help="start queued jobs, and jobs whose node has died, until all have ended")
    actions.add_parser("work").add_argument("job")  # run by a node of a cluster
    for word, what in {
        "stop": "stop a training after its batch", "resume": "continue after its last epoch",
        "delete": "remove a job and the runs that it started",
    }.items():  # fmt: skip
        action = actions.add_parser(word, help=what)
        action.add_argument("job", metavar="JOB", help="a name that `jobs list` shows")
        if word == "resume":
            action.add_argument(
                "--minutes", type=float, help="stop after this many minutes; by default, as when it was started"
            )
            action.add_argument("--no-limits", action="store_true", help="as for start; without --minutes, any time")
    action = actions.add_parser("keep", help="keep the weights at an epoch as a model")
    action.add_argument("run_id", metavar="RUN", help="the name of a run")
    action.add_argument("epoch", type=int, metavar="EPOCH")
    action.add_argument("word", metavar="WORD", help="keep it as MODEL.WORD")
    action = actions.add_parser("push", help="copy a finished run or a model to a URL, such as s3://bucket/folder/")
    action.add_argument("name", metavar="NAME", help="the name of a run or a model")
    action.add_argument("url", metavar="URL", help="the file, or with a slash at the end the folder")
    action = actions.add_parser("pull", help="import a run or a model from a URL")
    action.add_argument("url", metavar="URL")
    action.add_argument("--as", dest="word", metavar="WORD", help="keep a model as MODEL.WORD")


def _search(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL", nargs="?")
    command.add_argument("--recipe")
    command.add_argument(
        "--vary", action="append", default=[], metavar="NAME=VALUES",
        help="heads=1,8,25 or heads=1..25 or learning_rate=1e-4..1e-2:log; by default the search of the recipe's paper",
    )  # fmt: skip
    _set(command, "as for train; for all trials")
    command.add_argument("--trials", type=int, default=33, help="the exact number of trials to finish")
    command.add_argument("--workers", type=int, default=1, help="processes; more of them may be started elsewhere")
    command.add_argument("--threads", type=int, help="CPU threads of each worker; by default one")
    command.add_argument("--seconds", type=float, default=60.0, help="the computing time of a trial, at most 60")
    command.add_argument("--seed", type=int, default=0, help="the seed of the sampler")
    command.add_argument("--random", action="store_true", help="sample at random instead of learning from the trials")
    command.add_argument("--no-prune", action="store_true", help="train poor trials to the end too")
    command.add_argument("--no-limits", action="store_true", help="allow any number of epochs, parameters and workers")
    _json(command)
    _quiet(command)
    command.add_argument("--storage", metavar="URL", help="a PostgreSQL database shared by workers on several machines")
    command.add_argument("--write", type=Path, metavar="FILE", help="write the trials as JSON")
    command.add_argument("--worker", metavar="SEARCH", help=argparse.SUPPRESS)


def _lessons(command: argparse.ArgumentParser) -> None:
    actions, action = _listing(command, "list the lessons; the default ACTION")
    action.add_argument("folder", metavar="FOLDER", nargs="?", help="lessons; by default, those that the app offers")
    command.set_defaults(folder=None)
    action = actions.add_parser("check", help="report all mistakes in a folder of lessons")
    action.add_argument("folder", metavar="FOLDER")
    action = actions.add_parser("handout", help="write lessons as printable files, NAME.html")
    action.add_argument(
        "words", metavar="[NAME] [FOLDER]", nargs="+",
        help="one lesson, by default all; and the folder to write to, by default the current one",
    )  # fmt: skip
    action.add_argument("--address", default="", help="the URL of the class's app: http://HOST:8501")
    action = actions.add_parser("play", help="start the app with a folder of lessons")
    action.add_argument("folder", metavar="FOLDER")
    action.add_argument("--alone", action="store_true", help="without the lessons that come with attnviz")
    action.add_argument("options", nargs=argparse.REMAINDER, help="options for Streamlit, such as --server.port=8600")


def _heads(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL", help="MODEL.RECIPE; `attnviz checkpoints` lists them")
    command.add_argument("pictures", metavar="PICTURES", help="a data set, such as strokes or mnist")
    _quiet(command)
    command.add_argument("--count", type=int, default=500, help="the number of its test pictures; by default 500")
    command.add_argument("--no-random", action="store_true", help="leave out the comparison with random weights")
    command.add_argument(
        "--claim", action="append", default=[], metavar="FILE.py:FUNCTION",
        help="a statement about a head, tested on every picture: a function of a map that returns True or False",
    )  # fmt: skip
    for kind, what in {
        "csv": "means and intervals", "npz": "all values on all pictures", "html": "the means and intervals as a page",
    }.items():  # fmt: skip
        command.add_argument(f"--{kind}", type=Path, metavar="FILE", help=f"write {what}")
    command.add_argument(
        "--json", type=Path, nargs="?", const="-", metavar="FILE",
        help="write the means and intervals as JSON; without FILE, print only these",
    )  # fmt: skip


def _evaluate(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="MODEL.RECIPE; `attnviz checkpoints` lists them")


def _results(command: argparse.ArgumentParser) -> None:
    command.add_argument("--write", action="store_true", help="write docs/results.md and docs/results.csv")


def _reproduce(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "paper", metavar="PAPER", nargs="?", help=f"{', '.join(PAPERS)}; without it, all papers are listed"
    )
    _json(command)
    command.add_argument("--train", action="store_true", help="train what is missing, five seeds each")
    _device(command)
    _quiet(command)


def _device(command: argparse.ArgumentParser) -> None:
    command.add_argument("--device", default="auto", help="auto, cpu or cuda")


def _set(command: argparse.ArgumentParser, what: str = "as for train") -> None:
    command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=what)


def _port(word: str) -> int:
    if not (word.isdecimal() and len(word) <= 5 and 0 < int(word) < 1 << 16):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 65535, not {word!r}")
    return int(word)


def _place(word: str) -> tuple[int, int]:
    parts = word.split(",")
    if len(parts) != 2 or not all(part.strip().removeprefix("-").isdigit() for part in parts):
        raise argparse.ArgumentTypeError(f"expected ROW,COLUMN, such as 5,7, not {word!r}")
    return int(parts[0]), int(parts[1])


def _layers(word: str) -> list[int | str]:
    return [int(part) if part.removeprefix("-").isdigit() else part for part in word.split(",")]


def _some_heads(word: str) -> list[int | str] | str:
    if word == "all":
        return word
    parts: list[int | str] = [int(part) if part.isdigit() else part for part in word.split(",")]
    if any(part != "mean" for part in parts if isinstance(part, str)):
        raise argparse.ArgumentTypeError(f"expected numbers from 0, mean, or all, not {word!r}")
    return parts


def _seeds(word: str) -> list[int]:
    try:
        return seeds(word)
    except BadInput as error:
        raise argparse.ArgumentTypeError(str(error)) from error


_COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "paths": ("show where files are read and written", _json),
    "app": ("start the app, and open it in a browser", _app),
    "models": ("list the architectures and their recipes", _json),
    "recipes": ("list the recipes that models are trained with", _json),
    "checkpoints": ("list the trained models", _json),
    "runs": ("list the trainings whose epochs can be viewed", _json),
    "data": ("download a data set; alone, list all data sets", _data),
    "history": ("keep the weights of some of a run's epochs with its checkpoint", _history),
    "figure": ("draw a model's attention to a picture: pdf, svg, png, csv, npz, html", _figure),
    "view": ("open the app with a model's attention to a picture", _view),
    "train": ("train a recipe, or resume its training, and write its checkpoint", _train),
    "answers": ("add the answers of each seed to a card, from their runs", _answers),
    "cost": ("estimate what a training will cost, from a few of its batches", _cost),
    "jobs": ("train in the background: start, stop, keep, ...; alone, list all jobs", _jobs),
    "search": ("train a recipe many times with different settings; alone, list all searches", _search),
    "lessons": ("check a folder of lessons, print or play them; alone, list them", _lessons),
    "heads": ("measure every attention head over many pictures, and test statements about them", _heads),
    "evaluate": ("test a checkpoint again", _evaluate),
    "migrate": ("update the cards of an earlier version", _nothing),
    "results": ("print docs/results.md", _results),
    "reproduce": ("print a paper's figures next to ours and the controls; alone, list the papers", _reproduce),
}
