"""Measures of gates, attnviz/measures/channel_attention/gates.py, by hand-computed cases."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.measures.channel_attention.gates import between_classes, by_chance, class_means, gain_with_depth, kinds

LABELS = np.array([0, 0, 1, 1])


def test_a_gate_is_always_open_constant_or_varies():
    gates = np.full((200, 4), 0.99)
    gates[:, 1] = 0.5
    gates[:, 2] = np.linspace(0, 1, 200)
    gates[:2, 0], gates[:3, 3] = 0.1, 0.1  # of 200 pictures 2 are 1 %, and 3 are more
    assert kinds(gates) == ("always open", "constant", "varies", "varies")


def test_a_gate_that_is_always_open_to_the_same_degree_is_called_open():
    assert kinds(np.full((2, 1), 0.985)) == ("always open",)
    assert kinds(np.full((2, 1), 0.975)) == ("constant",)


def test_the_share_between_classes_by_hand():
    gates = np.array([[0.1], [0.3], [0.5], [0.7]])
    # Mean 0.4: whole variance (0.09 + 0.01 + 0.01 + 0.09) = 0.2; class means 0.2 and 0.6: 4 x 0.04 = 0.16.
    assert between_classes(gates, LABELS) == pytest.approx(0.8)
    assert between_classes(np.array([[0.1], [0.1], [0.7], [0.7]]), LABELS) == pytest.approx(1.0)
    assert between_classes(np.array([[0.1], [0.7], [0.1], [0.7]]), LABELS) == pytest.approx(0.0, abs=1e-12)


def test_channels_count_by_how_much_they_vary():
    told, silent = [0.1, 0.1, 0.3, 0.3], [0.1, 0.5, 0.1, 0.5]  # variances 0.01 and 0.04
    assert between_classes(np.array([told, silent]).T, LABELS) == pytest.approx(0.2)
    assert between_classes(np.full((4, 2), 0.3), LABELS) == 0.0


def test_shuffled_labels_give_what_the_number_of_classes_alone_gives():
    chance = np.random.default_rng(0)
    gates, labels = chance.random((1000, 8)), np.arange(1000) % 10
    shares = by_chance(gates, labels)
    assert len(shares) == 20
    assert abs(shares.mean() - 9 / 999) < 0.003
    told = gates + labels[:, None]
    assert between_classes(told, labels) > 0.9 > 0.1 > by_chance(told, labels).max()
    assert (by_chance(gates, labels) == shares).all()


def share(gates, labels):
    """Spelled out, class by class and channel by channel."""
    means = {label: gates[labels == label].mean(0) for label in set(labels.tolist())}
    return np.var([means[label] for label in labels.tolist()], 0).sum() / gates.var(0).sum()


def test_all_draws_at_once_are_those_draws_one_by_one():
    chance = np.random.default_rng(2)
    labels = chance.integers(0, 9, 60)
    labels[:2] = 11  # a class that many draws miss
    early, late = chance.random((60, 3)), labels[:, None] / 11 + chance.random((60, 4))
    draws = np.random.default_rng(7)
    expected = [share(late, draws.permutation(labels)) for _ in range(20)]
    np.testing.assert_allclose(by_chance(late, labels, seed=7), expected, rtol=1e-12)
    draws = np.random.default_rng(7)
    drawn = [draws.integers(0, 60, 60) for _ in range(200)]
    gains = [share(late[one], labels[one]) - share(early[one], labels[one]) for one in drawn]
    found = gain_with_depth([early, late], labels, seed=7)
    np.testing.assert_allclose(found[2], np.percentile(gains, [2.5, 97.5]), rtol=1e-12)
    assert found[:2] == pytest.approx((share(early, labels), share(late, labels)), rel=1e-12)


def test_depth_is_compared_over_pictures_drawn_again():
    chance = np.random.default_rng(1)
    labels = np.arange(400) % 4
    noise, told = chance.random((400, 6)), labels[:, None] + chance.random((400, 6))
    early, late, (low, high) = gain_with_depth([noise, told], labels)
    assert early == pytest.approx(between_classes(noise, labels)) and late == pytest.approx(
        between_classes(told, labels)
    )
    assert 0.8 < low < late - early < high < 1.0
    _, _, (low, high) = gain_with_depth([noise, noise[::-1]], labels)
    assert low < 0 < high
    many = gain_with_depth([noise, told, told[:, :1]], labels)
    assert many[1] == pytest.approx(between_classes(np.concatenate([told, told[:, :1]], 1), labels))
    with pytest.raises(BadInput, match="two or more"):
        gain_with_depth([told], labels)


def test_the_mean_gates_of_each_class():
    gates = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]])
    found = class_means(gates, np.array([0, 0, 2, 0]), 3)
    np.testing.assert_allclose(found[[0, 2]], [[1.1 / 3, 1.4 / 3], [0.5, 0.6]])
    assert np.isnan(found[1]).all()


def test_labels_and_gates_that_do_not_fit_are_refused():
    with pytest.raises(BadInput, match="at least two pictures"):
        kinds(np.ones((1, 3)))
    with pytest.raises(BadInput, match="needs a label"):
        between_classes(np.ones((4, 3)), np.arange(3))
    with pytest.raises(BadInput, match="from 0 to 1"):
        class_means(np.ones((4, 3)), np.array([0, 1, 2, 0]), 2)
