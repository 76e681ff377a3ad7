"""The commands `attnviz figure` and `attnviz view`."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from attnviz.capture.watching import watch
from attnviz.errors import AttnvizError, BadInput
from attnviz.figures.figure import SUFFIXES, Figure, figure
from attnviz.figures.photo import photo_of

WEIGHTS = "a .safetensors file of the weights for --timm, or random"


def write(options: argparse.Namespace) -> list[str]:
    """Write a figure, and return what to print."""
    path = Path(options.output)
    if path.suffix.lower().removeprefix(".") not in SUFFIXES:
        raise BadInput(f"{path.name}: a figure is saved as one of {', '.join(SUFFIXES)}; end the name with it.")
    made = figure_of(options)
    size = f" ({made.megabytes:.1f} MB)" if path.suffix.lower() == ".html" else ""
    made.save(path)
    return [f"{path}{size}: {made.words()}"]


def view(options: argparse.Namespace) -> list[str]:
    """Open the viewer in the browser, and return what to print."""
    made = figure_of(options)
    path = Path(tempfile.mkdtemp(prefix="attnviz-")) / "view.html"
    made.save(path)
    webbrowser.open(path.as_uri())
    return [f"{path} ({made.megabytes:.1f} MB)"]


def figure_of(options: argparse.Namespace) -> Figure:
    """Return the figure that the words of a command line describe."""
    named: dict[str, Any] = {
        name: value
        for name in ("query", "layers", "heads", "show", "direction", "scale", "theme", "width")
        if (value := getattr(options, name, None)) is not None
    }
    named["command"] = shlex.join(["attnviz", *sys.argv[1:]])
    if ":" not in options.model and not options.timm:
        return figure(options.model, options.picture, **named)
    from PIL import Image

    from attnviz.capture.loading import load_model

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
    command.add_argument("--size", type=int, help="pixels a side that MODEL takes, where it does not say; else 224")
    command.add_argument("--query", type=_place, metavar="ROW,COLUMN", help="from 0; by default the middle")
    command.add_argument("--layers", type=_layers, metavar="LAYERS", help="numbers from 0, or paths, such as 0,5,11")
    if output:
        command.add_argument("--heads", type=_heads, metavar="HEADS", help="numbers from 0, mean, or all")
        command.add_argument("--show", choices=("weights", "scores"))
        command.add_argument("--direction", choices=("from", "to", "received"))
        command.add_argument("--scale", choices=("share", "all", "map"))
        command.add_argument("--theme", choices=("light", "dark", "print"))
        command.add_argument("--width", help="of the picture, such as 3.25in or 8.3cm")
        command.add_argument("-o", "--output", required=True, metavar="FILE", help=f"ends in {', '.join(SUFFIXES)}")


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
