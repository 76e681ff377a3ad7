"""When does a head appear? Each head is switched off, at each epoch, on pictures not used for training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import subjects
from attnviz.arrays import Floats
from attnviz.charts.epochs import MOST, effects
from attnviz.measures.difference import paired
from attnviz.ui.live import trainings
from attnviz.ui.shared import cache, jobs
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.over_many import over_many
from attnviz.ui.shared.wording import share, verbatim
from attnviz.ui.training.experiments import choice
from attnviz.ui.training.experiments.unseen import Unseen, unseen

if TYPE_CHECKING:
    from attnviz.measures.switched import HeadLayer
    from attnviz.subjects import Loaded
    from attnviz.subjects.history import History, Point
    from attnviz.work.jobs.seen import Seen

OF, MEASURED = "of", "appear"  # URL fields: the training, and whether it is measured
PICTURES = 200
PASSES = 200  # forward passes per part of the work; live answers and pages wait no longer than that
TOGETHER = 50  # maximum number of pictures per forward pass


class Part(NamedTuple):
    """The measurements on some pictures at one epoch.

    Args:
        lost: (head, picture), the probability that the right answer loses when the head is off, -1..1.
        right: (picture,), whether the answer of the whole net is right.
        whole: (picture,), the probability that the whole net assigns to the right answer, 0..1.
    """

    lost: Floats
    changed: npt.NDArray[np.bool_]
    right: npt.NDArray[np.bool_]
    whole: Floats


@dataclass(frozen=True, eq=False)
class Measured:
    """The effects of switching each head off, epoch by epoch.

    Args:
        epochs: Ascending; 0 is before the training.
        heads: The names of the heads.
        lost: (epoch, head, picture), as in `Part`.
        changed: (epoch, head, picture), whether the answer changes.
        accuracy: (epoch,), the share of the same pictures that the whole net answers correctly.
        whole: (epoch,), the mean over pictures of the probability that the whole net assigns to the right answer.
    """

    epochs: tuple[int, ...]
    heads: tuple[str, ...]
    lost: Floats
    changed: npt.NDArray[np.bool_]
    accuracy: Floats
    whole: Floats


def show(there: Sequence[Seen]) -> None:
    """Draw the choice of a training, and the effect of each of its heads at each epoch."""
    options = choice.trainings(there)
    key = choice.pick(OF, "Training", options)
    its = trainings.history_of(key)
    net = subjects.net(its.points[-1].key)
    found, points = choice.layers(net), choice.some(its.points)
    pictures = unseen(net, PICTURES)
    heads = tuple(choice.names(found))
    st.caption(
        f"On {pictures.said}, which it was not trained on, at {len(points)} epochs of one training (seed {net.seed}); "
        f"{len(heads)} {'head' if len(heads) == 1 else 'heads'}. A {term('head')} that is switched off contributes "
        "nothing; all other weights stay as they are."
    )

    def job() -> jobs.Job[Part]:
        return work(its, points, found, pictures)

    def draw(parts: list[Part]) -> None:
        measured = together(parts, points, heads)
        finding()(in_words(measured))  # inside the fragment, because it is redrawn with every part
        _draw(measured)

    over_many(MEASURED, len(pictures), job, draw, verb=("Measure on", "done"))


def work(its: History, points: Sequence[Point], found: Sequence[HeadLayer], pictures: Unseen) -> jobs.Job[Part]:
    """Return the job: all epochs on a few pictures, then all epochs on the next, so that curves appear early."""
    nets = [subjects.net(point.key) for point in points]
    few = max(1, min(TOGETHER, PASSES // (1 + sum(layer.heads for layer in found))))
    rounds = -(-len(pictures) // few)

    def step(number: int) -> Part:
        turn, place = divmod(number, len(nets))
        some = slice(turn * few, (turn + 1) * few)
        return switch(cache.single(nets[place]), found, pictures.pictures[some], pictures.answers[some])

    key = "appear", its.key, tuple((net.key, net.digest) for net in nets), pictures.said
    return jobs.job(key, step, rounds * len(nets))


def switch(
    loaded: Loaded, found: Sequence[HeadLayer], pictures: npt.NDArray[np.uint8], answers: npt.NDArray[np.int64]
) -> Part:
    """Switch off each head, one at a time, and measure the effects."""
    import torch

    from attnviz import edits
    from attnviz.answers import as_batch, probabilities
    from attnviz.measures.switched import lost
    from attnviz.tracing import trace
    from attnviz.ui.shared import inference

    batch, right = as_batch(pictures), torch.tensor(answers)
    with torch.no_grad():
        whole = probabilities(inference.ask(loaded, batch)).double()
        best = whole.argmax(1)
        losses, changed = [], []
        for layer in found:
            for head in range(layer.heads):
                with trace(loaded.model, [], {layer.output: edits.off(head=head)}):
                    without = probabilities(inference.ask(loaded, batch)).double()
                losses.append(lost(whole, without, right))
                changed.append(without.argmax(1) != best)
    certain = whole.gather(1, right[:, None])[:, 0]
    return Part(torch.stack(losses).numpy(), torch.stack(changed).numpy(), (best == right).numpy(), certain.numpy())


def together(parts: Sequence[Part], points: Sequence[Point], heads: tuple[str, ...]) -> Measured:
    """Combine several parts, in the order of `work`: all complete rounds, or the epochs of the first round so far."""
    count = len(points)
    rounds = len(parts) // count
    if not rounds:
        points, count, rounds = points[: len(parts)], len(parts), 1
    of_epoch = [[parts[turn * count + place] for turn in range(rounds)] for place in range(count)]
    return Measured(
        tuple(point.epoch for point in points),
        heads,
        np.stack([np.concatenate([part.lost for part in some], 1) for some in of_epoch]),
        np.stack([np.concatenate([part.changed for part in some], 1) for some in of_epoch]),
        np.array([np.concatenate([part.right for part in some]).mean() for some in of_epoch]),
        np.array([np.concatenate([part.whole for part in some]).mean() for some in of_epoch]),
    )


def in_words(measured: Measured) -> str:
    """Return a sentence on which heads came to matter, and when."""
    from attnviz.measures.switched import MATTERS, appears

    means = measured.lost.mean(2)  # (epoch, head)
    last = int(measured.epochs[-1])
    count = measured.lost.shape[2]
    over = f"mean over {count} {'picture' if count == 1 else 'pictures'}"
    come = {head: place for head in range(len(measured.heads))
            if (place := appears(means[:, head].tolist())) is not None}  # fmt: skip
    if not come:
        return (
            f"**At epoch {last} no head matters by itself**: whichever one is switched off, the probability of the "
            f"right answer falls by less than {100 * MATTERS:g} percentage point ({over})."
        )
    first = min(come, key=lambda head: (come[head], -means[-1, head]))
    most = max(come, key=lambda head: means[-1, head])
    with_all = float(measured.whole[-1])
    falls = f"falls from {share(with_all)} to {share(with_all - float(means[-1, most]))} ({over})"
    heads = len(measured.heads)
    if heads == 1:
        return (
            f"**The only head comes to matter {_when(measured, come[first])}.** At epoch {last}, the probability of "
            f"the right answer {falls} when it is switched off."
        )
    return (
        f"**{len(come)} of {heads} heads {'matters by itself' if len(come) == 1 else 'matter by themselves'} at epoch "
        f"{last}.** The first comes to matter {_when(measured, come[first])}: {measured.heads[first]}. The answer "
        f"depends most on {measured.heads[most]}: without it, the probability of the right answer {falls}."
    )


def reach(lost: Floats) -> Floats:
    """Return half the width of the 95 % interval of each head's mean over pictures, (head,); NaN for one picture."""
    if lost.shape[1] < 2:
        return np.full(len(lost), np.nan)
    found = paired(lost.T, np.zeros_like(lost.T))
    return found.high - found.mean


def _when(measured: Measured, place: int) -> str:
    epoch = measured.epochs[place]
    if not epoch:
        return "before the training"
    before = measured.epochs[place - 1] if place else None
    skipped = before is not None and epoch - before > 1
    return f"between epochs {before} and {epoch}" if skipped else f"at epoch {epoch}"


def _draw(measured: Measured) -> None:
    from attnviz.measures.switched import MATTERS, appears

    means = measured.lost.mean(2)
    left, right = st.columns(2)
    lines = {name: (100 * means[:, head]).tolist() for head, name in enumerate(measured.heads)}
    left.markdown(
        effects("what the right answer loses without the head, percentage points", measured.epochs, lines),
        unsafe_allow_html=True,
    )
    accuracy = {"all heads on": (100 * measured.accuracy).tolist()}
    right.markdown(effects("correct answers, %", measured.epochs, accuracy, top=100), unsafe_allow_html=True)
    grey = f" The {MOST} heads that cost most at the end are coloured; the others are grey." * (len(lines) > MOST)
    st.caption(
        "Left: how far the probability of the right answer falls when one head is switched off, a mean over the "
        "pictures; below 0 it rises instead. Right: the whole model on the same pictures. Only epochs whose weights "
        "are kept are drawn, evenly spaced; 0 is before the training, when all weights are random. A head matters if "
        f"switching it off costs {100 * MATTERS:g} percentage point or more at the last epoch. It comes to matter at "
        "the first epoch after which it always costs at least half of that. If two heads do the same work, switching "
        f"off one of them shows nothing: the other still does it.{grey}"
    )
    with st.expander("The numbers of the last epoch", key="appear_numbers"):
        lost = measured.lost[-1]
        places = [appears(means[:, head].tolist()) for head in range(len(measured.heads))]
        st.dataframe(
            {
                "head": list(measured.heads),
                "lost": 100 * lost.mean(1),
                "spread": 100 * reach(lost),
                "changed": 100 * measured.changed[-1].mean(1),
                "from": [None if place is None else measured.epochs[place] for place in places],
            },
            hide_index=True,
            height=min(38 + 35 * len(measured.heads), 388),
            column_config={
                "head": st.column_config.TextColumn("Head"),
                "lost": st.column_config.NumberColumn("Lost without it, percentage points", format="%.2f"),
                "spread": st.column_config.NumberColumn("± (95 %)", format="%.2f"),
                "changed": st.column_config.NumberColumn("Other answer, % of pictures", format="%.1f"),
                "from": st.column_config.NumberColumn("Matters from epoch"),
            },
        )
        st.caption(
            verbatim(f"Over {lost.shape[1]} pictures. The interval is of the mean over pictures, of this one training.")
        )


EXPERIMENT = Experiment(
    "When does a head appear?",
    "Switches each head off, epoch by epoch, and measures how much probability the right answer loses.",
    show,
    (OF, MEASURED),
)
