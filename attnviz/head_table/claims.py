"""Statements about a head, such as "it attends to its left neighbour", tested over many pictures.

A claim is a function of one map that returns True or False. The share of pictures for which it holds is compared with
two baselines: random weights, and the object and the gradient of another picture instead of the picture's own.

    def looks_up(map):                                   # in FILE.py
        up = map.weights[map.columns:, :].argmax(1) == range(len(map.weights) - map.columns)
        return up.mean() > 0.5

    attnviz heads pixel_attention.digits strokes --claim FILE.py:looks_up
"""

import hashlib
import runpy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from torch import nn

from attnviz import files
from attnviz.arrays import Floats
from attnviz.errors import AttnvizError, BadInput
from attnviz.grids import Grid
from attnviz.head_table.kept import Arrays
from attnviz.head_table.passes import of_places
from attnviz.head_table.table import Mean, proportion
from attnviz.head_table.work import Images, Work
from attnviz.measures.matched_heads import FLAT

MOSTLY = 0.5  # fraction of the queries, or of the attention
EVEN = 0.95  # fraction of the maximum entropy
TWICE = 2.0  # multiple of an even share
ALIKE = 0.3  # correlation


@dataclass(frozen=True, eq=False)
class Map:
    """The map of one head on one picture, as passed to a claim.

    Args:
        weights: float64 (query, key), rows that sum to 1.
        grid: where queries and keys lie, or None if unknown.
        object: bool (key,), which keys lie on the object, such as ink, or None if unknown.
        gradient: float64 (key,), how much the pixels of each key's box change the answer; 0 for keys without a
            position; None if unknown.
    """

    weights: Floats
    grid: Grid | None
    object: npt.NDArray[np.bool_] | None
    gradient: Floats | None

    @property
    def prefix(self) -> int:
        """The number of leading tokens without a position, such as a class token."""
        return self.grid.prefix if self.grid else 0

    @property
    def columns(self) -> int:
        """The number of tokens in a row of the grid; 0 if unknown."""
        return self.grid.columns if self.grid else 0

    @property
    def received(self) -> Floats:
        """float64 (key,), the mean weight over the queries."""
        found: Floats = self.weights.mean(0)
        return found


Claim = Callable[[Map], bool | None]
"""Return whether a statement holds for a map, or None if it does not apply to the map."""


def left(map: Map) -> bool | None:
    """Most queries give their largest weight to the token on their left."""
    if map.columns < 2:
        return None
    tokens = np.arange(map.prefix, len(map.weights))
    inner = tokens[(tokens - map.prefix) % map.columns > 0]
    return bool((map.weights[inner].argmax(1) == inner - 1).mean() > MOSTLY)


def itself(map: Map) -> bool | None:
    """Most queries give their largest weight to themselves."""
    if map.weights.shape[0] != map.weights.shape[1]:
        return None
    return bool((map.weights.argmax(1) == np.arange(len(map.weights))).mean() > MOSTLY)


def on_object(map: Map) -> bool | None:
    """The object, such as ink, receives at least twice an even share."""
    if map.object is None or not map.object.any():
        return None
    return bool(map.received[map.object].mean() * len(map.received) >= TWICE)


def answer(map: Map) -> bool | None:
    """The tokens that the answer depends on receive most: received weight and gradient correlate with 0.3 or more."""
    if map.gradient is None:
        return None
    return _alike(map.received[map.prefix :], map.gradient[map.prefix :])


def class_token(map: Map) -> bool | None:
    """The class token attends to what its answer depends on: its row and the gradient correlate with 0.3 or more.

    The class token is the first token without a position. If an answer is pooled without one, that token is a register.
    """
    if map.gradient is None or not map.prefix:
        return None
    return _alike(map.weights[0, map.prefix :], map.gradient[map.prefix :])


def even(map: Map) -> bool | None:
    """The attention is spread over all keys: its entropy is at least 95 % of the maximum."""
    keys = map.weights.shape[1]
    if keys < 2:
        return None
    logarithms = np.log2(map.weights, out=np.zeros_like(map.weights), where=map.weights > 0)
    return bool(-(map.weights * logarithms).sum(1).mean() >= EVEN * np.log2(keys))


CLAIMS: dict[str, tuple[str, Claim]] = {
    "left": ("Attends to the left neighbour", left),
    "itself": ("Looks at itself", itself),
    "object": ("Attends to the object", on_object),
    "answer": ("Attends to what the answer depends on", answer),
    "class_token": ("Attends to what the class token needs", class_token),
    "even": ("Attends to everything equally", even),
}
"""name -> title and function; the first line of the docstring states what exactly is tested."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The share of the pictures for which a claim holds, for each head.

    Args:
        name, title, about: name, title and description of the claim; the description states what exactly is tested.
        holds: the share of the pictures to which the claim applies.
        other: the same with the object and the gradient of another picture.
        random: the same with random weights; None if these were not tested.
    """

    name: str
    title: str
    about: str
    holds: Mean
    other: Mean
    random: Mean | None = None


class ClaimWork(Work):
    """Claims tested over pictures, in parts.

    Args:
        model, images, mask, part: see `Work`.
        claims: name -> title and function.
    """

    def __init__(
        self,
        model: nn.Module,
        images: Images,
        mask: npt.NDArray[np.bool_] | str | None = None,
        claims: Mapping[str, tuple[str, Claim]] = CLAIMS,
        part: int | None = None,
    ) -> None:
        super().__init__(model, images, mask, part=part)
        self.claims = claims
        sources = "".join(f"{name} {_source(claim)}" for name, (_, claim) in claims.items())
        self.kind = f"claims-{hashlib.sha256(sources.encode()).hexdigest()[:16]}"

    def compute(self, number: int) -> Arrays:
        numbers = self.of_part(number)
        last = (numbers[-1] + 1) % len(self.images)
        both = [*numbers, last]  # each picture is paired with the next one
        steep = self.passes.gradient(self.batch(both))
        inked: dict[Grid, npt.NDArray[np.bool_] | None] = {}
        steepness: dict[Grid, Floats | None] = {}
        for grid in self.grids:
            marks = self.inked(both, grid)
            nowhere = ((0, 0), (grid.prefix, 0))
            inked[grid] = None if marks is None else np.pad(marks.numpy(), nowhere)
            steepness[grid] = None if steep is None else np.pad(of_places(steep, grid), nowhere)
        shape = len(self.claims), len(self.units), len(numbers)
        found = {name: np.full(shape, np.nan) for name in ("holds", "other")}
        for block in self.blocks(numbers):
            _, weights = self.passes.maps(self.batch(block))
            arrays = [one.double().cpu().numpy() for one in weights]
            for at, picture in enumerate(block):
                place = picture - numbers[0]
                for unit, head in enumerate(self.units):
                    lies = self.calls[head.layer].grid
                    for name, beside in (("holds", place), ("other", place + 1)):
                        ink = None if lies is None else inked[lies]
                        slope = None if lies is None else steepness[lies]
                        map = Map(
                            arrays[head.layer][at, head.number],
                            lies,
                            None if ink is None else ink[beside],
                            None if slope is None else slope[beside],
                        )
                        for row, (title, claim) in enumerate(self.claims.values()):
                            found[name][row, unit, place] = _said(title, claim, map)
        return found

    def tested(
        self,
        parts: Sequence[Arrays],
        random: Sequence[Arrays] | None = None,
        pictures: npt.NDArray[np.bool_] | None = None,
    ) -> list[Outcome]:
        """Return the outcomes for at least one part, and for the same parts of the net with random weights.

        `pictures`, bool (picture,), marks the pictures that count, starting with the first; pictures beyond its end do
        not count.
        """

        def share(key: str, row: int, parts: Sequence[Arrays]) -> Mean:
            values = np.concatenate([part[key][row] for part in parts], 1)
            return proportion(
                values if pictures is None else values[:, : len(pictures)][:, pictures[: values.shape[1]]]
            )

        return [
            Outcome(
                name,
                title,
                _about(claim),
                share("holds", row, parts),
                share("other", row, parts),
                share("holds", row, random) if random else None,
            )
            for row, (name, (title, claim)) in enumerate(self.claims.items())
        ]


def claim_of(word: str) -> tuple[str, tuple[str, Claim]]:
    """Return the claim of FILE.py:function as an entry of `CLAIMS`; this runs the file."""
    path, colon, name = word.rpartition(":")
    if not colon or not Path(path).is_file():
        raise BadInput(f"A claim is FILE.py:function, such as mine.py:looks_up, and {word!r} names no file.")
    try:
        found = runpy.run_path(path).get(name)
    except Exception as error:
        raise BadInput(f"{path} cannot be run: {type(error).__name__}: {error}.") from error
    if not callable(found):
        raise BadInput(f"{path} has no function {name!r}.")
    found.__attnviz_source__ = hashlib.sha256(files.read(Path(path), 1 << 20)).hexdigest()
    return name, (name.replace("_", " "), found)


def _said(title: str, claim: Claim, map: Map) -> float:
    try:
        said = claim(map)
    except AttnvizError:
        raise
    except Exception as error:
        raise BadInput(f"The claim {title!r} failed: {type(error).__name__}: {error}.") from error
    if said is None:
        return np.nan
    if not isinstance(said, bool | np.bool_):
        raise BadInput(f"The claim {title!r} must return True, False or None, not {said!r:.40}.")
    return float(said)


def _alike(one: Floats, other: Floats) -> bool:
    if any(np.ptp(values) <= FLAT * values.mean() for values in (one, other)):
        return False  # constant, up to rounding
    return bool(np.corrcoef(one, other)[0, 1] >= ALIKE)


def _about(claim: Claim) -> str:
    return (claim.__doc__ or "").strip().partition("\n")[0]


def _source(claim: Claim) -> str:
    """Return what determines a claim's result: its file, or its code and constants."""
    given = getattr(claim, "__attnviz_source__", "")
    code = getattr(claim, "__code__", None)
    return given or (f"{code.co_code!r} {code.co_consts!r} {code.co_names!r}" if code else repr(claim))
