"""Pairs of numbers as dots, with lines to compare them with."""

import numpy as np

from attnviz.figures.scatter import Line, scatter


def test_dots_and_lines_have_the_same_scale_both_ways() -> None:
    across, up = np.array([-90.0, 10, 60]), np.array([5.0, -100, 3])
    figure = scatter(across, up, [Line("fit", 0.5, 2.0), Line("undone", 1.0, dash="dash")], dots="one", axes=("x", "y"))
    dots, fit, undone = figure.data
    np.testing.assert_array_equal(dots.x, across)
    np.testing.assert_array_equal(dots.y, up)
    np.testing.assert_allclose(fit.y, [-43, 47])
    np.testing.assert_allclose(undone.y, [-90, 90])
    assert (fit.name, undone.line.dash) == ("fit", "dash")
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.xaxis.title.text == "x"
