"""The maps that the explorer's experiments compare, cell by cell, on one example and on many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from attnviz.arrays import Floats
from attnviz.subjects import Loaded, Net, Picture, Subject
from attnviz.ui.live.jacobian import missing
from attnviz.ui.shared import cache, findings, pickers

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.measures.place_maps import PlaceMaps
    from attnviz.subjects import Example


OWN, JACOBIAN, PRODUCT, ERASURE, CHANCE = "attention", "jacobian", "product", "erasure", "random"
DRAWS = 20  # random maps per picture
LEVEL = 128 / 255  # the constant that is added: a multiple of 1/255, so that a rounded mean shifts by exactly as much
STEPS = 8  # maximum number of different counts of random layers that are tried on many pictures


@dataclass(frozen=True, eq=False)
class Ranked:
    """Kendall's tau between pairs of maps of some pictures, (picture,), and between DRAWS random maps and erasure,
    (picture, draw); NaN if a map is constant.
    """

    taus: dict[tuple[str, str], Floats]
    chance: Floats


@dataclass(frozen=True, eq=False)
class Kept:
    """The similarity of maps of some pictures to the original while layers are made random; NaN if a map is constant.

    Args:
        layers: (step,) the number of random layers.
        taus: Name -> Kendall's tau with the map of the trained network, (picture, step).
        chance: Name -> tau between DRAWS random maps and the map of the trained network, (picture, draw).
    """

    layers: npt.NDArray[np.int64]
    taus: dict[str, Floats]
    chance: dict[str, Floats]

    @property
    def by_chance(self) -> Floats:
        """The taus of random maps with all maps, (picture, draws of all maps)."""
        return np.concatenate([*self.chance.values()], 1)


def refusal(subject: Subject) -> str | None:
    """Return a sentence on why a net has no maps to compare, or None if it has."""
    why = missing(subject.net)
    return None if why is None else f"{why} Without it there are not two accepted methods to compare a map with."


def taps_of(net: Net) -> list[str]:
    """Return the taps of a net that are maps of its attention over the picture."""
    from attnviz.measures.place_maps import lies_on_the_picture

    known = findings.list_taps(net).items()
    return [path for path, tap in known if lies_on_the_picture(path, tap.axes, tap.shape, tap.grid)]


def of_example(loaded: Loaded, example: Example, tap: str, answer: int | None = None) -> PlaceMaps:
    """Return the maps of one example, including that of a tap ("" for none), for a class or the predicted one."""
    from attnviz.measures import place_maps

    return place_maps.place_maps(loaded.model, _image(loaded, example), tap, answer=answer)


def with_random_layers(loaded: Loaded, example: Example, tap: str, layers: int) -> PlaceMaps:
    """Return the maps of one example, for the predicted class, with the layers nearest to the answer random."""
    from attnviz.measures.sanity import from_the_top, randomised

    model, net = loaded
    answer = cache.of_subject(of_example, Subject(net, example), tap).answer
    for made in randomised(model, from_the_top(model)[:layers], seed=0):
        model = made
    return of_example(Loaded(model, net), example, tap, answer)


def shifted(loaded: Loaded, example: Example, tap: str) -> PlaceMaps:
    """Return the maps of one example with an added constant, for the network that subtracts it again."""
    from attnviz.measures import place_maps
    from attnviz.measures.sanity import Shifted

    image = _image(loaded, example)
    constant = image.new_tensor(LEVEL)
    return place_maps.place_maps(Shifted(loaded.model, constant), image + constant, f"model.{tap}" if tap else "")


def layers_of(loaded: Loaded) -> list[str]:
    """Return the paths of the layers to make random, starting nearest to the answer."""
    from attnviz.measures.sanity import from_the_top

    return from_the_top(loaded.model)


def ranked(loaded: Loaded, source: str, tap: str, first: int, count: int) -> Ranked:
    """Return the rank correlations of maps of some test pictures, in single precision to halve the time."""
    return together(
        [ranked_on(of_example(loaded, one, tap), one.number) for one in _some(loaded, source, first, count)]
    )


def alike(one: Floats, other: Floats) -> float:
    """Return Kendall's tau between two maps; NaN if one is constant."""
    from attnviz.measures.agreement import ROUNDING, kendall

    return float(kendall(one.ravel(), other.ravel(), equal=ROUNDING))


def chance_of(values: Floats, seed: int) -> Floats:
    """Return Kendall's tau between DRAWS random maps and a map, (draw,), with other random maps for every seed."""
    from attnviz.measures.agreement import ROUNDING, by_chance

    return by_chance(values, draws=DRAWS, seed=DRAWS * seed, equal=ROUNDING)


def ranked_on(found: PlaceMaps, seed: int) -> Ranked:
    """Return the rank correlations of the maps of one picture; the seeds of the random maps start at `seed`."""
    own = [OWN] if OWN in found.maps else []
    pairs = [(one, other) for one in own for other in (JACOBIAN, ERASURE)] + [(JACOBIAN, ERASURE)]
    taus = {pair: np.array([alike(found.maps[pair[0]], found.maps[pair[1]])]) for pair in pairs}
    return Ranked(taus, chance_of(found.maps[ERASURE], seed)[None])


def kept(loaded: Loaded, source: str, tap: str, first: int, count: int) -> Kept:
    """Return the similarity of maps of some test pictures, as in `ranked`, to the original while layers are made
    random, with new weights for each picture.
    """
    from attnviz.measures.sanity import randomised

    paths = layers_of(loaded)
    steps = np.unique(np.linspace(1, len(paths), min(len(paths), STEPS)).round().astype(np.int64))
    parts = []
    for one in _some(loaded, source, first, count):
        trained = of_example(loaded, one, tap)
        rows = []
        for number, made in enumerate(randomised(loaded.model, paths, seed=one.number), 1):
            if number in steps:
                maps = of_example(Loaded(made, loaded.net), one, tap, trained.answer).maps
                rows.append([alike(trained.maps[name], values) for name, values in maps.items()])
        taus = dict(zip(trained.maps, np.array(rows, np.float64).T[:, None], strict=True))
        chance = {name: chance_of(values, one.number)[None] for name, values in trained.maps.items()}
        parts.append(Kept(steps, taus, chance))
    return all_kept(parts)


def together(parts: list[Ranked]) -> Ranked:
    """Merge the results of several parts."""
    taus = {pair: np.concatenate([part.taus[pair] for part in parts]) for pair in parts[0].taus}
    return Ranked(taus, np.concatenate([part.chance for part in parts]))


def all_kept(parts: list[Kept]) -> Kept:
    """Merge the results of several parts."""
    taus = {name: np.concatenate([part.taus[name] for part in parts]) for name in parts[0].taus}
    chance = {name: np.concatenate([part.chance[name] for part in parts]) for name in parts[0].chance}
    return Kept(parts[0].layers, taus, chance)


def fitting(net: Net, source: str, most: int) -> npt.NDArray[np.int64]:
    """Return the numbers of the first available test pictures whose class a net can predict."""
    return pickers.Fitting(net, source, pickers.ANY, wrong=False).numbers[:most]


def _some(loaded: Loaded, source: str, first: int, count: int) -> list[Picture]:
    return [Picture(source, int(number)) for number in fitting(loaded.net, source, first + count)[first:]]


def _image(loaded: Loaded, example: Example) -> Tensor:
    import torch

    from attnviz.answers import as_batch

    double = any(weight.dtype == torch.float64 for weight in loaded.model.parameters())
    return as_batch(example.taken_by(loaded.net), double=double)[0]
