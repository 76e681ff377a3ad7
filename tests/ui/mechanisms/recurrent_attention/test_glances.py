"""What the page computes: the path that comes with the data, fifty of them, and the mean path."""

from pathlib import Path

import numpy as np
import pytest
import torch

from attnviz.answers import as_batch
from attnviz.data import samples
from attnviz.ui.mechanisms.recurrent_attention import glances
from attnviz.ui.mechanisms.recurrent_attention.derived import layer_of
from attnviz.ui.shared import cache, inference

from .placed import NETS, SOURCE

NUMBER = int(samples.read(SOURCE).numbers[4])


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("draw", [None, 2])
def test_the_path_is_what_the_model_does_in_single_precision(placed: Path, name: str, draw: int | None) -> None:
    view = glances.view(inference.exactly(f"recurrent_attention.{name}"), SOURCE, NUMBER, draw)
    model, card = cache.single(f"recurrent_attention.{name}")
    assert view.picture.shape[:2] == (card.config.get("rows", 28), card.config.get("columns", 28))
    generator = None if draw is None else torch.Generator().manual_seed(draw)
    with torch.no_grad():
        seen = model.look(as_batch(view.picture), generator=generator)
    np.testing.assert_array_equal(view.path.location, seen.locations[0])
    np.testing.assert_array_equal(view.path.location_mean, seen.means[0])
    np.testing.assert_allclose(view.path.belief, seen.logits[0].softmax(-1), atol=1e-7)
    np.testing.assert_allclose(view.path.baseline, seen.baselines[0], atol=1e-7)
    assert (view.draw, view.policy) == (draw, card.config.get("policy", "learnt"))
    assert view.label in view.classes


def test_a_path_can_be_forced(placed: Path) -> None:
    forced = ((-1.0, 1.0), (0.25, -0.5), (1.0, -1.0))
    view = glances.view(inference.exactly("recurrent_attention.wide"), SOURCE, NUMBER, 0, forced)
    np.testing.assert_array_equal(view.path.location, np.array(forced, np.float32))
    np.testing.assert_array_equal(view.path.corner[:, 0], [[0 - 2, 28 - 2], [12 - 2, 7 - 2], [20 - 2, 0 - 2]])


def test_covered_pixels_are_counted(placed: Path) -> None:
    layer = layer_of(cache.single("recurrent_attention.wide").model)[1]
    corners = torch.tensor([[[-2, 25]], [[0, 0]], [[17, 23]], [[0, 4]]])
    expected = np.zeros((1, 20, 28))
    for top, left in corners[:, 0].tolist():
        for row in range(max(0, top), min(20, top + 5)):
            for column in range(max(0, left), min(28, left + 5)):
                expected[0, row, column] += 0.25
    np.testing.assert_allclose(glances.covered(layer, corners), expected)


def test_fifty_paths_differ_where_they_are_drawn(placed: Path) -> None:
    share, answers = glances.many(inference.exactly("recurrent_attention.ring"), SOURCE, NUMBER)
    assert set(np.unique(share)) == {0, 1}, "a fixed path is the same in every draw"
    assert sorted(answers)[-2:] == [0, glances.PATHS]
    share, answers = glances.many(inference.exactly("recurrent_attention.wide"), SOURCE, NUMBER)
    assert share.shape == (3, 20, 28)
    assert 0 < share[1].max() < 1
    assert answers.sum() == glances.PATHS


def test_the_mean_path_is_the_mean(placed: Path) -> None:
    checkpoint = inference.exactly("recurrent_attention.small")
    numbers = tuple(int(number) for number in samples.read(SOURCE).numbers[:3])
    each = [glances.view(checkpoint, SOURCE, number, None).path.location for number in numbers]
    np.testing.assert_allclose(glances.mean_path(checkpoint, SOURCE, numbers), np.mean(each, 0), atol=1e-6)
