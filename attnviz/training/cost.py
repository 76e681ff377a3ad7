"""Estimates of the cost of a training, from a few of its batches. Reading an estimate does not import torch."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from attnviz.recipes import Recipe
    from attnviz.training.examples import ExampleSet, TrainingSet

BATCHES = 8
"""The number of batches to train on, after the first, which is slower than the others."""

SECONDS = 4.0
"""The time in seconds after which no other batch is started."""

_MEASURED = 256  # pictures measured to estimate the time of the validation part


@dataclass(frozen=True)
class Cost:
    """An estimate.

    Args:
        seconds: the duration of an epoch.
        megabytes: the peak memory in MB of 2**20 bytes: of the GPU if there is one, else of the process.
        batches: the number of batches that it is based on.
    """

    seconds: float
    megabytes: float
    batches: int

    def sentence(self, epochs: int, seeds: int) -> str:
        """Return the estimate in words."""
        total = self.seconds * epochs * seeds
        what = f"An estimate from {self.batches} batch{'es' * (self.batches > 1)}"
        memory = f"{round(self.megabytes):,} MB of memory"
        return f"{what}: {duration(self.seconds)} an epoch, at most {duration(total)} in all, {memory}."


class Whole(NamedTuple):
    """An epoch of all pictures: its steps, the number of held-out pictures, and the bytes that the probe skips."""

    steps: int
    held_out: int
    rest: int


def duration(seconds: float) -> str:
    """Return a duration in words: "3 seconds", "2 minutes", "1.5 hours"."""
    if seconds < 10:
        return f"{max(seconds, 0.1):.1f} seconds"
    if seconds < 90:
        return f"{round(seconds)} seconds"
    return f"{round(seconds / 60)} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def probe(recipe: Recipe, device: str, threads: int) -> Cost:
    """Train on a few batches and return the cost of an epoch; the process keeps the number of CPU threads."""
    import torch

    from attnviz import devices
    from attnviz.training import seeds
    from attnviz.training.loop import Training
    from attnviz.training.objectives import objective

    devices.check_threads(threads)
    torch.set_num_threads(threads)
    goal = objective(recipe)
    train, epoch = part(recipe, device)
    generator = torch.Generator().manual_seed(0)
    training = Training(seeds.build(recipe, generator).to(device), recipe, train, None, generator, goal)
    took: list[float] = []
    began = last = time.perf_counter()
    for event in training.run():
        del event
        if device == "cuda":
            torch.cuda.synchronize()
        now = time.perf_counter()
        took.append(now - last)
        last = now
        if len(took) > BATCHES or now - began > SECONDS:
            break
    measured = min(_MEASURED, epoch.held_out)
    share = 0.0
    if measured:
        training.model.eval()
        some: ExampleSet = train.first(measured)
        now = time.perf_counter()
        goal.measure(training.model, some)
        share = (time.perf_counter() - now) * epoch.held_out / max(1, min(measured, len(some)))
    counted = sorted(took[1:] or took)
    step = counted[len(counted) // 2]
    memory = torch.cuda.max_memory_allocated() if device == "cuda" else _peak()
    return Cost(step * epoch.steps + share, (memory + epoch.rest) / 2**20, len(counted))


def part(recipe: Recipe, device: str, batches: int = BATCHES + 2) -> tuple[TrainingSet, Whole]:
    """Return enough pictures for a few batches, and for a whole epoch the number of steps, the number of held-out
    pictures, and the bytes of the other pictures.
    """
    import numpy as np

    from attnviz import data
    from attnviz.training import examples
    from attnviz.training.examples import Stream, on_device

    its = data.spec(recipe.data)
    if its.batches is not None:
        stream = Stream(recipe.data, recipe.batch, device)
        return stream, Whole(stream.steps(recipe), its.counts.get("validation", 0) if recipe.validation else 0, 0)
    labels = data.labels(recipe.data, "train")
    every = int(np.isin(labels, recipe.classes).sum()) if labels.ndim == 1 else len(labels)
    held, trained = (len(part) for part in examples.split(every, recipe))
    held = its.counts["validation"] if recipe.validation == "validation" else held
    beside = 2 if recipe.augmentation is not None and recipe.augment == "beside" else 1
    wanted = min(len(labels), -(-batches * recipe.batch * len(labels) // max(1, every * beside)) + 200)
    few = on_device(data.load(recipe.data, "train", classes=recipe.classes, count=wanted), device)
    size = int(np.prod(its.shape))
    copies = 1 if device == "cuda" else 4  # as loaded, of its classes, on the device, and the training part
    rest = copies * size * max(0, every - len(few))
    return few, Whole(-(-trained * beside // recipe.batch), held * beside, rest)


def _peak() -> int:
    """Return the peak memory of this process, in bytes."""
    try:
        import resource
    except ImportError:  # not on Unix
        import psutil

        return int(psutil.Process().memory_info().rss)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
