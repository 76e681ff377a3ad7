"""What the page computes: the path that comes with the data, the picture it opens with, and the mean path."""

from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz.answers import as_batch
from attnviz.data import samples
from attnviz.subjects import Picture, net
from attnviz.ui.mechanisms.recurrent_attention import glances

from .placed import NETS, SOURCE

PICTURE = Picture(SOURCE, int(samples.read(SOURCE).numbers[4]))


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("draw", [None, 2])
def test_the_path_is_what_the_model_does_in_single_precision(here: Path, name: str, draw: int | None) -> None:
    model, its_net = loaded = net(f"recurrent_attention.{name}").load()
    view = glances.view(loaded, PICTURE, draw)
    assert view.picture.shape[:2] == (its_net.config.get("rows", 28), its_net.config.get("columns", 28))
    generator = None if draw is None else torch.Generator().manual_seed(draw)
    with torch.no_grad():
        seen = model.look(as_batch(view.picture), generator=generator)
    np.testing.assert_array_equal(view.location, seen.locations[0])
    np.testing.assert_array_equal(view.location_mean, seen.means[0])
    np.testing.assert_allclose(view.belief, seen.logits[0].softmax(-1), atol=1e-7)
    np.testing.assert_allclose(view.baseline, seen.baselines[0], atol=1e-7)
    assert (view.draw, view.policy) == (draw, its_net.config.get("policy", "learnt"))
    assert view.label in view.classes


def test_a_path_can_be_forced(here: Path) -> None:
    forced = ((-1.0, 1.0), (0.25, -0.5), (1.0, -1.0))
    view = glances.view(net("recurrent_attention.wide").load(), PICTURE, 0, forced)
    np.testing.assert_array_equal(view.location, np.array(forced, np.float32))
    np.testing.assert_array_equal(view.corner[:, 0], [[0 - 2, 28 - 2], [12 - 2, 7 - 2], [20 - 2, 0 - 2]])


def test_the_first_right_picture_is_the_first_that_is_answered_correctly(here: Path) -> None:
    loaded, few = net("recurrent_attention.small").load(), samples.read(SOURCE)
    found = glances.first_right(loaded, SOURCE)
    for number in few.numbers.tolist():
        view = glances.view(loaded, Picture(SOURCE, number), 0)
        assert (view.classes[view.belief[-1].argmax()] == view.label) == (number == found)
        if number == found:
            break


def test_the_mean_path_is_the_mean(here: Path) -> None:
    loaded, numbers = net("recurrent_attention.small").load(), samples.read(SOURCE).numbers[: glances.FEW]
    each = [glances.view(loaded, Picture(SOURCE, int(number)), None).location for number in numbers]
    # In single precision, which adds up several pictures in another order than one.
    np.testing.assert_allclose(glances.mean_path(loaded, SOURCE), np.mean(each, 0), atol=1e-5)
