"""Pairs of numbers as dots, with lines to compare them with."""

import numpy as np

from attnviz.charts.plots import Line, scatter


def test_dots_and_lines_have_the_same_scale_both_ways() -> None:
    across, up = np.array([-90.0, 10, 60]), np.array([5.0, -100, 3])
    figure = scatter(across, up, [Line("fit", 0.5, 2.0), Line("undone", 1.0, dash="dash")], dots="one", axes=("x", "y"))
    dots, fit, undone = figure.data
    np.testing.assert_array_equal(dots.x, across)
    np.testing.assert_array_equal(dots.y, up)
    np.testing.assert_allclose(fit.y, [-48, 52])
    np.testing.assert_allclose(undone.y, [-100, 100])
    assert (fit.name, undone.line.dash) == ("fit", "dash")
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.xaxis.title.text == "x"


def test_no_pair_lies_outside_of_the_axes_and_with_a_step_they_end_at_a_tick() -> None:
    across, up = np.array([-90.0, 60]), np.array([5.0, 121])
    plain, stepped = (scatter(across, up, [], dots="one", axes=("x", "y"), step=step) for step in (None, 45.0))
    for figure, reach in ((plain, 121), (stepped, 135)):
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            np.testing.assert_allclose(axis.range, [-1.03 * reach, 1.03 * reach])
    assert (plain.layout.yaxis.dtick, stepped.layout.yaxis.dtick) == (None, 45)
    zero = scatter(np.zeros(2), np.zeros(2), [Line("one", 1.0)], dots="one", axes=("x", "y"), step=45.0)
    np.testing.assert_allclose(zero.data[1].y, [-45, 45])
