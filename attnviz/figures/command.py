"""The commands `attnviz figure` and `attnviz view`."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from attnviz.capture.loading import RANDOM, load_model
from attnviz.capture.watching import watch
from attnviz.errors import AttnvizError, BadInput
from attnviz.figures.figure import SUFFIXES, Figure, figure
from attnviz.figures.gates import GateFigure, gates
from attnviz.figures.photo import photo_of
from attnviz.subjects import own, photos

WEIGHTS = "a .safetensors file of the weights for --timm, or random"


def write(options: argparse.Namespace) -> Iterator[str]:
    """Write a figure, and yield what to print: the size of a page before it is written."""
    path = Path(options.output)
    if path.suffix.lower().removeprefix(".") not in SUFFIXES:
        raise BadInput(f"{path.name}: a figure is saved as one of {', '.join(SUFFIXES)}; end the name with it.")
    made = figure_of(options)
    made.save(path)
    yield f"{path}: {made.words()}"


def view(options: argparse.Namespace) -> tuple[str, dict[str, str]]:
    """Return the page of the app that shows what the words of a command line name, and the variables that it needs.

    Raises:
        BadInput: there is no such picture, or it is not written so.
    """
    words: dict[str, str]
    if ":" not in options.model and not options.timm:
        from attnviz.figures import ours

        subject = ours.subject_of(options.model, options.picture)
        words, variables = {"model": options.model, **subject.example.words}, {}
    else:
        photo = Path(options.picture).absolute()
        photo_of(photo)  # a file that is no picture is complained about here
        if photo.suffix.lower() not in photos.SUFFIXES:
            raise BadInput(f"{photo.name}: the app reads photographs that end in {', '.join(photos.SUFFIXES)}.")
        words = {"photo": photo.name}
        named = own.TIMM if options.timm else own.MODEL
        variables = {named: options.model, photos.VARIABLE: str(photo.parent), own.WEIGHTS: weights_of(options.weights)}
    if options.query is not None:
        words["query"] = ",".join(str(part + 1) for part in options.query)
    return f"explorer?{urlencode(words)}", variables


def weights_of(word: str | None) -> str:
    """Return the weights of a model of timm as the app is told: a file by its whole path, "random", or "" for none."""
    return str(Path(word).absolute()) if word not in (None, "", RANDOM) else word or ""


def figure_of(options: argparse.Namespace) -> Figure | GateFigure:
    """Return the figure that the words of a command line describe."""
    named: dict[str, Any] = {
        name: value
        for name in ("query", "layers", "heads", "show", "direction", "scale", "theme", "width", "seed")
        if (value := getattr(options, name, None)) is not None
    }
    of_gates = getattr(options, "gates", False)
    if of_gates:
        named = {name: value for name, value in named.items() if name in ("layers", "theme", "width")}
    named["command"] = shlex.join(["attnviz", *sys.argv[1:]])
    if ":" not in options.model and not options.timm:
        return (gates if of_gates else figure)(options.model, options.picture, **named)
    from PIL import Image

    loaded = load_model(options.model, timm=options.timm, weights=options.weights, side=options.size)
    photo = photo_of(options.picture)
    assert photo is not None
    try:
        batch = loaded.batch(Image.fromarray(photo))
        seen = watch(loaded.model)(batch)
    except AttnvizError:
        raise
    except Exception as error:  # whatever code that is not ours raises
        raise BadInput(f"{options.model} does not take this picture: {type(error).__name__}: {error}") from error
    if of_gates:
        return gates(seen, over=loaded.photo(batch), **named)
    return figure(seen, over=loaded.photo(batch), classes=loaded.classes or None, **named)


def add_words(command: argparse.ArgumentParser, *, output: bool) -> None:
    """Add the words of a command.

    Args:
        command: that gets them.
        output: whether it writes a file.
    """
    models = "FILE.py:FUNCTION, package.module:FUNCTION, a name of timm with --timm, or a checkpoint of ours"
    command.add_argument("model", metavar="MODEL", help=models)
    command.add_argument("picture", metavar="PICTURE", help="a file; for a checkpoint of ours DATASET:NUMBER")
    command.add_argument("--timm", action="store_true", help="MODEL is a name of timm")
    command.add_argument("--weights", default="", metavar="FILE", help=f"{WEIGHTS}; by default the pretrained ones")
    command.add_argument("--query", type=_place, metavar="ROW,COLUMN", help="from 0; by default the middle")
    if output:
        command.add_argument("--size", type=int, help="pixels a side that MODEL takes, where it does not say; else 224")
        command.add_argument("--layers", type=_layers, metavar="LAYERS", help="numbers from 0, or paths: 0,5,11")
        command.add_argument("--gates", action="store_true", help="the gates of MODEL, and not its attention")
        command.add_argument("--heads", type=_heads, metavar="HEADS", help="numbers from 0, mean, or all")
        command.add_argument("--show", choices=("weights", "scores"))
        command.add_argument("--direction", choices=("from", "to", "received"))
        command.add_argument("--scale", choices=("share", "all", "map"))
        command.add_argument("--theme", choices=("light", "dark", "print"))
        command.add_argument("--width", help="of the picture, such as 3.25in or 8.3cm")
        command.add_argument("--seed", type=int, help="of the random numbers of a model that draws where it looks")
        command.add_argument("-o", "--output", required=True, metavar="FILE", help=f"ends in {', '.join(SUFFIXES)}")
    else:
        command.add_argument(
            "--port", type=int, help="where the app answers; by default 8501, or the next one that is free"
        )
        command.add_argument("--no-browser", action="store_true", help="open no browser; the address is printed")


def _place(word: str) -> tuple[int, int]:
    parts = word.split(",")
    if len(parts) != 2 or not all(part.strip().removeprefix("-").isdigit() for part in parts):
        raise argparse.ArgumentTypeError(f"expected ROW,COLUMN, such as 5,7, not {word!r}")
    return int(parts[0]), int(parts[1])


def _layers(word: str) -> list[int | str]:
    return [int(part) if part.removeprefix("-").isdigit() else part for part in word.split(",")]


def _heads(word: str) -> list[int | str] | str:
    if word == "all":
        return word
    parts: list[int | str] = [int(part) if part.isdigit() else part for part in word.split(",")]
    if any(part != "mean" for part in parts if isinstance(part, str)):
        raise argparse.ArgumentTypeError(f"expected numbers from 0, mean, or all, not {word!r}")
    return parts
