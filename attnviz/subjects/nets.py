"""Which nets there are: checkpoints, and the kinds of nets whose keys begin with a word and a colon."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from attnviz.errors import UnknownName
from attnviz.extensions import Table
from attnviz.subjects.history import epoch_of_history
from attnviz.subjects.net import Net, NetKind, of_recipe
from attnviz.subjects.own import own_net
from attnviz.subjects.runs import epoch_of_run

if TYPE_CHECKING:
    from torch import nn

    from attnviz.card import Card

NETS: Table[NetKind] = Table("nets", {"run": epoch_of_run, "history": epoch_of_history, "own": own_net})
"""Kinds of nets besides checkpoints, by what their keys begin with; other packages add rows (attnviz/extensions.py)."""


def net(key: str) -> Net:
    """Return the net with a key.

    Raises:
        UnknownName: there is no such net; the closest ones are listed.
        CheckpointError: it is a checkpoint whose card cannot be used.
    """
    kind, colon, _ = key.partition(":")
    if colon:
        if kind not in NETS:
            raise UnknownName("kind of net", kind, NETS)
        return NETS[kind](key)
    from attnviz import cards

    return of_card(cards.read(key))


def usable(among: Sequence[str] | None = None) -> dict[str, Net]:
    """Return those of several checkpoints, or of all, that can be shown: with a readable card, and with weights."""
    from attnviz import cards

    found = {}
    for name, card in cards.usable(cards.names() if among is None else among).items():
        with suppress(UnknownName):  # of its architecture
            found[name] = of_card(card)
    return found


def of_card(card: Card) -> Net:
    """Return the net of a checkpoint; the same one as long as its card and whether it has a history stay the same."""
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
