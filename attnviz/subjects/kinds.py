"""The kinds of nets and examples: checkpoints, pictures, and the kinds that other packages add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from attnviz import data as datasets
from attnviz.data.inputs import drawing
from attnviz.errors import UnknownName
from attnviz.extensions import Table
from attnviz.subjects.drawings import Drawing
from attnviz.subjects.example import Example, ExampleKind
from attnviz.subjects.history import epoch_of_history, epoch_of_run
from attnviz.subjects.net import Net, NetKind, of_recipe
from attnviz.subjects.own import own_net
from attnviz.subjects.photos import Photo
from attnviz.subjects.pictures import Picture
from attnviz.subjects.strips import PREPARATION, Strip

if TYPE_CHECKING:
    from torch import nn

    from attnviz.card import Card


NETS: Table[NetKind] = Table("nets", {"run": epoch_of_run, "history": epoch_of_history, "own": own_net})
"""Kinds of nets besides checkpoints, by the prefix of their keys; other packages add rows (attnviz/extensions.py)."""


def net(key: str) -> Net:
    """Return the net with the given key.

    Raises:
        UnknownName: there is no such net; the closest ones are listed.
        CheckpointError: the checkpoint's card cannot be used.
    """
    kind, colon, _ = key.partition(":")
    if colon:
        if kind not in NETS:
            raise UnknownName("kind of net", kind, NETS)
        return NETS[kind](key)
    from attnviz import cards

    return of_card(cards.read(key))


def usable(among: Sequence[str] | None = None) -> dict[str, Net]:
    """Return the given checkpoints, by default all, that can be shown: those with a readable card and with weights."""
    from attnviz import cards

    found = {}
    for name, card in cards.usable(cards.names() if among is None else among).items():
        with suppress(UnknownName):  # its architecture is unknown
            found[name] = of_card(card)
    return found


def of_card(card: Card) -> Net:
    """Return the net of a checkpoint; it is cached as long as its card and the existence of a history do not change."""
    from attnviz.training import histories

    has_history = histories.there(card.name)
    known = _of_cards.get(card.name)
    if known is not None and known[0] is card and known[1] == has_history:
        return known[2]
    found = of_recipe(
        card.recipe,
        key=card.name,
        config=card.config,
        classes=card.classes,
        digest=card.weights_digest,
        seed=card.seed,
        parameters=card.parameters,
        card=card,
        history=card.name if has_history else "",
        build=lambda: _weights(card),
    )
    if len(_of_cards) >= _MOST:
        _of_cards.clear()
    _of_cards[card.name] = card, has_history, found
    return found


_of_cards: dict[str, tuple[Card, bool, Net]] = {}
_MOST = 512


def _weights(card: Card) -> nn.Module:
    from attnviz import checkpoints

    return checkpoints.load(card.name).model


def _first_drawing(net: Net) -> Example | None:
    """Return a drawn digit for a net that was trained on a visitor's own pictures, which are not in a data set here."""
    if net.data is not None or net.input.preparation == PREPARATION:
        return None
    return Drawing(drawing.word(drawing.name(datasets.load("strokes", "test", count=1).images[0, :, :, 0])))


def _first_strip(net: Net) -> Example | None:
    return Strip.test("strokes", 5, 0) if net.input.preparation == PREPARATION else None


EXAMPLES: Table[ExampleKind] = Table(
    "examples",
    {
        "drawing": ExampleKind("Your drawing", Drawing, "05_draw.py", "Back to your drawing", _first_drawing),
        "strip": ExampleKind("A strip of digits", Strip, first=_first_strip),
        "photo": ExampleKind("Your photograph", Photo),
    },
)
"""Kinds of examples besides pictures of a data set, by the URL field of their word; other packages add rows."""


def example(data: str, number: int = 0) -> Example:
    """Return the example named by a request of the live channel.

    Args:
        data: a data set, or KIND:WORD for an example of another kind.
        number: the index in the test split; ignored for other kinds.

    Raises:
        UnknownName: there is no such kind.
        BadInput: the word is not an example of its kind.
    """
    kind, colon, word = data.partition(":")
    if not colon:
        return Picture(data, number)
    if kind not in EXAMPLES:
        raise UnknownName("kind of example", kind, EXAMPLES)
    return EXAMPLES[kind].read(word)


def first_example(net: Net) -> Example | None:
    """Return the first example of a net that cannot take pictures of any data set, or None if no kind fits it."""
    return next((found for row in EXAMPLES.values() if (found := row.first(net))), None)


def example_in_url(words: Mapping[str, str]) -> Example | None:
    """Return the example that the URL names by one word, or None if there is none, or it is a picture of a data set."""
    for kind in EXAMPLES:
        if kind in words:
            return EXAMPLES[kind].read(words[kind])
    return None
