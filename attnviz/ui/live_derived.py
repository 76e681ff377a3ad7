"""What the live channel makes of a model beside its taps: a head's mean row, and what each pixel adds to an answer.

Loads torch. Which of them a model can give, `card_views` says.
"""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from attnviz import data
from attnviz.checkpoints import Checkpoint
from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.measures import added as sums
from attnviz.measures import mean_row as rows
from attnviz.measures.one_line import folded
from attnviz.models.controls import Histogram, PixelLine
from attnviz.models.parts import LEVELS, levels_of
from attnviz.models.pixel_attention import PixelAttention
from attnviz.readings import Reading
from attnviz.tracing import trace
from attnviz.ui import cache
from attnviz.ui.live_request import AddedByPixels, Ask, MeanRow, Part

ROWS = 256  # mean rows in an answer, counting every picture: of 784 tokens all with ink one takes 3 ms
SAMPLES = 256  # of the strokes, among which the drawn digits are found that a head is chosen on


def taps(wanted: Part | MeanRow | AddedByPixels) -> tuple[str, ...]:
    """Return the addresses that have to be kept for what is wanted."""
    if isinstance(wanted, Part):
        return (wanted.address,)
    return _query_and_key(wanted.address) if isinstance(wanted, MeanRow) else ()


def check(ask: Ask, model: nn.Module, pictures: int) -> None:
    """Refuse what would take long, or come out false: a mean row is the softmax of query times key, and no later edit.

    Args:
        ask: what is wanted, and the edits.
        model: that is asked.
        pictures: how many it is asked about.

    Raises:
        BadInput: too many mean rows, another kind of layer, or an edit between; says which.
    """
    rows_in_all = pictures * sum(isinstance(wanted, MeanRow) for wanted in ask.wanted.values())
    if rows_in_all > ROWS:
        raise BadInput(f"{ROWS} mean rows can be wanted at once, counting every picture; this is {rows_in_all}.")
    made = {wanted.address for wanted in ask.wanted.values() if isinstance(wanted, MeanRow)}
    for address in made:
        layer = dict(model.named_modules()).get(address.rpartition(".")[0])
        if layer is not None and not isinstance(layer, Attention):
            raise BadInput(f"{address} is not of dot-product attention: its rows cannot be made of query and key.")
    for edit in ask.edits:
        layer, _, tap = edit.address.rpartition(".")
        if tap in ("scores", "weights") and f"{layer}.weights".removeprefix(".") in made:
            raise BadInput(f"A mean of rows is made of query and key: it cannot show the edit of {edit.address}.")


def definite(ask: Ask, checkpoint: Checkpoint) -> tuple[Ask, dict[str, int]]:
    """Put the number of a head in the place of "furthest"; return the ask, and name -> that number."""
    heads = {
        name: cache.head(checkpoint.card, wanted.address)
        for name, wanted in ask.wanted.items()
        if isinstance(wanted, MeanRow) and wanted.index["head"] == "furthest"
    }
    changed = {name: ask.wanted[name].model_copy(update={"index": {"head": head}}) for name, head in heads.items()}
    return ask.model_copy(update={"wanted": {**ask.wanted, **changed}}) if heads else ask, heads


def mean_row(wanted: MeanRow, seen: Mapping[str, Reading], images: Tensor) -> Reading:
    """Return the mean row of one head over what has ink, batch by key.

    Args:
        wanted: which layer, which head.
        seen: its query and key.
        images: (batch, channel, row, column)

    Raises:
        BadInput: the layer does not say where its tokens lie.
    """
    query, key = (part_at(seen[address], head=int(wanted.index["head"])) for address in _query_and_key(wanted.address))
    grid = seen[_query_and_key(wanted.address)[0]].grid
    if grid is None:
        raise BadInput(f"{wanted.address} does not say where its tokens lie, so none of them can be said to have ink.")
    inked = rows.inked(images, grid)
    means = [rows.mean_row(*each) for each in zip(query, key, inked, strict=True)]
    return Reading(wanted.address, torch.stack(means), ("batch", "key"), grid)


def part_at(reading: Reading, head: int) -> Tensor:
    """Return one head of queries or keys: (batch, token, size)."""
    if reading.axes != ("batch", "head", "token", "feature"):
        raise BadInput(f"{reading.address} has the axes {' '.join(reading.axes)}: no head's rows can be made of it.")
    return reading.at(head=head)


def furthest(checkpoint: Checkpoint, address: str) -> int:
    """Return the head whose mean row is furthest from an even share, in bits, on a drawn digit of each class."""
    labels = data.labels("strokes", "test")[:SAMPLES]
    numbers = [int(np.flatnonzero(labels == label)[0]) for label in checkpoint.card.recipe.classes]
    images = np.stack([cache.picture("strokes", number)[0] for number in numbers])
    batch = torch.from_numpy(images.transpose(0, 3, 1, 2).copy()).double() / 255
    names = _query_and_key(address)
    with torch.no_grad(), trace(checkpoint.model, names) as seen:
        checkpoint.model(batch)
    wanted = [MeanRow(address=address, index={"head": head}, mean="ink") for head in range(seen[names[0]].size("head"))]
    bits = [rows.bits_from_even(mean_row(one, seen, batch).tensor).mean() for one in wanted]
    return int(torch.stack(bits).argmax())


def added(model: nn.Module, images: Tensor, logits: Tensor) -> Reading:
    """Return what each pixel adds to the answer, batch by row and column.

    Args:
        model: a line through the pixels or through the histogram, or a net of one token.
        images: (batch, 1, row, column) in 0..1.
        logits: (batch, column) what the model says of them.

    Raises:
        BadInput: the answer of the model is no sum over pixels.
    """
    each = [_by_pixels(model, image[0]) for image in images]
    found = [sums.toward_answer(*one).pixels for one in zip(logits, each, strict=True)]
    return Reading("added", torch.stack(found), ("batch", "row", "column"))


def _by_pixels(model: nn.Module, image: Tensor) -> Tensor:
    if type(model) is PixelLine:
        return sums.by_line(model.classifier.weight / model.standardise.std, image)
    if isinstance(model, Histogram) and isinstance(model.classifier, nn.Linear):
        bins = levels_of(image) * model.bins // LEVELS
        return sums.by_histogram(model.classifier.weight * (model.bins / bins.numel()), bins)
    if isinstance(model, PixelAttention) and model.grid.tokens == 1 and model.pool == 1 and model.positions is None:
        attention, standard = model.attention, model.standardise
        chain = [(part.weight, part.bias) for part in (attention.value, attention.output, model.classifier)]
        line = folded(*chain, mean=standard.mean, std=standard.std, shape=model.shape)
        return sums.by_line(torch.from_numpy(line.weight).flatten()[None], image)
    raise BadInput("The answer of this model is no sum over pixels, so none of them adds a part of its own.")


def _query_and_key(address: str) -> tuple[str, str]:
    layer = address.removesuffix("weights")
    return f"{layer}query", f"{layer}key"
