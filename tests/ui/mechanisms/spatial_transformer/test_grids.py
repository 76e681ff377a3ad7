"""What the page is given: theta and answer, the transforms over many pictures, and by how much these were rotated."""

from pathlib import Path

import numpy as np
import pytest

from attnviz import data
from attnviz.data.moved import MOVED
from attnviz.errors import BadInput
from attnviz.measures.spatial_transformer.decomposition import decomposed
from attnviz.subjects import Picture, Subject, net
from attnviz.ui.mechanisms.spatial_transformer import grids
from attnviz.ui.mechanisms.spatial_transformer.view import GRID_VIEW
from attnviz.ui.shared import cache
from attnviz.views.payload import unpack
from tests.ui.brought import bring

from .placed import SHOWN
from .spelled import Spelled


def picture_of(name: str) -> Picture:
    return (
        Picture("cifar10", int(data.shown("cifar10").numbers[0])) if name == "wide" else Picture("rotated_strokes", 7)
    )


@pytest.mark.parametrize("name", SHOWN)
def test_theta_and_the_answer_are_those_of_the_file_of_weights(here: Path, name: str) -> None:
    one, picture = net(f"spatial_transformer.{name}"), picture_of(name)
    header, arrays = unpack(GRID_VIEW.of(Subject(one, picture)))
    wanted = Spelled(here / one.key, picture.taken_by(one), rotation=name == "rotated-only")
    np.testing.assert_allclose(arrays["theta"], wanted.theta, atol=1e-9)
    np.testing.assert_allclose(arrays["probabilities"], wanted.probabilities, atol=1e-6)
    assert header["tap"] == "transformer.theta"
    assert (header["angles"] is None) == (name == "wide"), "by how much photographs were rotated is not known"


def test_many_transforms_are_those_of_single_pictures_with_known_angles(here: Path) -> None:
    loaded = net("spatial_transformer.rotated").load(double=True)
    found = grids.over(loaded, "rotated_strokes")
    assert found.picture is not None
    assert len(found.theta) == len(found.picture) == grids.PICTURES
    for number in (0, 7, 999):
        view = grids.view(loaded, Picture("rotated_strokes", number))
        np.testing.assert_allclose(found.theta[number], view.theta, atol=1e-5)
        assert view.angles is not None
        assert view.angles.here == pytest.approx(found.picture[number])
        assert view.angles.grid[number] == pytest.approx(-found.grid[number])
    moves = MOVED["rotated_strokes"].moves("test", np.arange(grids.PICTURES))
    np.testing.assert_array_equal(found.picture, moves.angles)
    assert "1,000 test pictures" in found.said


@pytest.mark.parametrize("name", ["rotated", "rotated-only"])
def test_the_mean_grid_is_one_that_the_net_could_compute(here: Path, name: str) -> None:
    loaded = net(f"spatial_transformer.{name}").load(double=True)
    found = grids.over(loaded, "rotated_strokes")
    scales = decomposed(found.mean[None], rows=32, columns=32).scales[0]
    if name == "rotated":
        np.testing.assert_array_equal(found.mean, found.theta.mean(0))
    else:
        np.testing.assert_allclose(scales, 1.0)
        angles = np.radians(found.grid)
        mean = np.degrees(np.arctan2(np.sin(angles).mean(), np.cos(angles).mean()))
        assert decomposed(found.mean[None], rows=32, columns=32).angle[0] == pytest.approx(mean, abs=1e-4)
    assert (
        grids.view(loaded, Picture("rotated_strokes", 0)).mean
        is cache.of_net(grids.over, loaded.net, "rotated_strokes").mean
    )


def test_a_net_without_a_transformer_is_refused_in_a_sentence(here: Path) -> None:
    with pytest.raises(BadInput, match="has no spatial transformer. Look at it in the explorer"):
        GRID_VIEW.of(Subject(net("spatial_transformer.rotated-widened"), Picture("rotated_strokes", 0)))


def test_once_the_data_set_is_here_its_samples_are_no_longer_what_grids_are_compared_with(here, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    subject = Subject(net("spatial_transformer.wide"), picture_of("wide"))
    assert "sample pictures" in cache.of_subject(grids.view, subject).many
    bring(tmp_path, "cifar10")
    assert cache.of_subject(grids.view, subject).many == "1,000 test pictures of CIFAR-10"
