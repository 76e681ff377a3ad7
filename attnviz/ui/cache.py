"""The only place that caches. What is cached is shared by all visitors: never changed, and bounded in number.

Loads torch only where something is computed: a page has drawn its head by then.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import cards, data
from attnviz.cards import Card
from attnviz.data import drawing
from attnviz.ui import first_look

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint
    from attnviz.measures.maps import Maps
    from attnviz.ui.looking import Heard
    from attnviz.ui.pixel_viewer import AttentionView

T = TypeVar("T")

QUICK = 256  # so many strokes are drawn in a tenth of a second; all 10,000 take three


def picture(source: str, number: int) -> tuple[npt.NDArray[np.uint8], str]:
    """Return a test picture, uint8 (row, column, channel), and the name of what it shows; or a visitor's drawing."""
    if drawing.is_name(source):
        return drawing.read(source)[:, :, None], drawing.LABEL
    count = QUICK if source == "strokes" and number < QUICK else None
    images, labels = data.load(source, "test", count=count)
    return images[number], data.DATASETS[source].classes[labels[number]]


def single(name: str) -> "Checkpoint":
    """Return a trained model in single precision, as it was trained: for the live channel, which must be quick.

    Raises:
        UnknownName, CheckpointError: as `checkpoints.load` does.
    """
    try:
        written = (cards.folder() / name / "card.json").stat().st_mtime_ns
    except OSError:
        written = 0  # reading it says what is amiss
    return _single(name, _card(name, written).weights_digest)


def head(card: Card, address: str) -> int:
    """Return the head of a layer that a card of the draw page shows until one is chosen, as `furthest` finds it."""
    return _head(card.name, card.weights_digest, address)


def place(source: str, number: int) -> str:
    """Return where a picture comes from, as exports say it: "mnist/test/7", and of a drawing a digest."""
    return drawing.place(source) if drawing.is_name(source) else f"{source}/test/{number}"


def attention(card: Card, source: str, number: int) -> "AttentionView":
    """Return what the viewer needs of a model and a test picture."""
    found = first_look.read(card, place(source, number))
    return found or _attention(card.name, card.weights_digest, source, number)


def heard(card: Card) -> dict[str, "Heard"]:
    """Return what could be heard of a model, by address."""
    return _heard(card.name, card.weights_digest)


def tap(card: Card, source: str, number: int, address: str, query: int | None) -> "Maps":
    """Return what one tap says of a test picture, as maps."""
    return _tap(card.name, card.weights_digest, source, number, address, query)


def answers(card: Card, source: str) -> npt.NDArray[np.int64]:
    """Return a model's answers to all test pictures, as labels; -1 where it does not know the class."""
    return _answers(card.name, card.weights_digest, source)


def wrong_answers(card: Card, source: str) -> npt.NDArray[np.int64]:
    """Return the places of the test pictures that a model answers wrongly."""
    found = answers(card, source)
    return np.flatnonzero((found >= 0) & (found != data.labels(source, "test")))


def kept(compute: "Callable[..., T]", card: Card, *arguments: Hashable) -> "T":
    """Return what a function gives for a model, kept for whoever asks the same again.

    Args:
        compute: called with the model in double precision, as a `Checkpoint`, and the arguments. A function of a
            module: its name is part of what is remembered by.
        card: of the model.
        *arguments: plain values.
    """
    found: T = _kept(f"{compute.__module__}.{compute.__qualname__}", card.name, card.weights_digest, arguments, compute)
    return found


def piece(compute: "Callable[..., T]", card: Card, *arguments: Hashable) -> "T":
    """Do as `kept` does, for the small pieces of something long: many are kept, so that it goes on where it stopped."""
    found: T = _piece(
        f"{compute.__module__}.{compute.__qualname__}", card.name, card.weights_digest, arguments, compute
    )
    return found


# The digest is part of every key: a checkpoint that is trained again is another one.


@st.cache_resource(max_entries=4, show_spinner=False)
def _checkpoint(name: str, digest: str) -> "Checkpoint":
    from attnviz.ui import looking

    return looking.exactly(name)


# What the live channel asks for at every movement is in Python's own cache: to look into Streamlit's takes 0.2 ms,
# as long as a small model. Reading a card takes a hundred times as long as seeing that nobody has written it again.
@lru_cache(maxsize=64)
def _card(name: str, written: int) -> Card:
    return cards.read(name)


@lru_cache(maxsize=16)
def _single(name: str, digest: str) -> "Checkpoint":
    from attnviz import checkpoints

    return checkpoints.load(name)


@lru_cache(maxsize=64)
def _head(name: str, digest: str, address: str) -> int:
    from attnviz.ui import live_derived

    return live_derived.furthest(_checkpoint(name, digest), address)


@st.cache_data(max_entries=64, show_spinner=False)
def _kept(key: str, name: str, digest: str, arguments: "tuple[Hashable, ...]", _compute: "Callable[..., T]") -> "T":
    return _compute(_checkpoint(name, digest), *arguments)


@st.cache_data(max_entries=1024, show_spinner=False)
def _piece(key: str, name: str, digest: str, arguments: "tuple[Hashable, ...]", _compute: "Callable[..., T]") -> "T":
    return _compute(_checkpoint(name, digest), *arguments)


@st.cache_data(max_entries=32, show_spinner=False)
def _attention(name: str, digest: str, source: str, number: int) -> "AttentionView":
    from attnviz.ui import looking

    image, label = picture(source, number)
    said = None if drawing.is_name(source) else label
    return looking.attention(_checkpoint(name, digest), image, said, place(source, number))


@st.cache_data(max_entries=32, show_spinner=False)
def _heard(name: str, digest: str) -> dict[str, "Heard"]:
    from attnviz.ui import looking

    return looking.heard(_checkpoint(name, digest), picture("strokes", 0)[0])


@st.cache_data(max_entries=32, show_spinner=False)
def _tap(name: str, digest: str, source: str, number: int, address: str, query: int | None) -> "Maps":
    from attnviz.ui import looking

    return looking.tap(_checkpoint(name, digest), picture(source, number)[0], address, query)


@st.cache_data(max_entries=32, show_spinner="Asking the model about all test pictures, once")
def _answers(name: str, digest: str, source: str) -> npt.NDArray[np.int64]:
    from attnviz.ui import looking

    return looking.answers(name, source)
