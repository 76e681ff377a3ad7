"""Run a model on a test picture and return, as numpy arrays, what a page draws. Everything that loads torch is here."""

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

import attnviz
from attnviz import checkpoints, data, models
from attnviz.answers import as_batch, predicted, probabilities
from attnviz.cards import Card
from attnviz.checkpoints import Checkpoint
from attnviz.data import inputs
from attnviz.layers.attention import Attention
from attnviz.measures.attention import carried, normalisers
from attnviz.measures.maps import Maps, maps
from attnviz.measures.readout import linear_readout
from attnviz.tracing import Grid, trace
from attnviz.ui.components.pixel_viewer import AttentionView

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class TapInfo:
    """A tap: its axes, its shape for a batch of one picture, and the grid of its tokens."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    grid: Grid | None = None


def exactly(name: str) -> Checkpoint:
    """Load a trained model in double precision, so that what is shown is exact to far more digits than are shown."""
    model, card = checkpoints.load(name)
    return Checkpoint(model.double(), card)


def attention(
    checkpoint: Checkpoint,
    image: Image,
    label: str | None,
    source: str,
    *,
    ink: bool = True,
    unit: str = "pixel",
) -> AttentionView:
    """Return what the viewer needs to show the attention of every pixel of a picture.

    Args:
        checkpoint: of a model with an attention layer; the first one is shown.
        image: uint8 (row, column, channel), as the model takes it.
        label: what it shows, if anybody knows.
        source: its origin, such as "mnist/test/7".
        ink: whether it is ink on paper, so that maps over it carry the outline of the ink.
        unit: what a token is called.
    """
    model, card = checkpoint
    address, layer = next((path, part) for path, part in model.named_modules() if isinstance(part, Attention))
    pixels = as_batch(image, double=True)
    names = ("query", "key", "value", "mixed", "output")
    with torch.no_grad(), trace(model, [f"{address}.{tap}" for tap in names]) as seen:
        logits = ask(checkpoint, pixels)
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
        classes=card.classes,
        probabilities=probabilities(logits)[0].numpy(),
        label=label,
        origin={**origin(checkpoint, source, address), "answer": _answer(card, logits)},
        ink=ink,
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


def ask(checkpoint: Checkpoint, batch: Tensor, seed: int = 0) -> Tensor:
    """Return the logits of a batch; a model that draws random numbers gets a generator of that seed."""
    model, card = checkpoint
    drawn = "generator" in models.spec(card.recipe.model).takes
    logits: Tensor = model(batch, **({"generator": torch.Generator().manual_seed(seed)} if drawn else {}))
    return logits


def origin(checkpoint: Checkpoint, source: str, address: str) -> dict[str, str | int | float]:
    """Return the origin of what is on the screen, for its exports."""
    card = checkpoint.card
    return {
        "software": f"attnviz {attnviz.__version__}",
        "model": card.recipe.model,
        "recipe": card.recipe.name,
        "seed": card.seed,
        "digest": card.weights_digest,
        "image": source,
        "address": address,
    }


def list_taps(checkpoint: Checkpoint) -> dict[str, TapInfo]:
    """Return the taps of a model by tap path; empty for a model without taps."""
    model, card = checkpoint
    if not any(getattr(part, "taps", ()) for part in model.modules()):
        return {}
    taken = models.input_of(card.recipe.model, card.config)
    blank = np.zeros((taken.rows, taken.columns, taken.channels), np.uint8)
    with torch.no_grad(), trace(model) as seen:
        ask(checkpoint, as_batch(blank, double=True))
    return {
        address: TapInfo(reading.axes, tuple(reading.tensor.shape), reading.grid) for address, reading in seen.items()
    }


def tap(checkpoint: Checkpoint, image: Image, address: str, query: int | None) -> Maps:
    """Return the value of one tap on a picture as maps; for one query if it has queries."""
    with torch.no_grad(), trace(checkpoint.model, [address]) as seen:
        ask(checkpoint, as_batch(image, double=True))
    held = {} if query is None else {"query": query}
    if "batch" in seen[address].axes:
        held["batch"] = 0
    return maps(seen[address], **held)


def answer(checkpoint: Checkpoint, image: Image) -> str:
    """Return a model's answer to a picture and its probability, in words for an export: "8, 98.3 %"."""
    with torch.no_grad():
        return _answer(checkpoint.card, ask(checkpoint, as_batch(image, double=True)))


def answers(checkpoint: Checkpoint, dataset: data.Dataset, part: slice) -> npt.NDArray[np.int64]:
    """Return a model's answers to some pictures, by place; -1 for those of classes that it does not know.

    Args:
        checkpoint: in single precision.
        dataset: with the labels of the whole data set; an answer is one of them.
        part: which of its pictures.
    """
    card = checkpoint.card
    taken = asdict(models.input_of(card.recipe.model, card.config))
    images, labels, classes = dataset.images[part], dataset.labels[part], np.array(card.recipe.classes)
    known = np.flatnonzero(np.isin(labels, classes))
    found = np.full(len(labels), -1)
    if len(known):
        batch = np.stack([inputs.fitted(images[place], **taken) for place in known])
        with torch.no_grad():
            logits = ask(checkpoint, as_batch(batch))
        places = predicted(logits)
        found[known] = classes[places.numpy()]
    return found


def _answer(card: Card, logits: Tensor) -> str:
    found = probabilities(logits)[0]
    return f"{card.classes[int(found.argmax())]}, {100 * float(found.max()):.1f} %"
