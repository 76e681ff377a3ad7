"""The figure of the change by how much is removed."""

import numpy as np

from attnviz.charts.plots import Rule, removal

COUNTS = np.array([8, 39])
RULES = [
    Rule(name, np.array([-at, -2.0]), np.array([0.5, at])) for at, name in enumerate(("attended", "random", "other"))
]


def test_a_line_and_a_band_for_each_way() -> None:
    figure = removal(COUNTS, RULES, unit="pixels", places=784, pictures=200)
    assert len(figure.data) == 6
    for rule, band, line in zip(RULES, figure.data[::2], figure.data[1::2], strict=True):
        assert line.name == rule.name
        np.testing.assert_array_equal(line.x, [0, 8, 39])
        np.testing.assert_array_equal(line.y, [0, *rule.mean])
        np.testing.assert_array_equal(band.x, [0, 8, 39, 39, 8, 0])
        np.testing.assert_array_equal(band.y[1:3], rule.mean + rule.spread)
        np.testing.assert_array_equal(band.y[3:5], (rule.mean - rule.spread)[::-1])
        assert (band.fill, band.showlegend, band.hoverinfo) == ("toself", False, "skip")
        assert band.fillcolor == line.line.color
    lines = figure.data[1::2]
    for looks in ([line.line.color for line in lines], [line.line.dash for line in lines],
                  [line.marker.symbol for line in lines]):  # fmt: skip
        assert len(set(looks)) == 3, "each is told apart by colour, dash and symbol"


def test_axes_are_named() -> None:
    figure = removal(COUNTS, RULES, unit="tokens of 2 × 2 pixels", places=196, pictures=200)
    assert figure.layout.xaxis.title.text == "tokens of 2 × 2 pixels removed, of 196"
    assert figure.layout.yaxis.title.text == "change of the logit of the answer"


def test_a_missing_number_stays_missing() -> None:
    rule = Rule("attended", np.array([-1, np.nan]), np.array([0.5, np.nan]))
    figure = removal(COUNTS, [rule], unit="pixels", places=784, pictures=200)
    assert np.isnan(figure.data[1].y[2])
