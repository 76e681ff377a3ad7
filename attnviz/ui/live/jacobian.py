"""The Jacobian over the live channel: a derived value of every model with a differentiable input."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from attnviz import models
from attnviz.errors import BadInput, UnknownName
from attnviz.recipes.recipe import Strict
from attnviz.ui.live.derived import Context, Derived

if TYPE_CHECKING:
    from attnviz.readings import Reading
    from attnviz.subjects import Loaded, Net

MEANING = "how much the answer\u2019s logit would change per unit of intensity"
"""The meaning of the Jacobian of the shown answer, below every legend."""

PASSES = 4.0  # in forward passes: one forward, and a backward pass that costs two to three times as much


class OfAnswer(Strict):
    """The class whose logit is differentiated; None for the predicted class."""

    answer: Annotated[str, Field(max_length=100)] | None = None


def missing(net: Net) -> str | None:
    """Return a sentence on why a net has no Jacobian, or None if it has one."""
    spec = models.MODELS.get(net.architecture)
    title = net.title if spec is None else spec.title
    if spec is not None and spec.per_step:
        return f"{title} has no Jacobian of one answer: the model outputs a text, with an answer for each step."
    if net.differentiable:
        return None
    return f"{title} has no Jacobian: the model counts or rounds intensities, so its answer changes in steps."


def settle(loaded: Loaded, parameters: OfAnswer) -> OfAnswer:
    """Return the parameters if the model has a Jacobian."""
    net = loaded.net
    why = missing(net)
    if why:
        raise BadInput(why)
    if parameters.answer is not None and parameters.answer not in net.classes:
        raise UnknownName(f"class of {net.key}", parameters.answer, net.classes)
    return parameters


def compute(context: Context[OfAnswer]) -> Reading:
    """Return d logit / d intensity, batch by channel, row and column, along the path of the request's seed.

    It is computed one picture at a time because the graph is large. A model that draws random numbers draws for all
    pictures in turn, so it runs on all of them at once, as in the pass of the request.
    """
    import torch

    from attnviz.measures.jacobian import jacobian
    from attnviz.readings import Reading
    from attnviz.ui.shared import inference

    if context.edited:
        raise BadInput(
            f"The Jacobian can only be computed for the model as it was trained, without the edit of "
            f"{context.edited[0]}."
        )
    model, net = context.loaded
    answer = None if context.parameters.answer is None else net.classes.index(context.parameters.answer)
    if context.generator is not None and "generator" in net.takes:
        asked = partial(inference.ask, context.loaded, seed=context.generator.initial_seed())
        found = jacobian(asked, context.images, answer)
    else:
        found = torch.cat([jacobian(model, image, answer) for image in context.images.split(1)])
    return Reading("jacobian", found, ("batch", "channel", "row", "column"))


def cost(parameters: OfAnswer, net: Net) -> float:
    """Return the work for one picture."""
    return PASSES


JACOBIAN = Derived("jacobian", OfAnswer, compute, settle=settle, most=16, cost=cost)
