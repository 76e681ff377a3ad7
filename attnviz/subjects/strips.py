"""Strips of digits as examples: test strips, and strips drawn by visitors.

In the URL a test strip is its source, length and number, `strip=strokes.15.3`; a drawn strip is its pixels,
`strip=drawn.eJx...`, see `attnviz.data.inputs.strip`. A drawn strip that does not fit is named by its digest,
`strip=file.1f3a...`: opening its file shows it again under the same link.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from attnviz.arrays import Bytes
from attnviz.data import digit_strips
from attnviz.data.inputs.strip import pack, unpack
from attnviz.errors import BadInput
from attnviz.subjects.net import Net

PREPARATION = "strip"
"""The preparation of nets that take strips, as named in `Net.input`."""

_TEST = re.compile(rf"({'|'.join(digit_strips.PARTS)})\.([1-9][0-9]?)\.(0|[1-9][0-9]{{0,3}})")
_DRAWN, _FILE = "drawn.", "file."
_MOST_FILES = 64  # strips too long for a URL, of at most 24 kB each, that this process remembers

_files: OrderedDict[str, Bytes] = OrderedDict()  # digest -> digits
_lock = Lock()


@dataclass(frozen=True)
class Strip:
    """Digits side by side, whose target is a text.

    Args:
        word: SOURCE.LENGTH.NUMBER of a test strip, such as "strokes.15.3"; "drawn." and the digits as text; or
            "file." and the digest of digits that are remembered here.

    Raises:
        BadInput: the word does not name a strip.
    """

    word: str

    def __post_init__(self) -> None:
        if self.is_drawn:
            _digits(self.word)
            return
        found = _TEST.fullmatch(self.word)
        if found is None:
            raise BadInput(
                f"A strip is named by its source, length and number, such as strokes.15.3, or holds a drawing; "
                f"{self.word[:40]!r} is neither."
            )
        digit_strips.check(int(found[2]), int(found[3]))

    @classmethod
    def test(cls, source: str, length: int, number: int) -> Strip:
        """Return a test strip of "mnist" or "strokes" with 1 to 30 digits, numbered from 0 to 1,023."""
        return cls(f"{source}.{length}.{number}")

    @classmethod
    def drawn(cls, pictures: Bytes) -> Strip:
        """Return a strip of 1 to 30 drawn digits, uint8 (digits, 28, 28), as made by `mnist_style`, reduced to 16 grey
        levels.

        BadInput: they are not such digits, or do not fit into a URL (`TooLong`), in which case use `kept`.
        """
        return cls(_DRAWN + pack(pictures))

    @classmethod
    def kept(cls, pictures: Bytes) -> Strip:
        """Return a strip of digits that do not fit into a URL; this process remembers them for a while."""
        digest = hashlib.sha256(pictures.tobytes()).hexdigest()[:32]
        with _lock:
            _files[digest] = pictures.copy()
            _files.move_to_end(digest)
            while len(_files) > _MOST_FILES:
                _files.popitem(last=False)
        return cls(_FILE + digest)

    @property
    def is_drawn(self) -> bool:
        """Whether it was drawn by a visitor."""
        return self.word.startswith((_DRAWN, _FILE))

    @property
    def is_kept(self) -> bool:
        """Whether it does not fit into a URL, which then only names it."""
        return self.word.startswith(_FILE)

    @property
    def key(self) -> str:
        """Its name in exports, such as "strokes/strips/15/3", or a digest for a drawn strip."""
        if self.is_drawn:
            return "strip/" + hashlib.sha256(self.picture.tobytes()).hexdigest()[:12]
        return self.word.replace(".", "/strips/", 1).replace(".", "/")

    @property
    def words(self) -> Mapping[str, str]:
        """The URL field that names it."""
        return {"strip": self.word}

    @property
    def asked(self) -> Mapping[str, Any]:
        """Its name in a request of the live channel."""
        return {"data": f"strip:{self.word}", "number": 0}

    @property
    def data(self) -> None:
        """None: strips are made on request, and are not numbered within a data set."""
        return

    @property
    def target(self) -> str | None:
        """Its digits from left to right, such as "314", or None for a drawn strip."""
        return _read(self.word)[1]

    @property
    def ink(self) -> bool:
        """True: strips are ink on empty paper."""
        return True

    @property
    def picture(self) -> Bytes:
        """The strip, uint8 (28, 28 x digits, 1)."""
        return _read(self.word)[0]

    def __len__(self) -> int:
        """Return the number of digits."""
        if self.is_drawn:
            high, wide = self.picture.shape[:2]
            return int(wide // high)
        return int(self.word.split(".")[1])

    def text_for(self, net: Net) -> str | None:
        """Return the target text of a net, the digits in order, reversed or sorted, or None for a drawn strip."""
        how = digit_strips.STRIPS.get(net.data or "")
        if self.target is None or how is None:
            return self.target
        digits = np.array([[int(digit) for digit in self.target]])
        return "".join(map(str, how.targets(digits)[0, :-1]))

    def taken_by(self, net: Net) -> Bytes:
        """Return the strip as a net's input."""
        if net.input.preparation != PREPARATION:
            raise BadInput(f"{net.title} takes single pictures, not strips. Choose a model that reads strips.")
        return self.picture


def _digits(word: str) -> Bytes:
    """Return the digits of a drawn strip, uint8 (digits, 28, 28)."""
    if word.startswith(_DRAWN):
        return unpack(word.removeprefix(_DRAWN))
    with _lock:
        found = _files.get(word.removeprefix(_FILE))
    if found is None:
        raise BadInput(
            "This link names a strip that is too long for a link. Open the file that it was saved in, and you see it."
        )
    return found


@lru_cache(maxsize=256)
def _read(word: str) -> tuple[Bytes, str | None]:
    if word.startswith((_DRAWN, _FILE)):
        digits = _digits(word)
        return np.concatenate(list(digits), 1)[..., None], None
    source, length, number = word.split(".")
    return digit_strips.strip(source, int(length), int(number))
