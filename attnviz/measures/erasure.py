"""Does attention matter? Remove what is attended most, and measure how much less sure the model becomes.

What is removed are tokens: all pixels of a token's box on the picture get the picture's mean, or the background. Beside
the most attended ones stand the control, tokens drawn at random with as much ink among them, and the choice of the
Jacobian, the tokens whose pixels move the answer most. The outcome is the change of the logit, below 0 for less sure.

"Place" counts the tokens that lie on the picture, row by row from 0; a leading token that lies nowhere cannot be
removed, though it attends and is attended to.

Source: erasing by attention's rank, against others' ranks: "Is Attention Interpretable?", Serrano and Smith, 2019,
https://arxiv.org/abs/1906.03731; gradients beside attention: "Attention is not Explanation", Jain and Wallace, 2019,
https://arxiv.org/abs/1902.10186. The model was not trained on pictures with holes, so part of a change can come from
the hole itself, which is why the control has holes too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from attnviz.answers import predicted
from attnviz.arrays import Floats, Integers
from attnviz.errors import BadInput
from attnviz.measures import jacobian
from attnviz.measures.attention import normalisers
from attnviz.measures.token_boxes import Fill, boxes, erased, ink
from attnviz.readings import Grid
from attnviz.tracing import trace

DRAWS = 20
BATCH = 256  # pictures at once through the model
_EQUAL = 1e-6  # of the largest value: nearer values differ by rounding only


@dataclass(frozen=True, eq=False)
class Look:
    """A model's answer to one unedited picture, and the ranks of its positions.

    Args:
        answer: number of the class it chooses.
        logit: of that class: for two classes the log-odds toward it, so never below 0; for more its logit.
        received: (place,) the mean weight over heads and queries that goes there, 0..1.
        gradient: (place,) the sum over the box's pixels of the absolute derivative of `logit` by the intensity (0..1).
        grid: where the places are.
    """

    answer: int
    logit: float
    received: Floats
    gradient: Floats
    grid: Grid


@dataclass(frozen=True, eq=False)
class Choice:
    """Which places are removed, in three ways.

    Args:
        attended, jacobian: bool (place,)
        random: bool (draw, place), each with as many places with ink as `attended` has.
        attended_ink, jacobian_ink: how many of them have ink.
    """

    attended: Tensor
    jacobian: Tensor
    random: Tensor
    attended_ink: int
    jacobian_ink: int


@dataclass(frozen=True, eq=False)
class Line:
    """The result of one rule of choosing tokens, over pictures; each array is (count,).

    Args:
        mean: over pictures, of each picture's mean over draws.
        spread: over pictures, the standard deviation of the same.
        spread_of_draws: the standard deviation over draws, mean over pictures; 0 where nothing is drawn.
    """

    mean: Floats
    spread: Floats
    spread_of_draws: Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """The change of the logit of the answer, by how many tokens are removed; below 0 is less sure.

    Args:
        counts: (count,) how many tokens are removed.
        places: how many tokens lie on a picture.
        answers: (picture,) the class chosen on the unedited picture.
        logits: (picture,) its logit there.
        attended, jacobian: (picture, count) the change where those tokens are removed.
        random: (picture, count, draw) likewise.
        attended_ink, jacobian_ink: (picture, count) how many of the removed tokens have ink; in `random` as `attended`.
    """

    counts: Integers
    places: int
    answers: Integers
    logits: Floats
    attended: Floats
    random: Floats
    jacobian: Floats
    attended_ink: Integers
    jacobian_ink: Integers

    def line(self, name: Literal["attended", "random", "jacobian"]) -> Line:
        """Return the mean change and its spread over the pictures for each count, in logits, for one rule of choosing
        the tokens.
        """
        found: Floats = getattr(self, name)
        changes = found.reshape(*self.attended.shape, -1)  # (picture, count, draw)
        each = changes.mean(2)
        return Line(each.mean(0), each.std(0), changes.std(2).mean(0))


def look(model: nn.Module, image: Tensor, address: str | None = None) -> Look:
    """Return a model's answer to a picture, and how attention and the Jacobian rank its places.

    Args:
        model: of pictures, with an attention layer, in evaluation mode.
        image: float (channel, row, column) in 0..1, of the model's precision.
        address: of the attention layer; None for the model's first.

    Returns:
        The answer, its logit, and for each place the mean weight that it receives and the size of the Jacobian in its
        box.
    """
    if address is None:
        layers = [path for path, part in model.named_modules() if {"query", "key"} <= {*getattr(part, "taps", ())}]
        address = layers[0] if layers else None
        if address is None:
            raise BadInput("This model has no attention layer, so there are no attended tokens to remove.")
    query, key = (f"{address}.{tap}".removeprefix(".") for tap in ("query", "key"))
    with trace(model, [query, key]) as seen:
        logits, gradient = jacobian.answered(model, image[None])
    answer = predicted(logits)
    grid = seen[query].grid
    if grid is None:
        raise BadInput(f"{address} does not record where its tokens are, so they cannot be removed from a picture.")
    _, received = normalisers(seen[query].at(batch=0), seen[key].at(batch=0))  # (head, token)
    steepness = gradient[0].abs().sum(0).flatten().double()  # (pixel,)
    return Look(
        answer=int(answer),
        logit=float(jacobian.toward(logits, answer)),
        received=received[:, grid.prefix :].mean(0),
        gradient=(boxes(grid, *image.shape[1:]).flatten(1).double() @ steepness).numpy(),
        grid=grid,
    )


def ranked(values: Floats, generator: torch.Generator) -> Tensor:
    """Return all places of values (place,), the one with the largest value first: int64 (place,).

    Equal ones come in random order: without positions, all pixels of one intensity are equal, and there is no reason to
    begin at the upper left.
    """
    ordered, places = torch.tensor(values).sort(descending=True)
    ranks = torch.empty_like(places)
    ranks[places[1:]] = (ordered[:-1] - ordered[1:] > _EQUAL * ordered.abs().max()).cumsum(0)
    ranks[places[0]] = 0
    shuffled = torch.randperm(len(values), generator=generator)
    return shuffled[ranks[shuffled].argsort(stable=True)]


def drawn(chosen: Tensor, inked: Tensor, draws: int, generator: torch.Generator) -> Tensor:
    """Draw as many places as are chosen, bool (place,), with as many among them that have ink: bool (draw, place)."""
    found = torch.zeros(draws, len(chosen), dtype=torch.bool)
    chance = torch.rand(draws, len(chosen), generator=generator)
    for kind in (inked, ~inked):
        count = int((chosen & kind).sum())
        found.scatter_(1, chance.masked_fill(~kind, -1).topk(count).indices, True)
    return found


def choices(seen: Look, inked: Tensor, counts: Sequence[int], draws: int, generator: torch.Generator) -> list[Choice]:
    """Return, for each count of tokens to remove, those that receive most, those of the largest Jacobian, and `draws`
    random ones. The generator also decides among equal ranks; inked is bool (place,).
    """
    places = len(inked)
    for count in counts:
        if not 0 <= count <= places:
            raise BadInput(f"{count} tokens cannot be removed: for this model a picture has {places}.")
    orders = ranked(seen.received, generator), ranked(seen.gradient, generator)
    found = []
    for count in counts:
        first = [torch.zeros(places, dtype=torch.bool).index_fill(0, order[:count], True) for order in orders]
        random = drawn(first[0], inked, draws, generator)
        found.append(Choice(first[0], first[1], random, *(int((removed & inked).sum()) for removed in first)))
    return found


def changes_of(
    model: nn.Module, image: Tensor, seen: Look, removed: Tensor, fill: Fill = "mean"
) -> tuple[Tensor, Floats]:
    """Return a picture without some of its tokens, in several ways, and how much the logit of its answer changes.

    Args:
        model: of pictures, in evaluation mode.
        image: float (channel, row, column) in 0..1, of the model's precision.
        seen: what the model makes of it.
        removed: bool (choice, place), all choices in one batch.
        fill: see `erased`.

    Returns:
        Pictures (choice, channel, row, column), and changes (choice,); below 0 is less sure.
    """
    pictures = erased(image.expand(len(removed), -1, -1, -1), removed, seen.grid, fill)
    with torch.no_grad():
        return pictures, change(model(pictures), seen)


def change(logits: Tensor, seen: Look) -> Floats:
    """Return how much the logit of a picture's answer changes without some of its tokens, float64 (choice,); below 0,
    the model is less sure of its answer. Logits are (choice, column).
    """
    toward = jacobian.toward(logits, torch.full((len(logits),), seen.answer))
    return toward.double().numpy() - seen.logit


def answers(logits: Tensor) -> Integers:
    """Return the numbers of the chosen classes, int64 (picture,), of logits (picture, 1) or (picture, class)."""
    return predicted(logits).numpy()


def curve(
    model: nn.Module,
    images: Tensor,
    counts: Sequence[int],
    *,
    generator: torch.Generator,
    draws: int = DRAWS,
    fill: Fill = "mean",
    address: str | None = None,
    report: Callable[[int, int], None] | None = None,
    must_change: bool = True,
) -> Curve:
    """Remove more and more tokens from each picture in three ways, and return how the logit of its answer changes.

    Args:
        model: of pictures, with an attention layer, in evaluation mode.
        images: float (batch, channel, row, column) in 0..1, of the model's precision; one picture or many.
        counts: how many tokens to remove.
        generator: of the random choices.
        draws: random choices for each picture and count.
        fill: see `erased`.
        address: of the attention layer; None for the model's first.
        report: called after each picture with how many are done, of how many.
        must_change: refuse removals that change no picture; a part of a longer curve may have none that do.

    Returns:
        The changes for every picture, count and draw.
    """
    if not len(images) or not counts or draws < 1:
        raise BadInput("Removing takes at least one picture, one count of tokens and one draw.")
    looks: list[Look] = []
    chosen: list[list[Choice]] = []  # (picture, count)
    changes, changed = [], False
    for image in images:
        seen = look(model, image, address)
        choice = choices(seen, ink(image[None], seen.grid)[0], counts, draws, generator)
        removed = torch.cat([torch.stack([each.attended, each.jacobian, *each.random]) for each in choice])
        found = []
        for part in removed.split(BATCH):
            pictures, change = changes_of(model, image, seen, part, fill)
            changed = changed or bool((pictures != image).any())
            found.append(change)
        changes.append(np.concatenate(found).reshape(len(counts), -1))
        looks.append(seen)
        chosen.append(choice)
        if report is not None:
            report(len(looks), len(images))
    if must_change and not changed:
        raise BadInput("No picture changes: everything that is removed already has the value that replaces it.")
    every = np.stack(changes)  # (picture, count, 2 + draw)
    return Curve(
        counts=np.array(counts),
        places=looks[0].grid.rows * looks[0].grid.columns,
        answers=np.array([seen.answer for seen in looks]),
        logits=np.array([seen.logit for seen in looks]),
        attended=every[..., 0],
        random=every[..., 2:],
        jacobian=every[..., 1],
        attended_ink=np.array([[each.attended_ink for each in choice] for choice in chosen]),
        jacobian_ink=np.array([[each.jacobian_ink for each in choice] for choice in chosen]),
    )


def joined(parts: Sequence[Curve]) -> Curve:
    """Return curves over different pictures, of the same counts, as one over all of them in their order."""
    if not parts or any(not np.array_equal(p.counts, parts[0].counts) or p.places != parts[0].places for p in parts):
        raise BadInput(
            "Only curves that remove the same numbers of tokens can be joined, and there must be at least one."
        )
    of_pictures = ("answers", "logits", "attended", "random", "jacobian", "attended_ink", "jacobian_ink")
    arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in of_pictures}
    return replace(parts[0], **arrays)
