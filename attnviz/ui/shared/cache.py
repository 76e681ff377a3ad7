"""The only module that caches. What is cached is shared by all visitors, never changed, and limited in number.

It loads torch only where something is computed; by then the page has drawn its title and its question.
"""

import time
from collections.abc import Callable, Hashable
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import cards, data, models
from attnviz.cards import Card
from attnviz.data import inputs
from attnviz.data.inputs import drawing
from attnviz.errors import BadInput
from attnviz.ui.shared import first_look

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint
    from attnviz.measures.maps import Maps
    from attnviz.ui.components.pixel_viewer import AttentionView
    from attnviz.ui.shared.inference import TapInfo

T = TypeVar("T")

QUICK = 256  # pictures of a generated data set that are made at first: a tenth of a second for strokes
ANSWERS = 250  # pictures in one batch
PATIENCE = 0.3  # seconds after which a progress bar is shown


def picture(source: str, number: int) -> tuple[npt.NDArray[np.uint8], str]:
    """Return a picture as it is, and the name of what it shows.

    Args:
        source: a data set, or the name of a visitor's drawing.
        number: its index in the test split; ignored for a drawing.

    Returns:
        uint8 (row, column, channel), and a class; a question mark for a drawing.

    Raises:
        UnknownName: no such data set.
        BadInput: no such number, or one that is not among the samples where the data set is not downloaded.
        DataError: the data set is not here, and there are no samples of it.
    """
    if drawing.is_name(source):
        return drawing.read(source)[:, :, None], drawing.LABEL
    shown, spec = data.shown(source), data.spec(source)
    place = shown.place(number)
    if place is None:
        raise BadInput(missing(source, number))
    if spec.make_some and not spec.megabytes and (spec.made_from or place >= QUICK):
        return _made(source, shown.split, place)
    count = QUICK if spec.make and place < QUICK <= len(shown.labels) else None
    images, labels = data.load(source, shown.split, count=count)
    return images[place], spec.classes[labels[place]]


def missing(source: str, number: int) -> str:
    """Return why the picture of that number cannot be shown, as a sentence."""
    spec, shown = data.spec(source), data.shown(source)
    if shown.split == "test" or number >= spec.counts["test"]:
        return f"{spec.title} has test pictures 0 to {spec.counts['test'] - 1:,}; there is no number {number:,}."
    return (
        f"Picture {number:,} of {spec.title} has not been downloaded: there are only {len(shown.numbers)} sample "
        f"pictures until you get the rest with `python -m attnviz data {source}` ({spec.megabytes} MB)."
    )


def seen(card: Card, source: str, number: int) -> npt.NDArray[np.uint8]:
    """Return a picture as a model takes it, uint8 (row, column, channel).

    Raises:
        as `picture` does; BadInput also where the picture cannot become what the model takes.
    """
    taken = models.input_of(card.recipe.model, card.config)
    return inputs.fitted(picture(source, number)[0], **asdict(taken))


def ink(source: str) -> bool:
    """Return whether the pictures of a source are drawings, whose ink is outlined on the maps."""
    return drawing.is_name(source) or data.spec(source).ink


def single(name: str) -> "Checkpoint":
    """Return a trained model in single precision, as it was trained, for the live channel, which must be fast.

    Raises:
        UnknownName, CheckpointError: as `checkpoints.load` does.
    """
    return _single(name, cards.read(name).weights_digest)


def place(source: str, number: int) -> str:
    """Return where a picture comes from, in the form used by exports: "mnist/test/7", or a digest for a drawing."""
    return drawing.place(source) if drawing.is_name(source) else f"{source}/test/{number}"


def attention(card: Card, source: str, number: int) -> "AttentionView":
    """Return what the viewer needs of a model and a test picture."""
    found = first_look.stored(card.name, place(source, number))
    if found is None:
        return _attention(card.name, card.weights_digest, source, number)
    from attnviz.ui.components.pixel_viewer import unpacked

    return unpacked(found)


def list_taps(card: Card) -> dict[str, "TapInfo"]:
    """Return the taps of a model by tap path."""
    return _list_taps(card.name, card.weights_digest)


def tap(card: Card, source: str, number: int, address: str, query: int | None) -> "Maps":
    """Return the value of one tap on a test picture, as maps."""
    return _tap(card.name, card.weights_digest, source, number, address, query)


def answer(card: Card, source: str, number: int) -> str:
    """Return a model's answer to a test picture and its probability, in words for an export."""
    return _answer(card.name, card.weights_digest, source, number)


def answers(card: Card, source: str) -> npt.NDArray[np.int64]:
    """Return a model's answers to the available test pictures, as labels; -1 where it does not know the class.

    They come in the order of `data.shown(source)`. If this takes a while, a bar shows the progress.
    """
    shown = data.shown(source)
    parts, bar, began = [], None, time.monotonic()
    for first in range(0, len(shown.labels), ANSWERS):
        if bar is None and time.monotonic() - began > PATIENCE:
            bar = st.progress(0.0)
        if bar is not None:
            done = first / len(shown.labels)
            bar.progress(done, f"Asking the model about {len(shown.labels):,} test pictures, once: {first:,} are done")
        parts.append(_answers(card.name, card.weights_digest, source, shown.split, first))
    if bar is not None:
        bar.empty()
    return np.concatenate(parts)


def wrong_answers(card: Card, source: str) -> npt.NDArray[np.int64]:
    """Return the numbers of the available test pictures that a model answers wrongly."""
    shown, found = data.shown(source), answers(card, source)
    numbers: npt.NDArray[np.int64] = shown.numbers[(found >= 0) & (found != shown.labels)]
    return numbers


def computed(compute: "Callable[..., T]", card: Card, *arguments: Hashable) -> "T":
    """Return the result of a function for a model, kept for the next request with the same arguments.

    Args:
        compute: called with the model in double precision, as a `Checkpoint`, and the arguments. A function at module
            level: its name is part of the key.
        card: of the model.
        *arguments: plain values.
    """
    found: T = _computed(
        f"{compute.__module__}.{compute.__qualname__}", card.name, card.weights_digest, arguments, compute
    )
    return found


# The digest is part of every key: a checkpoint that is trained again is a different one.


@st.cache_resource(max_entries=4, show_spinner=False)
def _checkpoint(name: str, digest: str) -> "Checkpoint":
    from attnviz.ui.shared import inference

    return inference.exactly(name)


@lru_cache(maxsize=256)
def _made(source: str, split: str, place: int) -> tuple[npt.NDArray[np.uint8], str]:
    images, labels = data.pick(source, split, [place])
    return images[0], data.spec(source).classes[labels[0]]


# What the live channel needs at every movement is in Python's own cache: a look into Streamlit's takes 0.2 ms,
# as long as a small model.
@lru_cache(maxsize=16)
def _single(name: str, digest: str) -> "Checkpoint":
    from attnviz import checkpoints

    return checkpoints.load(name)


@st.cache_data(max_entries=64, show_spinner=False)
def _computed(key: str, name: str, digest: str, arguments: "tuple[Hashable, ...]", _compute: "Callable[..., T]") -> "T":
    return _compute(_checkpoint(name, digest), *arguments)


@st.cache_data(max_entries=32, show_spinner=False)
def _attention(name: str, digest: str, source: str, number: int) -> "AttentionView":
    from attnviz.ui.shared import inference

    checkpoint = _checkpoint(name, digest)
    said = None if drawing.is_name(source) else picture(source, number)[1]
    image = seen(checkpoint.card, source, number)
    return inference.attention(checkpoint, image, said, place(source, number), ink=ink(source))


@st.cache_data(max_entries=32, show_spinner=False)
def _list_taps(name: str, digest: str) -> dict[str, "TapInfo"]:
    from attnviz.ui.shared import inference

    return inference.list_taps(_checkpoint(name, digest))


@st.cache_data(max_entries=32, show_spinner=False)
def _tap(name: str, digest: str, source: str, number: int, address: str, query: int | None) -> "Maps":
    from attnviz.ui.shared import inference

    checkpoint = _checkpoint(name, digest)
    return inference.tap(checkpoint, seen(checkpoint.card, source, number), address, query)


@st.cache_data(max_entries=256, show_spinner=False)
def _answer(name: str, digest: str, source: str, number: int) -> str:
    from attnviz.ui.shared import inference

    checkpoint = _checkpoint(name, digest)
    return inference.answer(checkpoint, seen(checkpoint.card, source, number))


@st.cache_data(max_entries=1024, show_spinner=False)
def _answers(name: str, digest: str, source: str, split: str, first: int) -> npt.NDArray[np.int64]:
    from attnviz.ui.shared import inference

    return inference.answers(single(name), data.load(source, split), slice(first, first + ANSWERS))
