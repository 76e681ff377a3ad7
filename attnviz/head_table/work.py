"""All measures of all heads over many pictures, in parts that are stored on disk once they are computed."""

import hashlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from attnviz.answers import as_batch, predicted
from attnviz.arrays import Floats
from attnviz.errors import BadInput
from attnviz.grids import Grid
from attnviz.head_table import kept
from attnviz.head_table.calls import calls_of, outline
from attnviz.head_table.kept import Arrays
from attnviz.head_table.passes import Passes, agreement, of_places, where
from attnviz.head_table.table import MEASURES, Head, Heads
from attnviz.measures.heads import Values, correlation, of_maps, rows_of, sampled, without_itself
from attnviz.measures.matched_heads import similarity
from attnviz.measures.token_boxes import boxes, ink

PART = 32  # pictures per part
REFERENCE = 64  # pictures for the mean map, and for finding the nearest heads
PLACES = 64  # maximum number of tokens to rank
_BLOCK = 8 << 20  # bytes of weights at a time, so that they fit the processor's cache

Images = Tensor | npt.NDArray[np.uint8]
Report = Callable[[int, int], None]


class Parts:
    """Long work in parts.

    Args:
        model: the model, in evaluation mode.
        images: float (picture, channel, row, column), or uint8 (picture, row, column, channel).
        told: the settings.
        kind: the prefix of its parts' names on disk.
        part: number of pictures per part.
    """

    def __init__(self, model: nn.Module, images: Images, told: Any, kind: str, part: int) -> None:
        if len(images) < 2:
            raise BadInput(f"Heads are measured over at least two pictures, not {len(images)}.")
        self.model, self.images, self.kind, self.size = model, images, kind, part
        self.calls, self.left_out = calls_of(model, self.batch([0, 1]).to(*where(model)))
        self.passes = Passes(model, self.calls)
        self.units = [
            Head(call.path, layer, head) for layer, call in enumerate(self.calls) for head in range(call.heads)
        ]
        self.digest = kept.digest(model, images, (told, part, outline(self.calls)))

    @property
    def count(self) -> int:
        """The number of parts."""
        return -(-len(self.images) // self.size)

    def part(self, number: int) -> Arrays:
        """Return a part, from disk or newly computed."""
        name = f"{self.kind}-{number:05d}"
        found = kept.load(self.digest, name)
        if found is None:
            found = self.compute(number)
            kept.save(self.digest, name, found)
        return found

    def all(self, report: Report | None = None) -> list[Arrays]:
        """Return all parts, reporting after each the numbers of finished parts and of all parts."""
        found = []
        for number in range(self.count):
            found.append(self.part(number))
            if report is not None:
                report(number + 1, self.count)
        return found

    def compute(self, number: int) -> Arrays:
        """Compute a part."""
        raise NotImplementedError

    def batch(self, numbers: Sequence[int] | range) -> Tensor:
        """Return some of the pictures as a batch, on the CPU."""
        if isinstance(self.images, Tensor):
            return self.images[list(numbers)].cpu()
        return as_batch(self.images[list(numbers)], double=where(self.model)[1] == torch.float64)

    def of_part(self, number: int) -> range:
        """Return the indices of the pictures in a part."""
        return range(number * self.size, min(len(self.images), (number + 1) * self.size))

    def blocks(self, numbers: Sequence[int] | range) -> list[Sequence[int]]:
        """Split indices of pictures into groups, to limit the size of the weights."""
        size = max(1, _BLOCK // sum(call.bytes for call in self.calls))
        return [numbers[start : start + size] for start in range(0, len(numbers), size)]

    @property
    def grids(self) -> list[Grid]:
        """The distinct grids of the tokens."""
        return list(dict.fromkeys(call.grid for call in self.calls if call.grid is not None))


class Work(Parts):
    """The table of all heads.

    Args:
        model: the model, in evaluation mode; ours, or any torch module.
        images: float (picture, channel, row, column), or uint8 (picture, row, column, channel).
        mask: bool (picture, row, column), where the object is; "ink" for pixels above 0; None if unknown.
        places: the maximum number of tokens to rank and to erase one by one; 0 erases none.
        part: number of pictures per part; `PART` if None.
        effects: switch off each head, which takes one pass per head.

    Raises:
        BadInput: there are fewer than two pictures, the mask has another shape, or the model has no attention heads.
    """

    def __init__(
        self,
        model: nn.Module,
        images: Images,
        mask: npt.NDArray[np.bool_] | str | None = None,
        places: int = PLACES,
        part: int | None = None,
        effects: bool = True,
    ) -> None:
        size = tuple(images.shape[2:]) if isinstance(images, Tensor) else images.shape[1:3]
        if (
            isinstance(mask, str)
            and mask != "ink"
            or isinstance(mask, np.ndarray)
            and mask.shape != (len(images), *size)
        ):
            raise BadInput(
                f"The mask is 'ink', None, or bool {(len(images), *size)}, one value per pixel, not {mask!r:.60}."
            )
        if places == 1 or places < 0:
            raise BadInput(f"`places` must be at least 2, or 0 to erase no token, not {places}.")
        told = (
            places,
            hashlib.sha256(np.packbits(mask).tobytes()).hexdigest() if isinstance(mask, np.ndarray) else mask,
        )
        super().__init__(model, images, told if effects else (*told, "no effects"), "heads", part or PART)
        self.mask, self.places, self.effects = mask, places, effects
        self._reference: Arrays | None = None

    def compute(self, number: int) -> Arrays:
        numbers = self.of_part(number)
        images = self.batch(numbers)
        steep = self.passes.gradient(images)
        found: dict[str, list[Floats]] = {}
        received: list[list[Floats]] = [[] for _ in self.calls]
        logits = []
        for block in self.blocks(numbers):
            answered, values, means = self._maps(block)
            logits.append(answered)
            for name, one in values.items():
                found.setdefault(name, []).append(one)
            for into, mean in zip(received, means, strict=True):
                into.append(mean)
        whole = torch.cat(logits)
        table = {name: np.concatenate(some, 1) for name, some in found.items()}
        if self.effects:
            table["effect"], changed = self.passes.without_heads(images, whole)
            table["changed"] = changed.astype(np.float64)
        table |= self._agreements(images, whole, steep, [np.concatenate(some) for some in received])
        for grid in self.grids[:1]:
            inked = self.inked(numbers, grid)
            if inked is not None:
                table["even"] = inked.double().mean(1).numpy()[None]
        return {**table, "predicted": predicted(whole).numpy()}

    def _maps(self, numbers: Sequence[int]) -> tuple[Tensor, dict[str, Floats], list[Floats]]:
        """Return logits, the measures of maps (head, picture), and the mean rows of each call for some pictures."""
        logits, weights = self.passes.maps(self.batch(numbers))
        reference = self.reference()
        among = torch.from_numpy(np.isin(numbers, reference["numbers"]))
        per_call: list[Values] = []
        rows, means = [], []
        for at, (call, one) in enumerate(zip(self.calls, weights, strict=True)):
            inked = None if call.grid is None else self.inked(numbers, call.grid)
            values, received = of_maps(one, call.grid, None if inked is None else inked.to(one.device))
            own = rows_of(one)
            total = torch.from_numpy(reference[f"rows{at}"]).to(own)
            mean = without_itself(total, len(reference["numbers"]), own, among.to(own.device))
            values["position"] = correlation(own, mean)
            per_call.append({name: one.double().cpu() for name, one in values.items()})
            rows.append(own)
            means.append(_array(received))
        near = self._likeness(rows, reference["nearest"])
        names = {name for values in per_call for name in values}
        nothing = [torch.full((len(numbers), call.heads), np.nan, dtype=torch.float64) for call in self.calls]
        joined = {
            name: torch.cat([values.get(name, none) for values, none in zip(per_call, nothing, strict=True)], 1)
            for name in names
        }
        return logits, {**{name: one.T.numpy() for name, one in joined.items()}, "likeness": near}, means

    def _likeness(self, rows: Sequence[Tensor], nearest: npt.NDArray[np.int64]) -> Floats:
        """Return the correlation of each head's map with that of its nearest head: (head, picture)."""
        units = [(at, head) for at, call in enumerate(self.calls) for head in range(call.heads)]
        found = np.full((len(units), len(rows[0])), np.nan)
        for at, one in enumerate(rows):
            own = [unit for unit, (call, _) in enumerate(units) if call == at and nearest[unit] >= 0]
            if own:
                others = [units[nearest[unit]] for unit in own]
                beside = torch.stack([rows[call][:, head] for call, head in others], 1)
                heads = [units[unit][1] for unit in own]
                found[own] = _array(correlation(one[:, heads], beside)).T
        return found

    def _agreements(self, images: Tensor, logits: Tensor, steep: Tensor | None, received: list[Floats]) -> Arrays:
        """Return how well gradient and erasure agree with the received weights: name -> (head, picture)."""
        none = {call: np.full((call.heads, len(images)), np.nan) for call in self.calls}
        found: dict[str, list[Floats]] = {"gradient": [], "erasure": []}
        others: dict[Grid, dict[str, Floats]] = {}
        for grid in self.grids:
            chosen = sampled(grid.rows * grid.columns, self.places or PLACES)
            others[grid] = {} if steep is None else {"gradient": of_places(steep, grid)[:, chosen]}
            if self.places:
                others[grid]["erasure"] = self.passes.erasure(images, logits, grid, torch.from_numpy(chosen))
        for call, maps_of in zip(self.calls, received, strict=True):
            for name, into in found.items():
                if call.grid is None or name not in others[call.grid] or call.keys - call.grid.prefix < 2:
                    into.append(none[call])
                    continue
                chosen_places = sampled(call.grid.rows * call.grid.columns, self.places or PLACES)
                into.append(agreement(maps_of[..., call.grid.prefix + chosen_places], others[call.grid][name]).T)
        return {name: np.concatenate(some) for name, some in found.items()}

    def reference(self) -> Arrays:
        """Return the sums of the maps over a fixed sample of the pictures, and the most similar head for each head.

        "numbers": indices of these pictures; "rows0", "rows1", ...: (head, entry) of each call; "nearest": (head of all
        calls,), -1 if there is none.
        """
        if self._reference is None:
            self._reference = kept.load(self.digest, "reference")
        if self._reference is None:
            self._reference = self._refer()
            kept.save(self.digest, "reference", self._reference)
        return self._reference

    def _refer(self) -> Arrays:
        numbers = sampled(len(self.images), REFERENCE)
        totals: list[Any] = [0.0] * len(self.calls)
        alike: dict[tuple[int, int], Any] = {}
        groups = self._alike()
        for block in self.blocks([int(number) for number in numbers]):
            rows = [rows_of(one) for one in self.passes.maps(self.batch(block))[1]]
            totals = [total + one.double().sum(0) for total, one in zip(totals, rows, strict=True)]
            for shape, calls in groups.items():
                together = torch.cat([rows[call] for call in calls], 1)
                alike[shape] = alike.get(shape, 0.0) + similarity(together, together).sum(0)
        nearest = np.full(len(self.units), -1)
        starts = [0, *itertools.accumulate(call.heads for call in self.calls)]
        for shape, calls in groups.items():
            units = np.concatenate([np.arange(starts[call], starts[call + 1]) for call in calls])
            if len(units) > 1:
                others = alike[shape].fill_diagonal_(-torch.inf)
                nearest[units] = units[others.argmax(1).cpu().numpy()]
        return {"numbers": numbers, "nearest": nearest, **{f"rows{at}": _array(one) for at, one in enumerate(totals)}}

    def _alike(self) -> dict[tuple[int, int], list[int]]:
        """Return the calls grouped by their numbers of queries and keys."""
        found: dict[tuple[int, int], list[int]] = {}
        for at, call in enumerate(self.calls):
            found.setdefault((call.queries, call.keys), []).append(at)
        return found

    def inked(self, numbers: Sequence[int] | range, grid: Grid) -> Tensor | None:
        """Return where the object is on some of the pictures, bool (picture, position), or None if unknown."""
        if isinstance(self.mask, np.ndarray):
            marks = torch.from_numpy(self.mask[list(numbers)]).flatten(1).double()
            return marks @ boxes(grid, *self.mask.shape[1:]).flatten(1).double().T > 0
        return None if self.mask is None else ink(self.batch(numbers), grid)

    def table(self, parts: Sequence[Arrays], labels: npt.NDArray[np.int64] | None = None) -> Heads:
        """Return the table of the available parts, which must start with the first; `labels`, int64 (picture,), are the
        right answers.
        """
        done = sum(len(part["predicted"]) for part in parts)
        values = {name: np.concatenate([part[name] for part in parts], 1) for name in MEASURES if name in parts[0]}
        none = np.full((len(self.units), done), np.nan)
        return Heads(
            heads=tuple(self.units),
            values={name: values.get(name, none) for name in MEASURES},
            numbers=np.arange(done),
            predicted=np.concatenate([part["predicted"] for part in parts]),
            labels=None if labels is None else labels[:done],
            even=np.concatenate([part["even"][0] for part in parts]) if "even" in parts[0] else None,
            nearest=self.reference()["nearest"],
            calls=self.calls,
            left_out=self.left_out,
        )


def _array(tensor: Tensor) -> Floats:
    return tensor.double().cpu().numpy()
