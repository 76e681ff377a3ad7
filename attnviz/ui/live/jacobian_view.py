"""The Jacobian of the shown answer on a page, as a view of every net with a differentiable input.

At pixels without a derivative it shows the effects of a small step up and a small step down. Each needs a forward pass,
so there are two views: a quick one in which these pixels are empty, and a slow one with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.ui.live import budget
from attnviz.ui.live.derived import View
from attnviz.ui.live.jacobian import MEANING, PASSES, missing

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from attnviz.subjects import Example, Loaded, Net, Subject

JACOBIAN = "jacobian"
TITLE = "Jacobian of the shown answer"
CHANNELS = {1: ["intensity"], 3: ["red", "green", "blue"]}
SIDES = ("step up", "step down", "difference")
CHUNK = 64  # pixels whose steps are computed together
EQUAL = 1e-6  # relative to the largest value; smaller differences are rounding


class OfJacobian(Strict):
    """Whether to take small steps at the pixels without a derivative, which takes seconds."""

    steps: bool = False


@dataclass(frozen=True, eq=False)
class Found:
    """The Jacobian of the answer to an example, float64 (channel, row, column), and the indices of its values,
    (pixel,), that may have no derivative and are meaningless.
    """

    answer: str
    values: npt.NDArray[np.float64]
    ties: npt.NDArray[np.int64]

    @property
    def chunks(self) -> list[tuple[int, ...]]:
        """The ties in groups for `steps`."""
        return [tuple(self.ties[first : first + CHUNK].tolist()) for first in range(0, len(self.ties), CHUNK)]


def computed(loaded: Loaded, example: Example) -> Found:
    """Return the answer to an example, its Jacobian, and the pixels at which that may not exist.

    A net that draws random numbers draws those of `inference.ask`, as it does for its taps.
    """
    from attnviz.answers import predicted
    from attnviz.measures.jacobian import answered
    from attnviz.measures.one_sided import without_derivative
    from attnviz.ui.shared import inference

    model, batch = partial(inference.ask, loaded), inference.batch_of(loaded, example)
    logits, found = answered(model, batch)
    ties = without_derivative(model, batch).flatten().nonzero()[:, 0]
    return Found(loaded.net.classes[int(predicted(logits))], found[0].numpy(), ties.numpy())


def steps(loaded: Loaded, example: Example, pixels: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return the effects of a small step up and a small step down of some pixels, float64 (2, pixel)."""
    import torch

    from attnviz.measures import one_sided
    from attnviz.ui.shared import inference

    model = partial(inference.ask, loaded)
    return one_sided.steps(model, inference.batch_of(loaded, example), torch.tensor(pixels)).numpy()


def payload(subject: Subject, parameters: OfJacobian) -> bytes:
    """Return the Jacobian as a payload for the grid of maps."""
    import numpy as np

    from attnviz.ui.shared import cache

    why = missing(subject.net)
    if why:
        raise BadInput(why)
    found = cache.of_subject(computed, subject)
    if not (parameters.steps and len(found.ties)):
        return first(subject, found)
    sides = []
    for chunk in found.chunks:
        budget.pause()
        sides.append(cache.of_subject(steps, subject, chunk))
    return whole(subject, found, np.concatenate(sides, 1))


def first(subject: Subject, found: Found) -> bytes:
    """Return the Jacobian without the pixels at which it may not exist."""
    import numpy as np

    values, count = found.values.copy(), len(found.ties)
    values.flat[found.ties] = np.nan
    wait = (
        f". At {count} of {values.size} pixels the maximum is taken over equal values; what a small step up and a "
        "small step down do there is being computed"
    )
    return _packed(subject, found.answer, values[:, None], MEANING + (wait if count else ""))


def whole(subject: Subject, found: Found, sides: npt.NDArray[np.float64]) -> bytes:
    """Return the Jacobian with the effects of steps, float64 (2, pixel), at all pixels at which it may not exist."""
    import numpy as np

    up, down = found.values.copy(), found.values.copy()
    up.flat[found.ties], down.flat[found.ties] = sides
    count = int((np.abs(up - down) > EQUAL * np.abs([up, down]).max()).sum())
    if not count:
        return _packed(subject, found.answer, up[:, None], MEANING)
    note = (
        f"{MEANING}. At {count} of {up.size} pixels there is no derivative, because the maximum is taken over equal "
        "values: making the pixel a little brighter (step up) and a little darker (step down) have different effects "
        "per unit"
    )
    return _packed(subject, found.answer, np.stack([up, down, up - down], 1), note)


def _packed(subject: Subject, answer: str, maps: npt.NDArray[np.float64], note: str) -> bytes:
    """Return maps (channel, side, row, column) as a payload for the grid of maps; a single side is the derivative."""
    from attnviz.ui.components import map_grid

    count, sides = maps.shape[:2]
    channels = CHANNELS.get(count) or [f"channel {number + 1}" for number in range(count)]
    names = [""] if sides == 1 else list(SIDES)
    image, ink = subject.image, subject.example.ink
    return map_grid.packed(
        maps.reshape(-1, *maps.shape[2:]),
        [", ".join(filter(None, (channel, side))) for channel in channels for side in names],
        captions=names if count == 1 and sides > 1 else None,
        table=map_grid.Table(channels, names) if count > 1 and sides > 1 else None,
        title=f"{TITLE}, {answer}",
        picture=image.mean(2) / 255 if ink else None,
        background=image,
        ink=ink,
        note=note,
        origin={**subject.origin(JACOBIAN), "answer": answer},
    )


def cost(parameters: OfJacobian, net: Net) -> float:
    """Return the forward passes for the first group of pixels; the other groups let waiting visitors go first."""
    return PASSES + (CHUNK if parameters.steps else 0)


JACOBIAN_VIEW = View("jacobian_view", OfJacobian, payload, cost)
