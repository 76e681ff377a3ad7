"""The pictures that move a head: those with its highest and lowest values, and one at random of each tenth between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from attnviz.head_table.measures import MEASURES
from attnviz.subjects import Loaded, Net
from attnviz.ui.components.head_table import Moved, Row
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from attnviz.head_table.door import Pictures
    from attnviz.head_table.table import Heads

FEW = 10
SEED = 0


def rows(values: npt.NDArray[np.float64]) -> list[npt.NDArray[np.int64]]:
    """Return places of pictures: the highest values, the lowest, and one at random of each tenth of the order.

    Args:
        values: (picture,); NaN stands nowhere.
    """
    order = np.argsort(-values, kind="stable")[: int((~np.isnan(values)).sum())]
    tenths = [tenth for tenth in np.array_split(order, FEW) if len(tenth)]
    random = np.random.default_rng(SEED)
    return [order[:FEW], order[::-1][:FEW], np.array([random.choice(tenth) for tenth in tenths], np.int64)]


def of_head(table: Heads, few: Pictures, net: Net, source: str, head: int, measure: str, url: str) -> Moved | None:
    """Return the pictures of a head; None where it has no such number on any picture, or no grid.

    Args:
        table: over the pictures that are shown.
        few: all pictures of the table before any were left out.
        net: that is looked at.
        source: the data set.
        head: its row in the table.
        measure: by which the pictures are ordered.
        url: of the page on which one of the pictures is looked at.
    """
    own, values = table.heads[head], table[measure][head]
    grid = table.calls[own.layer].grid
    chosen = rows(values)
    if grid is None or not len(chosen[0]):
        return None
    one = MEASURES[measure]
    titles = (f"{one.title}: highest", f"{one.title}: lowest", "One at random of each tenth, from the highest down")
    places = np.concatenate(chosen)
    numbers = tuple(int(number) for number in table.numbers[places])
    maps = cache.of_net(received, net, source, len(few.images), numbers, own.path, own.number)
    captions, links = [], []
    for place, number in zip(places, numbers, strict=True):
        right = net.classes[few.labels[number]]
        answered = net.classes[table.predicted[place]]
        said = f"{right}" if right == answered else f"{right}, taken for {answered}"
        captions.append(f"{said} \u00b7 {_written(values[place], one.scale)}")
        layer = f"&layer={own.layer + 1}" if len(table.calls) > 1 else ""
        words = f"v=2&model={net.key}&data={source}&number={few.numbers[number]}&head={own.number + 1}{layer}"
        links.append(f"{url}?{words}" if url else "")
    return Moved(
        head=head,
        rows=[Row(title, one.tolist()) for title, one in zip(titles, chosen, strict=True)],
        pictures=few.images[list(numbers)],
        maps=maps,
        captions=captions,
        links=links,
        ink=few.mask == "ink",
    )


def received(
    loaded: Loaded, source: str, count: int, numbers: Sequence[int], path: str, head: int
) -> npt.NDArray[np.float64]:
    """Return what each token receives from a head, as a multiple of an even share: (picture, row, column)."""
    import torch

    from attnviz.answers import as_batch
    from attnviz.tracing import trace
    from attnviz.ui.heads.work import pictures

    few, found = pictures(loaded.net, source, count), []
    address = f"{path}.weights" if path else "weights"
    for number in numbers:
        with torch.no_grad(), trace(loaded.model, {address: {"head": head}}) as seen:
            loaded.model(as_batch(few.images[number], double=True))
        reading = seen[address]
        grid, weights = reading.grid, reading.tensor[0].double()
        assert grid is not None
        shares = weights.mean(0) * weights.shape[-1]
        found.append(shares[grid.prefix :].unflatten(0, (grid.rows, grid.columns)).cpu().numpy())
    return np.stack(found)


def _written(value: float, scale: str) -> str:
    if scale == "unit":
        return f"{100 * value:.0f} %"
    return f"{value:{'+' if scale == 'signed' else ''}.2f}".replace("-", "\u2212")
