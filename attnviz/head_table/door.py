"""`attnviz.heads`: from a name to a net and its pictures, and then to the table."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from torch import nn

from attnviz import data
from attnviz.errors import BadInput
from attnviz.head_table.table import Heads
from attnviz.head_table.work import PLACES, Images, Report, Work
from attnviz.layers.intensities import is_dense
from attnviz.measures import sanity
from attnviz.subjects import Net, kinds

SEED = 0  # seed of the random weights


class Pictures(NamedTuple):
    """Pictures of a data set in the format of a net.

    Args:
        images: uint8 (picture, row, column, channel).
        labels: int64 (picture,), the right answers as numbers of the net's classes.
        numbers: int64 (picture,), their indices in the test split.
        mask: "ink" if the pictures are ink on empty paper, else None.
    """

    images: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    mask: str | None


def pictures_of(net: Net, name: str, count: int | None = None) -> Pictures:
    """Return the first test pictures of a data set, at most `count`, that show a class of a net; else its samples."""
    spec, shown = data.spec(name), data.shown(name)
    taken = net.input.rows, net.input.columns, net.input.channels
    if spec.shape != taken:
        raise BadInput(
            f"{net.key} takes pictures of {taken}, rows, columns and channels; those of {name} are {spec.shape}."
        )
    known = {label: net.classes.index(title) for label, title in enumerate(spec.classes) if title in net.classes}
    places = np.flatnonzero(np.isin(shown.labels, list(known)))[:count]
    if len(places) < 2:
        raise BadInput(
            f"{name} has {len(places)} pictures of the classes of {net.key} here, and at least two are needed."
        )
    images, labels = data.pick(name, shown.split, places)
    answers = np.array([known[int(label)] for label in labels])
    return Pictures(images, answers, shown.numbers[places], "ink" if spec.ink else None)


def heads(
    net: str | Net | nn.Module,
    pictures: str | Images,
    *,
    count: int | None = 500,
    labels: npt.NDArray[np.int64] | None = None,
    mask: npt.NDArray[np.bool_] | str | None = None,
    random: bool = True,
    effects: bool = True,
    places: int = PLACES,
    double: bool = False,
    report: Report | None = None,
) -> Heads:
    """Measure every attention head of a net over many pictures.

    Results are stored on disk in parts of 32 pictures, identified by everything they depend on. An interrupted call
    resumes where it stopped, and a second call reads the results. Switching off heads takes one pass per head; erasing
    tokens takes one pass per token, for at most `places` tokens.

    Args:
        net: the name of a checkpoint, a `Net`, or any torch module in evaluation mode, whose attention is captured as
            by `attnviz.watch`. A module computes on its own device; other nets use a CUDA device if there is one.
        pictures: the name of a data set, of which the first test pictures of the net's classes are used; or float
            (picture, channel, row, column) as the module takes them, or uint8 (picture, row, column, channel).
        count: the maximum number of pictures; None for all.
        labels: int64 (picture,), the right answers, for pictures that are not from a data set.
        mask: where the object is on each picture: bool (picture, row, column), or "ink" for every pixel above 0. The
            default is "ink" for a data set of ink on empty paper, else None, which means unknown.
        random: also measure the net with random weights, with the same mean and spread in each layer, as `random`.
        effects: also switch off each head; otherwise `effect` and `changed` are NaN, and few passes are needed.
        places: the maximum number of tokens, evenly spaced, to rank and to erase one by one; 0 erases none.
        double: compute in double precision, unless `net` is a module.
        report: called after each part with the numbers of finished parts and of all parts.

    Returns:
        All measures of all heads on all pictures, with means and intervals.

    Raises:
        UnknownName, CheckpointError, DataError: the net or the data set is not available.
        BadInput: there are no attention heads, no logits (batch, class), or fewer than two pictures.
    """
    model, images, labels, mask = loaded(net, pictures, count, labels, mask, double)
    work = Work(model, images, mask, places, effects=effects)
    beside = Work(with_random_weights(model), images, mask, places, effects=effects) if random else None
    total = work.count * (2 if random else 1)
    table = work.table(work.all(later(report, 0, total)), labels)
    if beside is None:
        return table
    return replace(table, random=beside.table(beside.all(later(report, work.count, total)), labels))


def later(report: Report | None, before: int, total: int) -> Report | None:
    """Return a report for a part of the work that adds the parts before it, out of `total` parts."""
    return None if report is None else lambda done, _: report(before + done, total)


def loaded(
    net: str | Net | nn.Module,
    pictures: str | Images,
    count: int | None,
    labels: npt.NDArray[np.int64] | None,
    mask: npt.NDArray[np.bool_] | str | None,
    double: bool,
) -> tuple[nn.Module, Images, npt.NDArray[np.int64] | None, npt.NDArray[np.bool_] | str | None]:
    """Return model, pictures, right answers and mask for the arguments of `heads`."""
    if count is not None and count < 1:
        raise BadInput(f"count: expected at least one picture, or None for all, got {count}.")
    found = kinds.net(net) if isinstance(net, str) else net
    if isinstance(found, Net):
        model = found.load(double=double).model
        model = model.to(_device())
    else:
        model = found
        if model.training:
            raise BadInput("Put the model in evaluation mode first, model.eval(): dropout makes its maps random.")
    if isinstance(pictures, str):
        if not isinstance(found, Net):
            raise BadInput(
                "For a module of your own, give pictures as it takes them: a tensor (picture, channel, row, column)."
            )
        few = pictures_of(found, pictures, count)
        return model, few.images, few.labels, few.mask if mask is None else mask
    in_8_bit = isinstance(pictures, np.ndarray) and pictures.dtype == np.uint8
    if not (in_8_bit or (is_dense(pictures) and pictures.is_floating_point())) or pictures.ndim != 4:  # type: ignore[union-attr]
        raise BadInput(
            "Pictures are the name of a data set, a float tensor (picture, channel, row, column), or a numpy array of "
            "uint8 (picture, row, column, channel)."
        )
    few_images: Any = pictures[:count]
    cut = slice(len(few_images))
    return (
        model,
        few_images,
        None if labels is None else labels[cut],
        mask[cut] if isinstance(mask, np.ndarray) else mask,
    )


def with_random_weights(model: nn.Module) -> nn.Module:
    """Return a copy of a model with redrawn weights in all layers; see `attnviz.measures.sanity`."""
    *_, found = sanity.randomised(model, sanity.from_the_top(model), seed=SEED)
    return found


def _device() -> str:
    from attnviz import devices

    return devices.device_of("auto")
