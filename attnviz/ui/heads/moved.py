"""The pictures that move a head: those with its highest and lowest values, and a random one from each tenth."""

from collections.abc import Sequence
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from attnviz.head_table.table import MEASURES, Head, Heads
from attnviz.subjects import Net
from attnviz.ui.components.head_table import Moved, Row
from attnviz.ui.heads import work
from attnviz.ui.heads.pictures import Asked, pictures
from attnviz.ui.shared import cache
from attnviz.work.kept import Kept
from attnviz.work.queue import QUEUE

FEW = 10
SEED = 0
_kept = Kept(16 << 20, QUEUE)  # bytes for the maps of chosen heads


def rows(values: npt.NDArray[np.float64]) -> list[npt.NDArray[np.int64]]:
    """Return indices of pictures selected by their values, (picture,), ignoring NaN: the highest, the lowest, and a
    random one from each tenth of the order.
    """
    order = np.argsort(-values, kind="stable")[: int((~np.isnan(values)).sum())]
    tenths = [tenth for tenth in np.array_split(order, FEW) if len(tenth)]
    random = np.random.default_rng(SEED)
    most = min(FEW, max(1, len(order) // 2))
    return [order[:most], order[::-1][:most], np.array([random.choice(tenth) for tenth in tenths], np.int64)]


def of_head(table: Heads, asked: Asked, head: int, measure: str, url: str) -> Moved | None:
    """Return the pictures of a head, ordered by a measure, with links to the page at `url`, or None if the measure has
    no value on any picture, or the head has no grid.

    The table covers the selected pictures; `asked` names all pictures, before the selection.
    """
    own, values = table.heads[head], table[measure][head]
    call, few, net = table.calls[own.layer], pictures(asked), asked.net
    chosen = rows(values)
    if call.grid is None or not len(chosen[0]):
        return None
    one = MEASURES[measure]
    titles = (f"{one.title}: highest", f"{one.title}: lowest", "One at random of each tenth, from the highest down")
    places = np.concatenate(chosen)
    numbers = tuple(int(number) for number in table.numbers[places])
    captions, links = [], []
    for place, number in zip(places, numbers, strict=True):
        said = _class(net, table.predicted[place])
        if few.labels is not None:
            right = _class(net, few.labels[number])
            said = right if right == said else f"{right}, taken for {said}"
        captions.append(f"{said} \u00b7 {_written(values[place], one.scale)}")
        if asked.is_own:
            where = f"&address={quote(call.path)}"
        else:
            where = f"&layer={own.layer + 1}" if len(table.calls) > 1 else ""
        words = f"v=2&model={net.key}&{few.words[number]}&head={own.number + 1}{where}"
        links.append(f"{url}?{words}" if url else "")
    return Moved(
        head=head,
        rows=[Row(title, one.tolist()) for title, one in zip(titles, chosen, strict=True)],
        pictures=few.shown[list(numbers)],
        maps=received(asked, own, numbers),
        captions=captions,
        links=links,
        ink=few.mask == "ink",
    )


def received(asked: Asked, head: Head, numbers: Sequence[int]) -> npt.NDArray[np.float64]:
    """Return the weight that each token receives from a head, (picture, row, column), in multiples of an even share."""

    def compute() -> npt.NDArray[np.float64]:
        from attnviz.head_table.passes import Passes

        own, _ = work.works(asked)
        call, found = own.calls[head.layer], []
        grid = call.grid
        assert grid is not None
        with work.alone(asked):
            for number in numbers:
                _, (weights,) = Passes(own.model, [call]).maps(own.batch([number]))
                shares = weights[0, head.number].double().mean(0) * call.keys
                found.append(shares[grid.prefix :].unflatten(0, (grid.rows, grid.columns)).cpu().numpy())
        return np.stack(found)

    key = (asked, head, tuple(numbers))
    if key not in _kept:
        with work.alone(asked):  # wait here while the model is in use, without holding a turn that others need
            pass
    return _kept.get(key, compute, what=f"maps of {asked.key}", check=cache.wanted)


def _class(net: Net, number: int) -> str:
    return net.classes[number] if number < len(net.classes) else f"class {number}"


def _written(value: float, scale: str) -> str:
    if scale == "unit":
        return f"{100 * value:.0f} %"
    return f"{value:{'+' if scale == 'signed' else ''}.2f}".replace("-", "\u2212")
