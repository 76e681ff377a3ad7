"""The data sets made from others: cluttered, moved and rotated digits, and strips of digits."""

from collections.abc import Iterator

from attnviz.data import digit_strips
from attnviz.data.cluttered import CLUTTERED, COUNTS
from attnviz.data.moved import MOVED
from attnviz.data.specs import DIGITS, Dataset, DataSpec
from attnviz.data.targets import Text


def _cluttered(name: str, title: str, what: str) -> DataSpec:
    how = CLUTTERED[name]
    where = "stand in the middle" if how.centred else f"stand somewhere on {how.canvas} x {how.canvas} pixels"
    return DataSpec(
        name=name,
        title=title,
        about=f"{what} {where}, among {how.patches} patches of {how.patch} x {how.patch} cut from other digits.",
        shape=(how.side, how.side, 1),
        classes=DIGITS,
        counts=COUNTS,
        megabytes=11 if how.source == "mnist" else 0,
        source="attnviz/data/cluttered.py",
        make=how.load,
        made_from=how.source,
        make_labels=how.labels,
        make_some=how.pick,
        ink=True,
    )


def _moved(name: str, title: str, about: str) -> DataSpec:
    how = MOVED[name]
    return DataSpec(
        name=name,
        title=title,
        about=about,
        shape=(how.canvas, how.canvas, 1),
        classes=DIGITS,
        counts=how.counts,
        megabytes=11 if how.source == "mnist" else 0,
        source="attnviz/data/moved.py",
        make=how.load,
        made_from=how.source,
        make_labels=how.labels,
        make_some=how.pick,
        ink=True,
    )


_STRIPS_SAY = {"string": "", "reversed": ", to be read from right to left", "sorted": ", to be sorted"}


def _strips(name: str) -> DataSpec:
    how = digit_strips.STRIPS[name]
    of = "MNIST's digits" if how.source == "mnist" else "drawn digits"
    say = _STRIPS_SAY[how.order]

    def batches(split: str, size: int, seed: int) -> Iterator[Dataset]:
        return (Dataset(*batch) for batch in how.batches(split, size, seed))

    return DataSpec(
        name=name,
        title=f"Strips of up to {how.longest} {of}{say}",
        about=f"1 to {how.longest} of {of} side by side{say}.",
        shape=(digit_strips.SIDE, digit_strips.SIDE * how.longest, 1),
        classes=digit_strips.SYMBOLS,
        counts=how.counts,
        megabytes=11 if how.source == "mnist" else 0,
        source="attnviz/data/digit_strips.py",
        made_from=how.source,
        ink=True,
        target=Text(stop=digit_strips.STOP),
        columns=(digit_strips.SIDE, digit_strips.SIDE * how.longest),
        batches=batches,
    )


MADE: dict[str, DataSpec] = {
    "cluttered_mnist": _cluttered("cluttered_mnist", "Cluttered MNIST", "MNIST's digits"),
    "cluttered_strokes": _cluttered("cluttered_strokes", "Cluttered strokes", "Drawn digits"),
    "cluttered_mnist_centred": _cluttered(
        "cluttered_mnist_centred", "Cluttered MNIST, centred", "The pictures of Cluttered MNIST, moved so that digits"
    ),
    "cluttered_strokes_centred": _cluttered(
        "cluttered_strokes_centred",
        "Cluttered strokes, centred",
        "The pictures of Cluttered strokes, moved so that digits",
    ),
    "cluttered_mnist_60": _cluttered("cluttered_mnist_60", "Cluttered MNIST, 60 x 60", "MNIST's digits"),
    "cluttered_strokes_60": _cluttered("cluttered_strokes_60", "Cluttered strokes, 60 x 60", "Drawn digits"),
    "rotated_mnist": _moved("rotated_mnist", "Rotated MNIST", "MNIST's digits, rotated by up to 90 degrees."),
    "rotated_strokes": _moved("rotated_strokes", "Rotated strokes", "Drawn digits, rotated by up to 90 degrees."),
    "moved_mnist": _moved(
        "moved_mnist",
        "Moved MNIST",
        "MNIST's digits, rotated by up to 45 degrees, scaled and shifted on 42 x 42 pixels.",
    ),
    "moved_strokes": _moved(
        "moved_strokes",
        "Moved strokes",
        "Drawn digits, rotated by up to 45 degrees, scaled and shifted on 42 x 42 pixels.",
    ),
    **{name: _strips(name) for name in digit_strips.STRIPS},
}
