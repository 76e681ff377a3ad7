"""Runs nets on examples and returns numpy arrays for pages to draw. All the code that imports torch is here."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from attnviz import data
from attnviz.answers import as_batch, predicted, probabilities
from attnviz.measures.maps import Maps, maps
from attnviz.subjects import Example, Loaded, Net
from attnviz.subjects.asking import ask as ask
from attnviz.subjects.asking import batch_of as batch_of
from attnviz.tracing import Grid, trace
from attnviz.ui.shared.wording import share

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class TapInfo:
    """A tap: its axes, its shape for a batch of one picture, and the grid of its tokens."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    grid: Grid | None = None


def list_taps(loaded: Loaded) -> dict[str, TapInfo]:
    """Return a net's taps by tap path, empty for a model without taps."""
    model, net = loaded
    if not any(getattr(part, "taps", ()) for part in model.modules()):
        return {}
    blank = np.zeros((net.input.rows, net.input.columns, net.input.channels), np.uint8)
    with torch.no_grad(), trace(model) as seen:
        ask(loaded, as_batch(blank, double=True))
    return {
        tap_path: TapInfo(reading.axes, tuple(reading.tensor.shape), reading.grid) for tap_path, reading in seen.items()
    }


def tap(loaded: Loaded, example: Example, tap_path: str, query: int | None) -> Maps:
    """Return the value of one tap on an example as maps, for one query if the tap has queries."""
    with torch.no_grad(), trace(loaded.model, [tap_path]) as seen:
        ask(loaded, batch_of(loaded, example))
    held = {} if query is None else {"query": query}
    if "batch" in seen[tap_path].axes:
        held["batch"] = 0
    return maps(seen[tap_path], **held)


def answer(loaded: Loaded, example: Example) -> str:
    """Return a net's answer to an example and its probability, in words for an export: "8, 98.3 %"."""
    with torch.no_grad():
        return in_words(loaded.net, ask(loaded, batch_of(loaded, example)))


def answers(loaded: Loaded, source: str, split: str, first: int, count: int) -> npt.NDArray[np.int64]:
    """Return a net's answers to some pictures, as labels; -1 for pictures whose class the net does not have."""
    net = loaded.net
    dataset, part = data.load(source, split), slice(first, first + count)
    images, labels, classes = dataset.images[part], dataset.labels[part], np.array(net.labels)
    known = np.flatnonzero(np.isin(labels, classes))
    found = np.full(len(labels), -1)
    if len(known):
        batch = np.stack([net.fitted(images[place]) for place in known])
        with torch.no_grad():
            logits = ask(loaded, as_batch(batch))
        places = predicted(logits)
        found[known] = classes[places.numpy()]
    return found


def in_words(net: Net, logits: Tensor) -> str:
    """Return the answer, a class or a text, that the logits of one example yield, and its probability: "8, 98.3 %"."""
    found, best = probabilities(logits)[0].max(-1)  # of one distribution, or of each step
    text = "".join(net.classes[place] for place in best.reshape(-1))
    return f"{text}, {share(float(found.prod()))}"
