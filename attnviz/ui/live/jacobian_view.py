"""What a page shows of the Jacobian of the shown answer, as a view of every net with a differentiable input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz.errors import BadInput
from attnviz.ui.live.derived import NoParameters, View
from attnviz.ui.live.jacobian import MEANING, PASSES, missing

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from attnviz.subjects import Example, Loaded, Net, Subject

JACOBIAN = "jacobian"
TITLE = "Jacobian of the shown answer"
CHANNELS = {1: ["intensity"], 3: ["red", "green", "blue"]}


def computed(loaded: Loaded, example: Example) -> tuple[str, npt.NDArray[np.float64]]:
    """Return the answer to an example and the Jacobian of its logit, float64 (channel, row, column)."""
    from attnviz.answers import predicted
    from attnviz.measures.jacobian import answered
    from attnviz.ui.shared import inference

    logits, found = answered(loaded.model, inference.batch_of(loaded, example))
    return loaded.net.classes[int(predicted(logits))], found[0].numpy()


def payload(subject: Subject, parameters: NoParameters) -> bytes:
    """Return the Jacobian as the grid of maps takes it, one map per channel.

    Raises:
        BadInput: the net has none.
    """
    from attnviz.ui.components import map_grid
    from attnviz.ui.shared import cache

    why = missing(subject.net)
    if why:
        raise BadInput(why)
    answer, values = cache.of_subject(computed, subject)
    image, ink = subject.image, subject.example.ink
    return map_grid.packed(
        values,
        CHANNELS.get(len(values)) or [f"channel {number + 1}" for number in range(len(values))],
        title=f"{TITLE}, {answer}",
        picture=image.mean(2) / 255 if ink else None,
        background=image,
        ink=ink,
        note=MEANING,
        origin={**subject.origin(JACOBIAN), "answer": answer},
    )


def cost(parameters: NoParameters, net: Net) -> float:
    """Return the work, in forward passes."""
    return PASSES


JACOBIAN_VIEW = View("jacobian_view", NoParameters, payload, cost)
