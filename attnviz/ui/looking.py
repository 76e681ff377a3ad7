"""Run a model on one test picture and bring home, as numpy arrays, what a page draws. All that loads torch is here."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

import attnviz
from attnviz import checkpoints, data
from attnviz.checkpoints import Checkpoint
from attnviz.layers.attention import Attention
from attnviz.measures.attention import carried, normalisers
from attnviz.measures.maps import Maps, maps
from attnviz.models import probabilities
from attnviz.tracing import Grid, addresses, trace
from attnviz.training import loop
from attnviz.training.seeds import on_device
from attnviz.ui.pixel_viewer import AttentionView

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Heard:
    """What one tap says, in general: its axes, and its shape for a batch of one picture."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]


def exactly(name: str) -> Checkpoint:
    """Load a trained model in double precision: what is shown is then exact to far more digits than are shown."""
    model, card = checkpoints.load(name)
    return Checkpoint(model.double(), card)


def attention(checkpoint: Checkpoint, image: Image, label: str | None, source: str) -> AttentionView:
    """Return what the viewer needs to show the attention of every pixel of a picture.

    Args:
        checkpoint: of a model with an attention layer; the first one is shown.
        image: uint8 (row, column, channel)
        label: what it shows, if anybody knows.
        source: where it comes from, such as "mnist/test/7".
    """
    model, card = checkpoint
    address, layer = next((path, part) for path, part in model.named_modules() if isinstance(part, Attention))
    pixels = as_batch(image)
    with torch.no_grad(), trace(model, [f"{address}.{tap}" for tap in ("query", "key", "value", "output")]) as seen:
        logits = model(pixels)
    query, key, value = (seen[f"{address}.{tap}"].at(batch=0) for tap in ("query", "key", "value"))
    grid = seen[f"{address}.query"].grid
    assert grid is not None, "the attention of every model of pictures says where its tokens lie"
    log_normaliser, received = normalisers(query, key)
    added, signed = carried(value, layer.output.weight)
    return AttentionView(
        picture=pooled(pixels, grid).numpy(),
        query=query.numpy(),
        key=key.numpy(),
        value=value.numpy(),
        log_normaliser=log_normaliser,
        carried=added,
        carried_signed=signed,
        received=received,
        output=seen[f"{address}.output"].at(batch=0).numpy(),
        rows=grid.rows,
        columns=grid.columns,
        prefix=grid.prefix,
        classes=card.classes,
        probabilities=probabilities(logits)[0].numpy(),
        label=label,
        origin=origin(checkpoint, source, address),
        background=None if grid.stride == 1 else image,
    )


def pooled(pixels: Tensor, grid: Grid) -> Tensor:
    """Return the mean intensity of each token's box, (row, column), of a picture (1, 1, row, column)."""
    return avg_pool2d(pixels, int(grid.field), int(grid.stride))[0, 0]


def origin(checkpoint: Checkpoint, source: str, address: str) -> dict[str, str | int | float]:
    """Return where a picture on the screen comes from, for every export of it."""
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


def heard(checkpoint: Checkpoint, image: Image) -> dict[str, Heard]:
    """Return what could be heard of a model, by address; empty for a model without taps."""
    if not any(getattr(part, "taps", ()) for part in checkpoint.model.modules()):
        return {}
    return {address: Heard(*said) for address, said in addresses(checkpoint.model, as_batch(image)).items()}


def tap(checkpoint: Checkpoint, image: Image, address: str, query: int | None) -> Maps:
    """Lay what one tap says of a picture out as maps; for one query where it has queries."""
    with torch.no_grad(), trace(checkpoint.model, [address]) as seen:
        checkpoint.model(as_batch(image))
    held = {} if query is None else {"query": query}
    if "batch" in seen[address].axes:
        held["batch"] = 0
    return maps(seen[address], **held)


def answers(name: str, source: str) -> npt.NDArray[np.int64]:
    """Return a model's answer to every test picture of its classes, by place in the split; -1 for the others.

    An answer is a label of the data set.
    """
    model, card = checkpoints.load(name)
    images, labels = data.load(source, "test")
    classes = np.array(card.recipe.classes)
    known = np.isin(labels, classes)
    logits = loop.answers(model, on_device(data.Dataset(images[known], labels[known]), "cpu"))
    found = np.full(len(labels), -1)
    found[known] = classes[loop.chosen(logits).numpy()]
    return found


def as_batch(image: Image) -> Tensor:
    """Turn a picture, uint8 (row, column, channel), into a batch of one in double precision, in 0..1."""
    return torch.from_numpy(image.transpose(2, 0, 1).copy())[None].double() / 255
