"""Does it matter? Remove the pixels that receive the most attention, and see whether the model becomes less sure.

The control is twenty random choices with as much ink. The Jacobian makes another choice (measures/erasure.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, cast

import numpy as np
import numpy.typing as npt
import streamlit as st
from pydantic import Field

from attnviz import data
from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.subjects import Net, Picture, Subject
from attnviz.ui.components.map_grid import Table, map_grid, packed
from attnviz.ui.dot_product.attention_view import attention
from attnviz.ui.live.derived import View
from attnviz.ui.mechanisms.pixel_attention.experiments import erase_words as words
from attnviz.ui.shared import cache, jobs, page, pickers, url_state
from attnviz.ui.shared.experiments import finding
from attnviz.ui.shared.glossary import term

if TYPE_CHECKING:
    from attnviz.measures.erasure import Curve
    from attnviz.measures.token_boxes import Fill
    from attnviz.subjects import Example, Loaded

TITLE = "Does it matter what it looks at?"
MEASURES = (
    "Removes the pixels that receive the most attention, and compares the effect on the answer with that of random "
    "removals of as much ink."
)
WORDS = ("removed", "fill", "curve")

MEANS = (
    "*Attended*: the weight that a pixel receives, averaged over heads and queries. "
    f"{term('Jacobian', '*Jacobian*')}: the pixels whose intensity changes the answer most. The model was not trained "
    "on pictures with holes, so part of any change comes from the holes. That is why the random choices leave holes "
    "too, and remove the same amount of ink. The amount of ink is the number of pixels that are not background, "
    "however dark they are: if a model attends to the darkest pixels, part of a difference is due to their "
    "darkness."
)
FILLS = {"mean": "the picture's mean", "background": "the background"}
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2)  # the shares of the tokens that the curve removes
PICTURES = 200  # the number of pictures of the curve
DRAWS = 20  # random choices for each picture: erasure.DRAWS, whose module needs torch
CHUNK = 4  # pictures of the curve computed at a time: about a second for 24 heads
TICK = 0.5  # seconds after which the curve is drawn again while it is computed


@dataclass(frozen=True, eq=False)
class Removal:
    """The removals from one picture and their effects.

    Args:
        answer: The index of the class predicted for the unedited picture.
        logit: The logit of that class.
        pictures: The pictures (4, row, column), 0..1: unedited, then without the choice of the attention, of the
            Jacobian, and of the first draw.
        holes: 1 where something was removed, else 0, (4, row, column).
        changes: The changes of the logit (2 + draw,): attention, Jacobian, every draw.
        answers: The indices of the classes predicted after these removals (2 + draw,).
        ink, jacobian_ink: The number of removed tokens with ink, for attention and every draw, and for the Jacobian.
    """

    answer: int
    logit: float
    pictures: npt.NDArray[np.float64]
    holes: npt.NDArray[np.float64]
    changes: npt.NDArray[np.float64]
    answers: npt.NDArray[np.int64]
    ink: int
    jacobian_ink: int


def refusal(net: Net) -> str | None:
    """Return why this model cannot answer the question, or None if it can."""
    if places_of(net) < 2:
        return "This model takes the whole picture as one token, so no part of it can be removed."
    return None


def show(subject: Subject) -> None:
    """Draw the effect of removals on this picture and, on request, on 200 pictures."""
    say = finding()
    count, fill = choices(subject.net)
    if count:
        one_picture(subject, count, fill, say)
    else:
        st.info(f"Nothing is removed. Choose how many {unit_of(subject.net)} to remove.")
    several_pictures(subject.net, pickers.tests(subject), fill)


def choices(net: Net) -> "tuple[int, Fill]":
    """Draw the choices of the number of tokens to remove and of their replacement, and return both."""
    places, unit = places_of(net), unit_of(net)
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    with left:
        count = url_state.number("removed", places // 2 + 1, max(1, round(places / 20)))
        st.slider(
            f"Removed {unit}, of {places}", 0, places // 2, key="removed",
            on_change=url_state.keep, args=("removed",),
        )  # fmt: skip
    with right:
        fill = url_state.pick(st.segmented_control, "Replace them with", "fill", FILLS, "mean", required=True)
    return count, cast("Fill", fill)


def one_picture(subject: Subject, count: int, fill: "Fill", say: Callable[[str], None]) -> None:
    """Draw the picture after each kind of removal, the change of the answer, and the finding."""
    unit, classes = unit_of(subject.net), subject.net.classes
    found = cache.of_subject(removal, subject, count, fill)
    say(words.finding(found.changes, count, unit))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        map_grid(ERASED.of(subject, count=count, fill=fill), key="erase_pictures")
    with right:
        st.markdown(words.one_picture(found.changes, found.logit, classes[found.answer], count, unit))
        names = [classes[answer] for answer in found.answers]
        st.markdown(words.table(found.changes, names, found.ink, found.jacobian_ink, count, unit))
        st.caption(MEANS)


class OfRemoval(Strict):
    """The number of tokens to remove, and their replacement."""

    count: Annotated[int, Field(ge=1, lt=1 << 31)] = 1
    fill: Literal["mean", "background"] = "mean"


def payload(subject: Subject, parameters: OfRemoval) -> bytes:
    """Return maps of the picture after each kind of removal, and of the removed tokens."""
    count, fill, places = parameters.count, parameters.fill, places_of(subject.net)
    if count > places // 2:
        raise BadInput(f"At most {places // 2} of {places} tokens can be removed, not {count}.")
    found = cache.of_subject(removal, subject, count, fill)
    rows, columns = ("seen", "removed"), ("unchanged", "most attended", "Jacobian", "random, draw 1")
    return packed(
        np.concatenate([found.pictures, found.holes]),
        [f"{row}: {column}" for row in rows for column in columns],
        role="ink",
        title=f"Without {count} {unit_of(subject.net)}",
        table=Table(rows, columns),
        origin={**attention(subject).origin, "removed": count, "fill": fill},
    )


def passes(parameters: OfRemoval, net: Net) -> float:
    """Return the cost in forward passes: one for each choice, and a Jacobian."""
    return DRAWS + 8.0


ERASED = View("erased_pictures", OfRemoval, payload, passes)
VIEWS = (ERASED,)


def several_pictures(net: Net, source: str, fill: "Fill") -> None:
    """Draw the curve over many test pictures, with a button to start it, then one to stop it."""
    numbers = fitting(net, source)
    wanted = url_state.choice("curve", ["yes", "no"], "no") == "yes"
    job = job_of(net, source, fill)
    st.subheader(f"On {len(numbers)} test pictures of {data.DATASETS[source].title}", anchor=False)
    if not wanted:
        going = f"Remove from {len(numbers)} pictures"
        st.button(going, key="erase_start", on_click=begin, args=(job,))
        st.caption(
            "This takes about half a minute for 24 heads. You can go on using the page meanwhile, and you can stop it."
        )
        return
    stop = st.empty()  # reserves its place, so that the curve below does not move
    if not job.finished:
        stop.button("Stop", key="erase_stop", on_click=halt, args=(job,))
    # A thread computes while every tick draws the finished parts, so the rest of the page stays responsive.
    tick = st.fragment(curve, run_every=None if job.finished else TICK)
    tick(net, source, fill, len(numbers), job.finished)


def begin(job: "jobs.Job[Curve]") -> None:
    """Start the curve, or resume it, even after a part has failed."""
    job.start()
    url_state.set_value(curve="yes")


def halt(job: "jobs.Job[Curve]") -> None:
    """Stop the curve."""
    job.stop()
    url_state.set_value(curve=None)


def curve(net: Net, source: str, fill: "Fill", count: int, finished: bool) -> None:
    """Draw the finished part of the curve, and continue it if it is not complete."""
    with page.sentences():
        job = job_of(net, source, fill)
        if not finished and job.finished:
            st.rerun()  # ends the ticks
        parts = job.parts()
        if not finished:
            job.start()
            st.progress(*progress(len(parts), count))
        if parts:
            draw_curve(net, source, fill, parts, finished)


def job_of(net: Net, source: str, fill: "Fill") -> "jobs.Job[Curve]":
    """Return the job of the curve, shared by all visitors; each part takes a few pictures."""
    count = len(fitting(net, source))
    key = ("erase", net.key, net.digest, source, fill, count, CHUNK)
    return jobs.job(key, lambda number: chunk(cache.single(net), source, fill, CHUNK * number), -(-count // CHUNK))


def progress(parts: int, count: int) -> tuple[float, str]:
    """Return the finished share of the curve, 0..1, and a description of the progress in words."""
    looked = min(CHUNK * parts, count)
    choices = f"with the choices of attention, of the Jacobian and of {DRAWS} random draws"
    return looked / count, f"{looked} of {count} pictures, {choices}"


def draw_curve(net: Net, source: str, fill: "Fill", parts: "list[Curve]", finished: bool) -> None:
    """Draw the curve of all finished chunks and, once it is complete, the download of its numbers."""
    from attnviz.charts.plots import Rule, removal
    from attnviz.measures.erasure import joined

    whole, unit = joined(parts), unit_of(net)
    origin = {"model": net.key, "digest": net.digest, "data": f"{source}/test", "replaced with": fill}
    choices = {"most attended": "attended", "random, as much ink": "random", "Jacobian": "jacobian"}
    lines = {name: whole.line(choice) for name, choice in choices.items()}  # type: ignore[arg-type]
    st.plotly_chart(
        removal(
            whole.counts, [Rule(name, line.mean, line.spread) for name, line in lines.items()],
            unit=unit, places=whole.places, pictures=len(whole.logits),
        ),
        key="erase_curve", config={"displayModeBar": False},
    )  # fmt: skip
    st.caption(
        "Lines are means over the pictures; bands extend one standard deviation over the pictures to either side."
    )
    st.markdown(words.verdict(whole, unit))
    if not finished:
        return
    st.download_button(
        "CSV", words.csv(whole, fitting(net, source)[: len(whole.logits)].tolist(), origin),
        f"attnviz-{net.key}-erase.csv", "text/csv", key="erase_csv", type="tertiary", on_click="ignore",
    )  # fmt: skip


def removal(loaded: "Loaded", example: "Example", count: int, fill: "Fill") -> Removal:
    """Return the results of removing tokens from one example, by each kind of choice, in one batch."""
    import torch

    from attnviz.measures import erasure, token_boxes
    from attnviz.ui.shared import inference

    image = inference.batch_of(loaded, example)[0]
    seen = erasure.look(loaded.model, image)
    generator = torch.Generator().manual_seed(example.asked["number"])
    (choice,) = erasure.choices(seen, token_boxes.ink(image[None], seen.grid)[0], [count], erasure.DRAWS, generator)
    removed = torch.stack([choice.attended, choice.jacobian, *choice.random])
    pictures = token_boxes.erased(image.expand(len(removed), -1, -1, -1), removed, seen.grid, fill)
    with torch.no_grad():
        logits = loaded.model(pictures)
    covered = token_boxes.boxes(seen.grid, *image.shape[1:]).flatten(1).double()
    holes = (removed[:3].double() @ covered > 0).double().unflatten(1, image.shape[1:])
    return Removal(
        seen.answer, seen.logit, torch.cat([image, pictures[:3, 0]]).numpy(),
        torch.cat([torch.zeros_like(holes[:1]), holes]).numpy(), erasure.change(logits, seen), erasure.answers(logits),
        choice.attended_ink, choice.jacobian_ink,
    )  # fmt: skip


def chunk(loaded: "Loaded", source: str, fill: "Fill", first: int) -> "Curve":
    """Return the curve of a few pictures that fit a net, beginning with `first`, in single precision for speed."""
    import torch

    from attnviz.answers import as_batch
    from attnviz.measures import erasure

    model, net = loaded
    numbers = fitting(net, source)[first : first + CHUNK]
    pictures = as_batch(np.stack([Picture(source, int(number)).taken_by(net) for number in numbers]))
    places = places_of(net)
    counts = sorted({max(1, round(share * places)) for share in SHARES})
    return erasure.curve(
        model, pictures, counts,
        generator=torch.Generator().manual_seed(first), fill=fill, must_change=False,
    )  # fmt: skip


def fitting(net: Net, source: str) -> npt.NDArray[np.int64]:
    """Return the numbers of the first available test pictures whose class the net has."""
    return pickers.Fitting(net, source, pickers.ANY, wrong=False).numbers[:PICTURES]


def places_of(net: Net) -> int:
    """Return the number of tokens of a picture."""
    return net.grid.rows * net.grid.columns if net.grid else 0


def unit_of(net: Net) -> str:
    """Return the plural name of tokens: pixels if they are single pixels, else boxes."""
    side = int(net.grid.field) if net.grid else 1
    return "pixels" if side == 1 else f"boxes of {side} × {side} pixels"
