"""Figures of paths of glimpses: the numbers are those of the model, and every file shows them."""

import csv
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib import pyplot

import attnviz
from attnviz.answers import as_batch
from attnviz.errors import BadInput
from attnviz.figures.glimpses import GlimpseFigure, extent, figure_of, pixels_of, spread
from attnviz.figures.kinds import KINDS, Asked
from attnviz.listening import Trace
from attnviz.subjects import Subject, example, net
from attnviz.views.declared import arrays_of
from attnviz.views.glimpses import GlimpsePath
from tests.figures import seen as small

LOOKS = ("recurrent_attention.digits", "strokes:23")


@pytest.fixture(scope="module")
def figure() -> GlimpseFigure:
    found = attnviz.figure(*LOOKS, seed=3)
    assert isinstance(found, GlimpseFigure)
    return found


@pytest.fixture(scope="module")
def traced() -> Trace:
    """The same path, of a model that was watched."""
    subject = Subject(net(LOOKS[0]), example("strokes", 23))
    model = subject.net.load().model
    return attnviz.watch(model)(as_batch(subject.image), generator=torch.Generator().manual_seed(3))


def test_saved_numbers_are_those_of_the_model(figure, traced, tmp_path: Path) -> None:
    found = np.load(figure.save(tmp_path / "path.npz"))
    for tap in ("location", "location_mean", "patches", "belief", "baseline"):
        np.testing.assert_array_equal(found[tap], traced[f"glimpses.{tap}"].tensor[:, 0].numpy())
    np.testing.assert_array_equal(found["picture"], figure.view.picture)
    lines = figure.save(tmp_path / "path.csv").read_text().splitlines()
    assert any(line.startswith("# model: recurrent_attention") for line in lines)
    rows = [*csv.DictReader(line for line in lines if not line.startswith("#"))]
    np.testing.assert_array_equal([float(row["belief 8"]) for row in rows], found["belief"][:, 8].astype(float))
    np.testing.assert_array_equal([[int(row["row"]), int(row["column"])] for row in rows], pixels_of(figure.view) + 1)
    size = found["patches"].shape[-1]
    for row, patch in zip(rows, found["patches"][:, 0], strict=True):
        top, left = int(row["top 1"]) - 1, int(row["left 1"]) - 1
        bottom, right = np.minimum([top + size, left + size], figure.view.picture.shape[:2])
        pixels = figure.view.picture[max(top, 0) : bottom, max(left, 0) : right, 0]
        seen = patch[max(-top, 0) : bottom - top, max(-left, 0) : right - left]
        np.testing.assert_allclose(seen, pixels / 255, atol=1e-6)


def test_a_trace_gives_the_same_path(figure, traced) -> None:
    classes = [str(digit) for digit in range(10)]
    found = attnviz.figure(traced, over=figure.view.picture, classes=classes)
    assert isinstance(found, GlimpseFigure) and found.view.draw == -1 and "as it was traced" in found.words()
    for name in arrays_of(GlimpsePath):
        np.testing.assert_array_equal(getattr(found.view, name), getattr(figure.view, name))
    with pytest.raises(BadInput, match="2 names do not fit the 10 classes"):
        attnviz.figure(traced, classes=["a", "b"])
    with pytest.raises(BadInput, match="no picture 1 in the batch"):
        attnviz.figure(traced, batch=1)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_pictures_are_the_same_again_and_nothing_leaves_them(figure, theme: str, tmp_path: Path) -> None:
    figure = GlimpseFigure(figure.view, figure.origin, theme)
    for suffix in ("pdf", "svg", "png"):
        one, two = (figure.save(tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
        assert one == two
    assert ">belief</text>" in (tmp_path / "one.svg").read_text()
    drawn, axes = pyplot.subplots()
    figure.draw(axes)
    top, left, bottom, right = extent(figure.view)
    for _, x, y in [(one.get_text(), *one.get_position()) for one in axes.texts]:
        assert left < x < right and top < y < bottom
    pyplot.close(drawn)


def test_numbers_that_would_lie_on_one_another_are_spread() -> None:
    points = np.array([[5.0, 5.0], [5.0, 5.0], [5.5, 5.0], [20.0, 3.0]])
    places = spread(points, 3.0)
    far = np.linalg.norm(places[:, None] - places[None], axis=-1) + 9 * np.eye(4)
    assert far.min() > 2.95 and np.linalg.norm(places - points, axis=-1).max() < 6


def test_what_such_a_model_does_not_have_is_said(figure) -> None:
    with pytest.raises(BadInput, match="a figure of it has no query to choose"):
        attnviz.figure(*LOOKS, query=(1, 1))
    with pytest.raises(BadInput, match="this model draws nothing at random"):
        attnviz.figure("pixel_attention.1v8", "strokes:23", seed=1)
    for seed in (-1, 2**63):
        with pytest.raises(BadInput, match=rf"seed: expected a whole number from 0 to 2\^63 - 1, got {seed}"):
            attnviz.figure(*LOOKS, seed=seed)
    with pytest.raises(BadInput, match="no token attends to another, so no figure"):
        attnviz.figure("channel_attention.digits-cbam", "strokes:23")
    with pytest.raises(BadInput, match="one pair of axes, and 2 were given"):
        figure.draw([None, None])
    assert figure_of(small.seen(), Asked()) is None


def test_another_package_adds_a_kind_of_figure(figure, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Asked] = []
    monkeypatch.setitem(KINDS, "other", lambda source, how: asked.append(how) or figure)
    assert attnviz.figure("channel_attention.digits-cbam", "strokes:23", theme="dark", width=5) is figure
    assert (asked[0].theme, asked[0].width) == ("dark", 5.0)
    assert attnviz.figure(*LOOKS) is not figure  # the rows of attnviz come first
