"""Does it matter? Remove the pixels that are attended most, and see whether the model becomes less sure of its answer.

Twenty random choices with as much ink are the control, the Jacobian's is another choice: attnviz/measures/erasure.py.
"""

import time
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import data
from attnviz.cards import Card
from attnviz.ui import address, cache, page, pickers
from attnviz.ui.experiments import erase_words as words
from attnviz.ui.map_grid import Table, map_grid

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint
    from attnviz.measures.erasure import Curve, Fill

TITLE = "Does it matter?"
QUESTION = (
    "Remove the pixels that receive most attention: does the model become less sure of its answer than without as many "
    "others?"
)
WORDS = ("removed", "fill", "curve")

MEANS = (
    "Attended: the weight a pixel receives, mean over heads and queries. Jacobian: the pixels whose intensity moves "
    "the answer most. A picture with holes is none that the model has learnt from: part of a change comes from the "
    "holes. That is why the random choices, drawn with as much ink, leave holes too. As much ink is as many pixels "
    "that are not background, however dark: where a model attends to the darkest, part of a difference is darkness."
)
FILLS = {"mean": "the picture's mean", "background": "the background"}
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2)  # of the places: what the curve removes
PICTURES = 200  # of the curve
DRAWS = 20  # random choices for each picture: erasure.DRAWS, which only torch brings along
PIECE = 4  # pictures of it that are computed, and kept, together: about a second for 24 heads
DONE = "erase.done"  # whose curve this visitor saw last, and how many of its pieces
_one_piece = Lock()  # for all visitors: two at once would take longer than one after the other
SECONDS = 1.0  # so long it goes on before what it has is drawn


@dataclass(frozen=True, eq=False)
class Removal:
    """What happens to one picture.

    Args:
        answer: number of the class that the unedited picture gets.
        logit: of it.
        pictures: (4, row, column) 0..1: unedited, then without what was chosen by attention, Jacobian, the first draw.
        holes: (4, row, column) 1 where something was removed, else 0.
        changes: (2 + draw,) of the logit: attention, Jacobian, every draw.
        answers: (2 + draw,) number of the class that is answered then.
        ink, jacobian_ink: of the removed places, how many have ink; in the draws as in the first.
    """

    answer: int
    logit: float
    pictures: npt.NDArray[np.float64]
    holes: npt.NDArray[np.float64]
    changes: npt.NDArray[np.float64]
    answers: npt.NDArray[np.int64]
    ink: int
    jacobian_ink: int


def refusal(card: Card) -> str | None:
    """Return why this model cannot answer it; None where it can."""
    if places_of(card) < 2:
        return "This model takes the whole picture as one token: there is no part of it that could be removed."
    return None


def show(card: Card, picture: pickers.Picture) -> None:
    """Draw what removing does to this picture and, on demand, to 200."""
    count, fill = choices(card)
    if count:
        one_picture(card, picture, count, fill)
    else:
        st.info(f"Nothing is removed. Choose how many {unit_of(card)} to take away.")
    several_pictures(card, pickers.tests(card, picture), fill)


def choices(card: Card) -> "tuple[int, Fill]":
    """Draw the choice of how many tokens to remove, and of what they get instead."""
    places, unit = places_of(card), unit_of(card)
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    with left:
        count = address.number("removed", places // 2 + 1, max(1, round(places / 20)))
        st.slider(
            f"Removed {unit}, of {places}", 0, places // 2, key="removed",
            on_change=address.keep, args=("removed",),
        )  # fmt: skip
    with right:
        fill = address.choice("fill", list(FILLS), "mean")
        st.segmented_control(
            "They get", list(FILLS), key="fill", format_func=FILLS.__getitem__, required=True,
            on_change=address.keep, args=("fill",),
        )  # fmt: skip
    return count, cast("Fill", fill)


def one_picture(card: Card, picture: pickers.Picture, count: int, fill: "Fill") -> None:
    """Draw the picture without what each way of choosing removes, and how the answer changes."""
    unit = unit_of(card)
    found = cache.kept(removal, card, picture.source, picture.number, count, fill)
    columns = ("as it is", "most attended", "Jacobian", "random, draw 1")
    left, right = st.columns([3, 2], gap="medium")
    with left:
        map_grid(
            np.concatenate([found.pictures, found.holes]),
            [f"{row}: {column}" for row in ("seen", "removed") for column in columns],
            key="erase_pictures", role="ink", title=f"Without {count} {unit}",
            table=Table(("seen", "removed"), columns),
            origin={**cache.attention(card, picture.source, picture.number).origin, "removed": count, "fill": fill},
        )  # fmt: skip
    with right:
        st.markdown(words.one_picture(found.changes, found.logit, card.classes[found.answer], count, unit))
        names = [card.classes[answer] for answer in found.answers]
        st.markdown(words.table(found.changes, names, found.ink, found.jacobian_ink, count, unit))
        st.caption(MEANS)


def several_pictures(card: Card, source: str, fill: "Fill") -> None:
    """Draw the curve over many test pictures: a button that begins it, then one that stops it."""
    numbers = fitting(card, source)
    wanted = address.choice("curve", ["yes", "no"], "no") == "yes"
    finished = PIECE * done(card, source, fill) >= len(numbers)
    st.subheader(f"On {len(numbers)} test pictures of {data.DATASETS[source].title}", anchor=False)
    if not wanted:
        going = f"Remove from {len(numbers)} pictures"
        st.button(going, key="erase_start", on_click=address.put, kwargs={"curve": "yes"})
        st.caption("Takes about half a minute where there are 24 heads. You can look on meanwhile, and stop it.")
        return
    stop = st.empty()  # the place stays, so that the curve below keeps its own
    if not finished:
        stop.button("Stop", key="erase_stop", on_click=address.put, kwargs={"curve": None})
    # Every tick computes for a second and draws what there is: the rest of the page stays alive between them.
    tick = st.fragment(curve, run_every=None if finished else 0.2)
    tick(card, source, fill, len(numbers), finished)


def curve(card: Card, source: str, fill: "Fill", count: int, finished: bool) -> None:
    """Draw the curve as far as it has come, and compute on where it is not finished."""
    with page.sentences():
        bar = st.empty() if finished else st.progress(*progress(done(card, source, fill), count))
        parts = pieces(card, source, fill, count)
        if not finished:
            if PIECE * len(parts) >= count:
                st.rerun()  # so that the ticks end
            bar.progress(*progress(len(parts), count))
        draw_curve(card, source, fill, parts, finished)


def progress(parts: int, count: int) -> tuple[float, str]:
    """Return how much of the curve is there, 0..1, and in words what is being done."""
    looked = min(PIECE * parts, count)
    said = f"{looked} of {count} pictures: each without what attention, the Jacobian and {DRAWS} draws choose"
    return looked / count, said


def draw_curve(card: Card, source: str, fill: "Fill", parts: "list[Curve]", finished: bool) -> None:
    """Draw the curve of all pieces that there are, and where it is finished the file of its numbers."""
    from attnviz.figures.removal import Way, removal
    from attnviz.measures.erasure import joined

    whole, unit = joined(parts), unit_of(card)
    origin = {"model": card.name, "digest": card.weights_digest, "data": f"{source}/test", "removed ones get": fill}
    ways = {"most attended": "attended", "random, as much ink": "random", "Jacobian": "jacobian"}
    lines = {name: whole.line(way) for name, way in ways.items()}  # type: ignore[arg-type]
    st.plotly_chart(
        removal(
            whole.counts, [Way(name, line.mean, line.spread) for name, line in lines.items()],
            unit=unit, places=whole.places, pictures=len(whole.logits),
        ),
        key="erase_curve", config={"displayModeBar": False},
    )  # fmt: skip
    st.caption("Lines are means over the pictures; bands one standard deviation of the pictures to either side.")
    st.markdown(words.verdict(whole, unit))
    if not finished:
        return
    st.download_button(
        "CSV", words.csv(whole, fitting(card, source)[: len(whole.logits)].tolist(), origin),
        f"attnviz-{card.name}-erase.csv", "text/csv", key="erase_csv", type="tertiary", on_click="ignore",
    )  # fmt: skip


def pieces(card: Card, source: str, fill: "Fill", count: int) -> "list[Curve]":
    """Return the pieces of the curve that the visitor has seen, and go on for a second, by one piece at least."""
    found: list[Curve] = []
    known = done(card, source, fill)
    began = time.monotonic()
    for first in range(0, count, PIECE):
        if len(found) <= known:
            began = time.monotonic()  # what is known is only read again: it counts for nothing
        elif time.monotonic() - began > SECONDS:
            break
        found.append(cache.piece(piece, card, source, fill, first))
    st.session_state[DONE] = (card.weights_digest, source, fill, len(found))
    return found


def done(card: Card, source: str, fill: "Fill") -> int:
    """Return how many pieces of this curve the visitor has seen."""
    *whose, count = st.session_state.get(DONE, (None, 0))
    return count if whose == [card.weights_digest, source, fill] else 0


def removal(checkpoint: "Checkpoint", source: str, number: int, count: int, fill: "Fill") -> Removal:
    """Remove tokens from one picture in every way, in one batch."""
    import torch

    from attnviz.measures import erasure
    from attnviz.ui import looking

    image = looking.as_batch(cache.picture(source, number)[0])[0]
    seen = erasure.look(checkpoint.model, image)
    generator = torch.Generator().manual_seed(number)
    (choice,) = erasure.choices(seen, erasure.ink(image[None], seen.grid)[0], [count], erasure.DRAWS, generator)
    removed = torch.stack([choice.attended, choice.jacobian, *choice.random])
    pictures = erasure.erased(image.expand(len(removed), -1, -1, -1), removed, seen.grid, fill)
    with torch.no_grad():
        logits = checkpoint.model(pictures)
    covered = erasure.boxes(seen.grid, *image.shape[1:]).flatten(1).double()
    holes = (removed[:3].double() @ covered > 0).double().unflatten(1, image.shape[1:])
    return Removal(
        seen.answer, seen.logit, torch.cat([image, pictures[:3, 0]]).numpy(),
        torch.cat([torch.zeros_like(holes[:1]), holes]).numpy(), erasure.change(logits, seen), erasure.answers(logits),
        choice.attended_ink, choice.jacobian_ink,
    )  # fmt: skip


def piece(checkpoint: "Checkpoint", source: str, fill: "Fill", first: int) -> "Curve":
    """Return the curve of a few pictures from the `first` fitting one on; in single precision, in half of the time."""
    import torch

    from attnviz.measures import erasure

    numbers = fitting(checkpoint.card, source)[first : first + PIECE]
    images = data.load(source, "test", count=int(fitting(checkpoint.card, source)[-1]) + 1).images[numbers]
    pictures = torch.from_numpy(images.transpose(0, 3, 1, 2).copy()).float() / 255
    places = places_of(checkpoint.card)
    counts = sorted({max(1, round(share * places)) for share in SHARES})
    with _one_piece:
        return erasure.curve(
            cache.single(checkpoint.card.name).model, pictures, counts,
            generator=torch.Generator().manual_seed(first), fill=fill, must_change=False,
        )  # fmt: skip


def fitting(card: Card, source: str) -> npt.NDArray[np.int64]:
    """Return the places of the first test pictures whose class the model knows."""
    return np.flatnonzero(np.isin(data.labels(source, "test"), card.recipe.classes))[:PICTURES]


def places_of(card: Card) -> int:
    """Return how many tokens a picture has."""
    side = card.config.get("pool", 1) * card.config.get("patch", 1)
    return int((card.config.get("rows", 28) // side) * (card.config.get("columns", 28) // side))


def unit_of(card: Card) -> str:
    """Return what a token is called: a pixel where it is one."""
    side = card.config.get("pool", 1) * card.config.get("patch", 1)
    return "pixels" if side == 1 else f"tokens of {side} × {side} pixels"
