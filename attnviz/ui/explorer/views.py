"""Maps of what a net looks at, as views of every net with a differentiable answer. Importing this loads no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Strict
from attnviz.ui.components import map_grid
from attnviz.ui.explorer import maps
from attnviz.ui.explorer.words import titles
from attnviz.ui.live.derived import View
from attnviz.ui.live.jacobian import PASSES
from attnviz.ui.shared import cache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from attnviz.measures.place_maps import PlaceMaps
    from attnviz.subjects import Net, Subject

ERASED = 64.0  # forward passes, one per position
NOTE = "of this map; a rank is the share of the other squares that count for less, a tied one counted half"


class OfMaps(Strict):
    """The tap of the net to compare with the Jacobian and the effect of erasing, or ""."""

    tap: Annotated[str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_.]{0,199})?$")] = ""


class OfRandomLayers(OfMaps):
    """The tap, and the number of random layers, from the answer down."""

    layers: Annotated[int, Field(ge=0, lt=1 << 31)] = 1


def ranked_payload(subject: Subject, parameters: OfMaps) -> bytes:
    """Return the maps of a picture, and a random one next to them, as a payload for the grid of maps."""
    from attnviz.measures.agreement import random_map

    tap = _checked(subject, parameters.tap)
    found = cache.of_subject(maps.of_example, subject, tap)
    chance = random_map((found.grid.rows, found.grid.columns), seed=0)
    compared = {name: found.maps[name] for name in (maps.OWN, maps.JACOBIAN, maps.ERASURE) if name in found.maps}
    shown = {**compared, maps.CHANCE: chance}
    return _packed(subject, found, tap, {"values": shown, "ranks": _ranks(shown)})


def random_payload(subject: Subject, parameters: OfRandomLayers) -> bytes:
    """Return the maps of a picture, and below them those with random layers."""
    tap, count = _checked(subject, parameters.tap), parameters.layers
    layers = len(cache.of_net(maps.layers_of, subject.net))
    if count > layers:
        has = "1 layer" if layers == 1 else f"{layers} layers"
        raise BadInput(f"{subject.net.key} has {has} that can be made random, not {count}.")
    random = cache.of_subject(maps.with_random_layers, subject, tap, count)
    return _two_rows(subject, tap, random, "trained", f"{count} random")


def shifted_payload(subject: Subject, parameters: OfMaps) -> bytes:
    """Return the maps of a picture, and below them those of the picture with a constant, which the net subtracts."""
    tap = _checked(subject, parameters.tap)
    shifted = cache.of_subject(maps.shifted, subject, tap)
    return _two_rows(subject, tap, shifted, "as it is", f"+ {maps.LEVEL:.2f}")


def once(parameters: OfMaps, net: Net) -> float:
    """Return the work, in forward passes: a Jacobian, and one pass for each cell."""
    return PASSES + ERASED


def twice(parameters: OfMaps, net: Net) -> float:
    """Return the work, in forward passes, of two rows of maps."""
    return 2 * (PASSES + ERASED)


def _checked(subject: Subject, tap: str) -> str:
    why = maps.refusal(subject)
    if why is not None:
        raise BadInput(why)
    if tap and tap not in maps.taps_of(subject.net):
        raise BadInput(f"{tap} of {subject.net.key} is not a map of attention over the picture.")
    return tap


def _two_rows(subject: Subject, tap: str, other: PlaceMaps, one: str, two: str) -> bytes:
    found = cache.of_subject(maps.of_example, subject, tap)
    return _packed(subject, found, tap, {one: _ranks(found.maps), two: _ranks(other.maps)})


def _ranks(shown: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    from attnviz.measures.agreement import ROUNDING, ranks

    return {name: ranks(values, equal=ROUNDING) for name, values in shown.items()}


def _packed(subject: Subject, found: PlaceMaps, tap: str, rows: Mapping[str, Mapping[str, np.ndarray]]) -> bytes:
    image, side = subject.image, int(found.grid.field)
    columns, names = [*next(iter(rows.values()))], titles(tap)
    heads = {**names, maps.OWN: names[maps.OWN].rpartition(" ")[2], maps.PRODUCT: "× picture", maps.CHANCE: "random"}
    return map_grid.packed(
        np.stack([values for row in rows.values() for values in row.values()]),
        [f"{names[name]}, {row}" for row in rows for name in columns],
        role="positive", scale="map", fixed=True, table=map_grid.Table([*rows], [heads[name] for name in columns]),
        title=f"What counts, in squares of {side} × {side} pixels", background=image, ink=subject.example.ink,
        grid=found.grid, note=NOTE,
        origin={**subject.origin(tap), "answer": subject.net.classes[found.answer]},
    )  # fmt: skip


RANKED = View("place_maps", OfMaps, ranked_payload, once)
RANDOM = View("place_maps_of_random_layers", OfRandomLayers, random_payload, twice)
SHIFTED = View("place_maps_of_shifted_picture", OfMaps, shifted_payload, twice)
VIEWS = (RANKED, RANDOM, SHIFTED)
