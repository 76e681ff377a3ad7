"""Whether attention matters: remove the most attended tokens, and measure how the model's confidence drops.

A token is removed by filling all pixels of its box with the picture's mean, or with the background. The most attended
tokens are compared with a control, random tokens of which as many contain ink, and with the tokens whose pixels have
the largest Jacobian. The outcome is the change of the logit, which is below 0 if the model is less sure.

"Position" counts the tokens that lie on the picture, row by row from 0. A leading token without a position cannot be
removed, although it takes part in attention.

Source: erasing by rank of attention and of others is from "Is Attention Interpretable?", Serrano and Smith, 2019,
https://arxiv.org/abs/1906.03731; gradients compared with attention from "Attention is not Explanation", Jain and
Wallace, 2019, https://arxiv.org/abs/1902.10186. The model was not trained on pictures with holes, so part of a change
may be due to the hole itself, which is why the control has holes too.
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
BATCH = 256  # pictures per forward pass
_EQUAL = 1e-6  # fraction of the largest value: smaller differences are rounding


@dataclass(frozen=True, eq=False)
class Look:
    """A model's answer to one unedited picture, and the ranks of its positions.

    Args:
        answer: number of the predicted class.
        logit: its logit; for two classes the log-odds in its favour, never below 0.
        received: (position,), the mean weight over heads and queries that the position receives, 0..1.
        gradient: (position,), sum over the box's pixels of the absolute derivative of `logit` by the intensity (0..1).
        grid: where the positions lie.
    """

    answer: int
    logit: float
    received: Floats
    gradient: Floats
    grid: Grid


@dataclass(frozen=True, eq=False)
class Choice:
    """The removed positions, chosen in three ways.

    Args:
        attended, jacobian: bool (position,)
        random: bool (draw, position), each with as many positions with ink as `attended`.
        attended_ink, jacobian_ink: number of removed positions with ink.
    """

    attended: Tensor
    jacobian: Tensor
    random: Tensor
    attended_ink: int
    jacobian_ink: int


@dataclass(frozen=True, eq=False)
class Line:
    """The result over pictures for one way of choosing tokens; each array is (count,).

    Args:
        mean: mean over pictures of each picture's mean over draws.
        spread: standard deviation of the same over pictures.
        spread_of_draws: standard deviation over draws, averaged over pictures; 0 if nothing is drawn.
    """

    mean: Floats
    spread: Floats
    spread_of_draws: Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """The change of the answer's logit by number of removed tokens; below 0 the model is less sure.

    Args:
        counts: (count,), numbers of removed tokens.
        places: number of tokens on a picture.
        answers: (picture,), the class predicted for the unedited picture.
        logits: (picture,), its logit there.
        attended, jacobian: (picture, count), the change if these tokens are removed.
        random: (picture, count, draw), likewise.
        attended_ink, jacobian_ink: (picture, count), number of removed tokens with ink; for `random` as for `attended`.
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
        """Return the mean change in logits for each count, and its spread over pictures, for one way of choosing
        tokens.
        """
        found: Floats = getattr(self, name)
        changes = found.reshape(*self.attended.shape, -1)  # (picture, count, draw)
        each = changes.mean(2)
        return Line(each.mean(0), each.std(0), changes.std(2).mean(0))


def look(model: nn.Module, image: Tensor, path: str | None = None) -> Look:
    """Return a model's answer to a picture, and the ranks of its positions by attention and by the Jacobian.

    Args:
        model: a model of pictures with an attention layer, in evaluation mode.
        image: float (channel, row, column) in 0..1, in the model's precision.
        path: path of the attention layer; None for the model's first.

    Returns:
        The answer, its logit, and for each position the mean weight that it receives and the size of the Jacobian in
        its box.
    """
    if path is None:
        layers = [path for path, part in model.named_modules() if {"query", "key"} <= {*getattr(part, "taps", ())}]
        path = layers[0] if layers else None
        if path is None:
            raise BadInput("This model has no attention layer, so there are no attended tokens to remove.")
    query, key = (f"{path}.{tap}".removeprefix(".") for tap in ("query", "key"))
    with trace(model, [query, key]) as seen:
        logits, gradient = jacobian.answered(model, image[None])
    answer = predicted(logits)
    grid = seen[query].grid
    if grid is None:
        raise BadInput(f"{path} does not record where its tokens are, so they cannot be removed from a picture.")
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
    """Return all positions of values (position,), largest value first: int64 (position,).

    Equal values come in random order. Without position codes, all pixels of one intensity are equal, and there is no
    reason to start at the upper left.
    """
    ordered, places = torch.tensor(values).sort(descending=True)
    ranks = torch.empty_like(places)
    ranks[places[1:]] = (ordered[:-1] - ordered[1:] > _EQUAL * ordered.abs().max()).cumsum(0)
    ranks[places[0]] = 0
    shuffled = torch.randperm(len(values), generator=generator)
    return shuffled[ranks[shuffled].argsort(stable=True)]


def drawn(chosen: Tensor, inked: Tensor, draws: int, generator: torch.Generator) -> Tensor:
    """Draw as many positions as are chosen, bool (position,), equally many with ink: bool (draw, position)."""
    found = torch.zeros(draws, len(chosen), dtype=torch.bool)
    chance = torch.rand(draws, len(chosen), generator=generator)
    for kind in (inked, ~inked):
        count = int((chosen & kind).sum())
        found.scatter_(1, chance.masked_fill(~kind, -1).topk(count).indices, True)
    return found


def choices(seen: Look, inked: Tensor, counts: Sequence[int], draws: int, generator: torch.Generator) -> list[Choice]:
    """Return the choices for each number of tokens to remove: those that receive most, those with the largest Jacobian,
    and `draws` random ones. The generator also breaks ties. `inked` is bool (position,).
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
    """Return a picture without some of its tokens, for several choices, and the change of its answer's logit.

    Args:
        model: a model of pictures in evaluation mode.
        image: float (channel, row, column) in 0..1, in the model's precision.
        seen: the model's answer to it.
        removed: bool (choice, position), all choices in one batch.
        fill: see `erased`.

    Returns:
        Pictures (choice, channel, row, column), and changes (choice,), below 0 if the model is less sure.
    """
    pictures = erased(image.expand(len(removed), -1, -1, -1), removed, seen.grid, fill)
    with torch.no_grad():
        return pictures, change(model(pictures), seen)


def change(logits: Tensor, seen: Look) -> Floats:
    """Return the change of the answer's logit without some of the tokens, float64 (choice,), from logits (choice,
    column). It is below 0 if the model is less sure of its answer.
    """
    toward = jacobian.toward(logits, torch.full((len(logits),), seen.answer))
    return toward.double().numpy() - seen.logit


def answers(logits: Tensor) -> Integers:
    """Return the predicted classes, int64 (picture,), for logits (picture, 1) or (picture, class)."""
    return predicted(logits).numpy()


def curve(
    model: nn.Module,
    images: Tensor,
    counts: Sequence[int],
    *,
    generator: torch.Generator,
    draws: int = DRAWS,
    fill: Fill = "mean",
    path: str | None = None,
    report: Callable[[int, int], None] | None = None,
    must_change: bool = True,
) -> Curve:
    """Remove an increasing number of tokens from each picture in three ways, and return how the answer's logit changes.

    Args:
        model: a model of pictures with an attention layer, in evaluation mode.
        images: float (batch, channel, row, column) in 0..1, in the model's precision; one or more pictures.
        counts: numbers of tokens to remove.
        generator: draws the random choices.
        draws: number of random choices per picture and count.
        fill: see `erased`.
        path: path of the attention layer; None for the model's first.
        report: called after each picture with the numbers of finished pictures and of all pictures.
        must_change: refuse removals that change no picture, which part of a longer curve may contain.

    Returns:
        The changes for every picture, count and draw.
    """
    if not len(images) or not counts or draws < 1:
        raise BadInput("Removing takes at least one picture, one count of tokens and one draw.")
    looks: list[Look] = []
    chosen: list[list[Choice]] = []  # (picture, count)
    changes, changed = [], False
    for image in images:
        seen = look(model, image, path)
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
    """Concatenate curves of different pictures with the same counts, in order."""
    if not parts or any(not np.array_equal(p.counts, parts[0].counts) or p.places != parts[0].places for p in parts):
        raise BadInput(
            "Only curves that remove the same numbers of tokens can be joined, and there must be at least one."
        )
    of_pictures = ("answers", "logits", "attended", "random", "jacobian", "attended_ink", "jacobian_ink")
    arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in of_pictures}
    return replace(parts[0], **arrays)
