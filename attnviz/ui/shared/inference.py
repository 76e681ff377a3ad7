"""Run a net on an example and return, as numpy arrays, what a page draws. Everything that loads torch is here."""

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from attnviz import data
from attnviz.answers import as_batch, predicted, probabilities
from attnviz.data import inputs
from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.measures.attention import carried, normalisers
from attnviz.measures.maps import Maps, maps
from attnviz.measures.readout import linear_readout
from attnviz.subjects import Example, Loaded, Net, Subject
from attnviz.tracing import Grid, trace
from attnviz.ui.components.pixel_viewer import AttentionView
from attnviz.ui.shared import cache

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class TapInfo:
    """A tap: its axes, its shape for a batch of one picture, and the grid of its tokens."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    grid: Grid | None = None


def attention(loaded: Loaded, example: Example, *, unit: str = "pixel") -> AttentionView:
    """Return what the viewer needs to show the attention of every pixel of a picture.

    Args:
        loaded: a net with an attention layer, in double precision; the first such layer is shown.
        example: that it looks at.
        unit: what a token is called.

    Raises:
        BadInput: the net has no such layer.
    """
    model, net = loaded
    image = example.taken_by(net)
    found = ((path, part) for path, part in model.named_modules() if isinstance(part, Attention))
    address, layer = next(found, (None, None))
    if address is None or layer is None:
        raise BadInput(f"{net.key} has no layer in which tokens attend to one another. Look at it in the explorer.")
    pixels = as_batch(image, double=True)
    names = ("query", "key", "value", "mixed", "output")
    with torch.no_grad(), trace(model, [f"{address}.{tap}" for tap in names]) as seen:
        logits = ask(loaded, pixels)
    query, key, value, mixed, output = (seen[f"{address}.{tap}"].at(batch=0) for tap in names)
    grid = seen[f"{address}.query"].grid
    assert grid is not None, "the attention of every model of pictures says where its tokens lie"
    log_normaliser, received = normalisers(query, key)
    added, signed = carried(value, layer.output.weight)
    with torch.no_grad():
        read = linear_readout(mixed, layer.output, output, logits[0], model.modules())
    return AttentionView(
        picture=pooled(pixels, grid).numpy(),
        query=query.numpy(),
        key=key.numpy(),
        value=value.numpy(),
        log_normaliser=log_normaliser,
        carried=added,
        carried_signed=signed,
        received=received,
        output=output.numpy(),
        rows=grid.rows,
        columns=grid.columns,
        prefix=grid.prefix,
        classes=net.classes,
        probabilities=probabilities(logits)[0].numpy(),
        label=example.target,
        origin={**Subject(net, example).origin(address), "answer": _answer(net, logits)},
        ink=example.ink,
        background=None if grid.stride == 1 and image.shape[2] == 1 else image,
        projection=None if read is None else read.projection.numpy(),
        readout=None if read is None else read.readout.numpy(),
        of_heads=None if read is None else read.of_heads.numpy(),
        logit=None if read is None else read.logit,
        boxes=None if grid.tiles(*image.shape[:2]) else grid.boxes,
        unit=unit,
    )


def pooled(pixels: Tensor, grid: Grid) -> Tensor:
    """Return the mean over the channels and the box of each token, as far as it lies on the picture.

    Args:
        pixels: float (1, channel, row, column).
        grid: of boxes whose first one begins at the picture's top left corner.

    Returns:
        float (row, column) of the grid.
    """
    means = avg_pool2d(pixels.mean(1), int(grid.field), int(grid.stride), ceil_mode=True)[0]
    return means[: grid.rows, : grid.columns]


def ask(loaded: Loaded, batch: Tensor, seed: int = 0) -> Tensor:
    """Return the logits of a batch; a model that draws random numbers gets a generator of that seed."""
    model, net = loaded
    drawn = "generator" in net.takes
    logits: Tensor = model(batch, **({"generator": torch.Generator().manual_seed(seed)} if drawn else {}))
    return logits


def list_taps(loaded: Loaded) -> dict[str, TapInfo]:
    """Return the taps of a net by tap path; empty for a model without taps."""
    model, net = loaded
    if not any(getattr(part, "taps", ()) for part in model.modules()):
        return {}
    blank = np.zeros((net.input.rows, net.input.columns, net.input.channels), np.uint8)
    with torch.no_grad(), trace(model) as seen:
        ask(loaded, as_batch(blank, double=True))
    return {
        address: TapInfo(reading.axes, tuple(reading.tensor.shape), reading.grid) for address, reading in seen.items()
    }


def tap(loaded: Loaded, example: Example, address: str, query: int | None) -> Maps:
    """Return the value of one tap on an example as maps; for one query if it has queries."""
    with torch.no_grad(), trace(loaded.model, [address]) as seen:
        ask(loaded, batch_of(loaded, example))
    held = {} if query is None else {"query": query}
    if "batch" in seen[address].axes:
        held["batch"] = 0
    return maps(seen[address], **held)


def batch_of(loaded: Loaded, example: Example) -> Tensor:
    """Return an example as a net takes it, a batch of one in double precision."""
    return as_batch(example.taken_by(loaded.net), double=True)


def answer(loaded: Loaded, example: Example) -> str:
    """Return a net's answer to an example and its probability, in words for an export: "8, 98.3 %"."""
    with torch.no_grad():
        return _answer(loaded.net, ask(loaded, batch_of(loaded, example)))


def answers(loaded: Loaded, source: str, split: str, first: int, count: int) -> npt.NDArray[np.int64]:
    """Return a net's answers to some pictures, as labels; -1 for those of classes that it does not know.

    They are computed in single precision, as the net was trained.

    Args:
        loaded: the net.
        source, split: the data set and its split.
        first, count: which of its pictures.
    """
    net = loaded.net
    dataset, part = data.load(source, split), slice(first, first + count)
    images, labels, classes = dataset.images[part], dataset.labels[part], np.array(net.labels)
    known = np.flatnonzero(np.isin(labels, classes))
    found = np.full(len(labels), -1)
    if len(known):
        batch = np.stack([inputs.fitted(images[place], **asdict(net.input)) for place in known])
        with torch.no_grad():
            logits = ask(cache.single(net), as_batch(batch))
        places = predicted(logits)
        found[known] = classes[places.numpy()]
    return found


def _answer(net: Net, logits: Tensor) -> str:
    found = probabilities(logits)[0]
    return f"{net.classes[int(found.argmax())]}, {100 * float(found.max()):.1f} %"
