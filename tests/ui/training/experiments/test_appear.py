"""When does a head appear: attnviz/ui/training/experiments/appear.py."""

import numpy as np
import pytest
import torch

from attnviz import data, subjects
from attnviz.answers import as_batch
from attnviz.subjects.history import Point
from attnviz.ui.live import trainings
from attnviz.ui.training.experiments import appear, choice
from attnviz.ui.training.experiments.unseen import unseen

FEW = 6


def test_a_head_is_switched_off_as_if_nothing_of_it_reached_the_output(files):
    net = subjects.net(trainings.history_of(f"run:{files[0].id}").points[-1].key)
    loaded, pictures = net.load(), unseen(net, FEW)
    found = appear.switch(loaded, choice.layers(net), pictures.pictures, pictures.answers)
    whole = spelled_out(loaded.model, pictures.pictures)
    right = np.arange(FEW), pictures.answers
    for head in range(2):
        without = net.load().model
        with torch.no_grad():
            without.attention.output.weight[:, head] = 0  # heads of one number each
        other = spelled_out(without, pictures.pictures)
        np.testing.assert_allclose(found.lost[head], whole[right] - other[right], atol=1e-6)
        assert found.changed[head].tolist() == (whole.argmax(1) != other.argmax(1)).tolist()
    assert found.right.tolist() == (whole.argmax(1) == pictures.answers).tolist()
    np.testing.assert_allclose(found.whole, whole[right], atol=1e-6)
    assert np.abs(found.lost).max() > 1e-3


def spelled_out(model: torch.nn.Module, pictures: np.ndarray) -> np.ndarray:
    """Return the probabilities of a model with two answers and one logit."""
    with torch.no_grad():
        second = model(as_batch(pictures)).double()[:, 0].sigmoid().numpy()
    return np.stack([1 - second, second], 1)


def test_the_pictures_are_test_pictures_of_the_classes_that_it_knows(files):
    net = subjects.net(f"run:{files[0].id}@1")
    found = unseen(net, FEW)
    assert (len(found), found.said) == (FEW, f"{FEW} test pictures of Strokes")
    labels = data.labels("strokes", "test")
    known = np.flatnonzero(np.isin(labels, (8, 1)))
    numbers = known[[len(known) * place // FEW for place in range(FEW)]]
    np.testing.assert_array_equal(found.pictures, data.pick("strokes", "test", numbers).images)
    assert [net.classes[answer] for answer in found.answers] == [str(label) for label in labels[numbers]]


def measured(*lost: list[float]) -> appear.Measured:
    values = np.array(lost).T[:, :, None].repeat(3, 2)  # (epoch, head, picture)
    epochs = (0, 1, 4)
    heads = tuple(f"head {head}" for head in range(1, len(lost) + 1))
    return appear.Measured(epochs, heads, values, values > 1, np.array([0.5, 0.9, 1.0]), np.array([0.5, 0.8, 0.96]))


def test_the_words_follow_the_numbers():
    assert "The only head comes to matter at epoch 1." in appear.in_words(measured([0.0, 0.3, 0.5]))
    assert "falls from 96.0 % to 46.0 % (mean over 3 pictures)" in appear.in_words(measured([0.0, 0.3, 0.5]))
    assert "between epochs 1 and 4" in appear.in_words(measured([0.0, 0.2, 0.5]))
    assert "before the training" in appear.in_words(measured([0.4, 0.4, 0.5]))
    two = appear.in_words(measured([0.0, 0.3, 0.2], [0.0, 0.0, 0.5]))
    assert two.startswith("**2 of 2 heads matter by themselves at epoch 4.**")
    assert "at epoch 1: head 1. The answer depends most on head 2" in two
    assert appear.in_words(measured([0.0, 0.3, 0.2], [0.0, 0.0, -0.5])).startswith("**1 of 2 heads matters by itself")
    assert "At epoch 4 no head matters by itself" in appear.in_words(measured([0.0, 0.3, 0.001]))


def test_parts_are_put_together_by_epoch_and_a_round_that_is_not_whole_waits():
    points = [Point(epoch, "") for epoch in (0, 1)]
    parts = [
        appear.Part(
            np.full((1, 2), float(number)),
            np.zeros((1, 2), bool),
            np.array([number % 2 == 1] * 2),
            np.full(2, number / 5),
        )
        for number in range(5)
    ]
    found = appear.together(parts, points, ("head 1",))
    assert found.lost.tolist() == [[[0, 0, 2, 2]], [[1, 1, 3, 3]]]
    assert found.accuracy.tolist() == [0, 1]
    np.testing.assert_allclose(found.whole, [0.2, 0.4])
    first = appear.together(parts[:1], points, ("head 1",))
    assert (first.epochs, first.lost.tolist()) == ((0,), [[[0, 0]]])


def test_the_work_gives_a_part_for_each_epoch_and_some_pictures(files):
    its = trainings.history_of(f"run:{files[0].id}")
    net = subjects.net(its.points[-1].key)
    layers, pictures = choice.layers(net), unseen(net, 60)
    job = appear.work(its, its.points, layers, pictures)
    assert job.count == 2 * len(its.points)
    job.start()
    assert job.wait(job.count, 60)
    found = appear.together(job.parts(), its.points, ("head 1", "head 2"))
    assert found.lost.shape == (3, 2, 60)
    for place, point in enumerate(its.points):
        alone = appear.switch(subjects.net(point.key).load(), layers, pictures.pictures, pictures.answers)
        np.testing.assert_allclose(found.lost[place], alone.lost, atol=1e-6)


def test_the_interval_of_a_head_is_that_of_the_mean_over_pictures():
    lost = np.array([[0.1, 0.3], [0.2, 0.2]])
    # Student's t for one degree of freedom, times the standard error of two numbers that are 0.2 apart.
    assert appear.reach(lost) == pytest.approx([12.7062 * 0.1, 0], abs=1e-5)
    assert np.isnan(appear.reach(lost[:, :1])).all()
