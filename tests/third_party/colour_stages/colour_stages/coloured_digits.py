"""Drawn digits, each in a colour of its own on a ground of another one."""

import numpy as np
import numpy.typing as npt

from attnviz.data import strokes
from attnviz.data.specs import DataSpec

SIDE, MARGIN = 32, 2


def make(split: str, count: int | None = None) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return images, uint8 (count, 32, 32, 3), and labels, int64 (count,), of a split or of its beginning."""
    count = SPEC.counts[split] if count is None else count
    ink, labels = strokes.load(split, count)
    colours = np.random.default_rng(SPEC.counts[split]).random((SPEC.counts[split], 2, 3))[:count]
    ground, pen = 0.4 * colours[:, 0], 0.6 + 0.4 * colours[:, 1]
    share = np.pad(ink / 255, ((0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0)))
    pictures = share * pen[:, None, None] + (1 - share) * ground[:, None, None]
    return np.rint(255 * pictures).astype(np.uint8), labels


SPEC = DataSpec(
    name="coloured_digits",
    title="Coloured digits",
    about="Digits drawn by attnviz, each in a colour of its own.",
    shape=(SIDE, SIDE, 3),
    classes=tuple("0123456789"),
    counts={"train": 400, "test": 100},
    megabytes=0,
    source="colour_stages/coloured_digits.py",
    make=make,
)
