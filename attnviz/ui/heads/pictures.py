"""The pictures on which heads are measured: test pictures of a data set, or photographs for the visitor's own model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np

from attnviz.errors import BadInput
from attnviz.subjects import Net, kinds, own, photos
from attnviz.ui.shared.own_models import batch_of, is_own, running

if TYPE_CHECKING:
    import numpy.typing as npt

    from attnviz.arrays import Bytes
    from attnviz.head_table.work import Images

FOLDER, UPLOADED = "folder", "uploaded"
SIDE = 112  # maximum side in pixels of a photograph shown with its map


@dataclass(frozen=True)
class Asked:
    """A net, and the pictures on which its heads are measured.

    Args:
        key, digest: The net's key and digest.
        source: A data set, `FOLDER` or `UPLOADED`.
        count: The maximum number of its pictures.
        words: The names of the photographs, for the visitor's own model.
        changed: The modification times of their files, in nanoseconds, to distinguish files of the same name.
    """

    key: str
    digest: str
    source: str
    count: int
    words: tuple[str, ...] = ()
    changed: tuple[int, ...] = ()

    @property
    def net(self) -> Net:
        """The net."""
        return kinds.net(self.key)

    @property
    def stated(self) -> dict[str, str]:
        """The URL fields that name the pictures."""
        return {"photographs" if self.is_own else "data": self.source, "count": str(self.count)}

    @property
    def is_own(self) -> bool:
        """Whether it is the visitor's own model, which takes photographs."""
        return is_own(self.net)


@dataclass(frozen=True, eq=False)
class Few:
    """The pictures fitted to the net, and as `shown`, uint8 (picture, row, column, channel).

    `words` are the URL fields that name each picture. `labels`, int64 (picture,), are the right answers among the net's
    classes, or None if unknown. `mask` is "ink" if the pictures are ink on empty paper.
    """

    images: Images
    shown: Bytes
    words: Sequence[str]
    labels: npt.NDArray[np.int64] | None
    mask: str | None


@lru_cache(maxsize=8)
def pictures(asked: Asked) -> Few:
    """Return the pictures of a selection."""
    if asked.is_own:
        return _photographs(asked.words)
    from attnviz.head_table.door import pictures_of

    found = pictures_of(asked.net, asked.source, asked.count)
    words = [urlencode({"data": asked.source, "number": number}) for number in found.numbers]
    return Few(found.images, found.images, words, found.labels, found.mask)


def _photographs(words: Sequence[str]) -> Few:
    import torch

    mine, taken, shown = own.own(), [], []
    for word in words:
        try:
            photo = photos.Photo(word).picture
            with running(mine):
                batch = batch_of(mine, photo).float()
        except BadInput as error:
            named = "A photograph" if word.startswith(photos.UPLOADED) else f"The photograph {word!r}"
            raise BadInput(f"{named} cannot be used, nor any other until it is taken out: {error}") from error
        taken.append(batch[0])
        input_ = mine.loaded.photo(batch)
        shown.append(_small(photo if input_ is None else input_, batch.shape[-2:]))
    if len({one.shape for one in taken}) > 1:
        raise BadInput(
            f"Heads are measured on pictures of one size, but the preprocessing of {mine.net.title} returns several: "
            "let it crop or resize them."
        )
    return Few(torch.stack(taken), np.stack(shown), [urlencode({"photo": word}) for word in words], None, None)


def _small(picture: Bytes, size: Sequence[int]) -> Bytes:
    """Return a picture in the shape of the model's input, no side over `SIDE` pixels."""
    from PIL import Image

    rows, columns = (max(1, round(side * min(1.0, SIDE / max(size)))) for side in size)
    return np.asarray(Image.fromarray(picture).convert("RGB").resize((columns, rows)))
