"""The attention to fixed pictures while your own model is trained. Importing this loads torch."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from attnviz.capture.watching import watch
from attnviz.errors import BadInput
from attnviz.figures import captured, history
from attnviz.figures.figure import AttentionFigure, inches
from attnviz.figures.maps import Choice, Direction, Head, ScaleKind, Show
from attnviz.figures.photo import photo_of
from attnviz.views.attention import LayerView

MOST = 64  # maximum number of recordings; then every second one is dropped, and half as many are made


class Record:
    """The recording of a training, created by `attnviz.record`."""

    def __init__(self, model: nn.Module, pictures: Tensor, every: int, layers: Sequence[int | str] | None, most: int):
        if every < 1 or most < 2:
            raise BadInput(f"record: expected every >= 1 and most >= 2, got {every} and {most}.")
        self.model, self.pictures, self.every, self.layers, self.most = model, pictures, every, layers, most
        self.step = 0
        self.moments: dict[int, dict[str, LayerView]] = {}
        """Step -> the views of the layers, for the first picture of `pictures`."""

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.step not in self.moments:
            self.take()

    def done(self, step: int | None = None) -> None:
        """Mark a training step as done; call it after `optimizer.step()`.

        Args:
            step: number of the step, counted from 1; None for the next one.
        """
        self.step = self.step + 1 if step is None else step
        if self.step % self.every == 0:
            self.take()

    def follow(self, optimizer: Optimizer) -> Self:
        """Call `done` automatically after each step of an optimizer."""
        optimizer.register_step_post_hook(lambda *_: self.done())
        return self

    def take(self) -> None:
        """Record the attention now, without changing the model's mode, its gradients or torch's random numbers."""
        training, state = self.model.training, torch.get_rng_state()
        self.model.eval()
        try:
            device = next(self.model.parameters()).device
            seen = watch(self.model)(self.pictures.to(device))
        finally:
            self.model.train(training)
            torch.set_rng_state(state)
        self.moments[self.step] = captured.views_of(seen, self.layers, None, None, 0, None)
        if len(self.moments) > self.most:
            for place, step in enumerate(sorted(self.moments)):
                if place % 2:
                    del self.moments[step]
            self.every *= 2

    def save(self, path: str | Path) -> Path:
        """Write the recording to a file that `attnviz app --record FILE` plays.

        Raises:
            BadInput: nothing was recorded.
        """
        history.write(self.moments, Path(path))
        return Path(path)

    def figure(
        self,
        *,
        layer: int | str = -1,
        steps: Sequence[int] | None = None,
        query: tuple[int, int] | None = None,
        heads: Sequence[Head] | Head | None = None,
        over: Any = None,
        show: Show = "weights",
        direction: Direction = "from",
        scale: ScaleKind = "share",
        theme: str = "light",
        width: str | float = "3.25in",
    ) -> AttentionFigure:
        """Return a figure of one layer over the steps, with a map per step in a picture and a slider in the viewer.

        Args:
            layer: index from 0, or backwards from -1, or path.
            steps: steps to show, among the recorded ones; None for all.
            query, heads, over, show, direction, scale, theme, width: see `attnviz.figure`.

        Raises:
            BadInput: the layer or a step was not recorded.
        """
        from attnviz.figures.shown import chosen

        wanted = [*self.moments] if steps is None else [*steps]
        if missing := [step for step in wanted if step not in self.moments]:
            raise BadInput(f"Step {missing[0]} was not recorded; there are {', '.join(map(str, self.moments))}.")
        (path,) = chosen([*next(iter(self.moments.values()))], [layer])
        photo = photo_of(over)
        views = {str(step): self.moments[step][path] for step in wanted}
        if photo is not None:
            views = {step: replace(view, background=photo, boxes=None) for step, view in views.items()}
        one = [heads] if isinstance(heads, int | str) else heads
        origin = {**next(iter(views.values())).origin, "steps": ", ".join(views)}
        del origin["digest"]  # the weights differ from step to step
        choice = Choice(query, None if one is None else tuple(one), show, direction, scale)
        return AttentionFigure(views, choice, theme, inches(width), origin, steps="step")


def record(
    model: nn.Module,
    pictures: Tensor,
    *,
    every: int = 500,
    layers: Sequence[int | str] | None = None,
    most: int = MOST,
) -> Record:
    """Record the attention of a model to a picture while it is trained.

        with attnviz.record(model, pictures, every=500).follow(optimizer) as record:
            ...  # the training
        record.figure(layer=-1, query=(5, 7)).save("training.html")

    Recordings are made at the beginning, every `every` steps, and at the end. Each takes one pass of the model, in
    evaluation mode and without gradients.

    Args:
        model: the model in training.
        pictures: a batch for the model; its first picture is recorded.
        every: number of steps between recordings.
        layers: indices from 0, or paths; None for all that can be drawn. Fewer layers take less memory.
        most: the maximum number of recordings. Beyond it, every second one is dropped, and half as many are made from
            then on.

    Returns:
        A context manager. Without `follow`, call `done()` after each step. For Lightning and transformers, see
        `attnviz.figures.callbacks`.

    Raises:
        BadInput: a number is out of range.
    """
    return Record(model, pictures[:1], every, layers, most)
