"""The history of a search, attnviz/charts/plots.py."""

from attnviz.charts.plots import history


def test_the_best_so_far_never_falls_and_passes_trials_that_ended_early():
    dots, best = history([0.5, None, 0.7, 0.6], "accuracy", True).data
    assert list(dots.y) == [0.5, None, 0.7, 0.6]
    assert list(best.y) == [0.5, 0.5, 0.7, 0.7]
    assert list(history([None, 2.0, 1.0, 3.0], "loss", False).data[1].y) == [None, 2.0, 1.0, 1.0]
