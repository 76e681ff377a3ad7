"""The commands `attnviz figure` and `attnviz view`."""

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


def write(options: argparse.Namespace) -> Iterator[str]:
    """Write a figure and yield the lines to print: the size of a page, before it is written."""
    path = Path(options.output)
    if path.suffix.lower().removeprefix(".") not in SUFFIXES:
        raise BadInput(f"{path.name}: a figure is saved as one of {', '.join(SUFFIXES)}; end the name with it.")
    made = figure_of(options)
    made.save(path)
    yield f"{path}: {made.words()}"


def view(options: argparse.Namespace) -> tuple[str, dict[str, str]]:
    """Return the page of the app for the arguments of a command line, and its environment variables."""
    words: dict[str, str]
    if ":" not in options.model and not options.timm:
        from attnviz.figures import ours

        subject = ours.subject_of(options.model, options.picture)
        words, variables = {"model": options.model, **subject.example.words}, {}
    else:
        photo = Path(options.picture).absolute()
        photo_of(photo)  # reports a file that is not a picture
        if photo.suffix.lower() not in photos.SUFFIXES:
            raise BadInput(f"{photo.name}: the app reads photographs that end in {', '.join(photos.SUFFIXES)}.")
        words = {"photo": photo.name}
        named = own.TIMM if options.timm else own.MODEL
        variables = {named: options.model, photos.VARIABLE: str(photo.parent), own.WEIGHTS: weights_of(options.weights)}
    if options.query is not None:
        words["query"] = ",".join(str(part + 1) for part in options.query)
    return f"explorer?{urlencode(words)}", variables


def weights_of(word: str | None) -> str:
    """Return the weights of a timm model in the form for the app: the full path of a file, "random", or "" for none."""
    return str(Path(word).absolute()) if word not in (None, "", RANDOM) else word or ""


def figure_of(options: argparse.Namespace) -> Figure | GateFigure:
    """Return the figure for the arguments of a command line."""
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
    except Exception as error:  # from any third-party code
        raise BadInput(f"{options.model} does not take this picture: {type(error).__name__}: {error}") from error
    if of_gates:
        return gates(seen, over=loaded.photo(batch), **named)
    return figure(seen, over=loaded.photo(batch), classes=loaded.classes or None, **named)
