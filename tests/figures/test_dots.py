"""Results as dots with intervals."""

import pytest

from attnviz.figures.dots import Dot, dots, trade

ROWS = [
    Dot("with attention", 0.81, 0.80, 0.83, 5, parameters=33_084, claimed=0.8146),
    Dot("control", 0.88, 0.88, 0.88, 1, control=True, parameters=929_510),
    Dot("untold", 0.7, 0.6, 0.8, 3, control=True),
]


def test_a_dot_lies_at_its_mean_and_its_interval_reaches_the_extremes() -> None:
    figure = dots(ROWS, axis="accuracy", chance=0.1)
    mechanism, control, claimed = figure.data
    assert (list(mechanism.x), list(mechanism.y)) == ([0.81], ["with attention"])
    assert mechanism.x[0] + mechanism.error_x.array[0] == pytest.approx(0.83)
    assert mechanism.x[0] - mechanism.error_x.arrayminus[0] == pytest.approx(0.80)
    assert list(control.y) == ["control", "untold"]
    assert control.customdata[0] == "0.88, one seed"
    assert (claimed.name, list(claimed.x)) == ("the paper", [0.8146])
    assert list(figure.layout.yaxis.categoryarray) == ["untold", "control", "with attention"], "the first is on top"
    assert figure.layout.shapes[0].x0 == 0.1
    assert mechanism.marker.symbol != control.marker.symbol


def test_over_parameters_stand_those_whose_number_is_known() -> None:
    figure = trade(ROWS, axis="accuracy")
    mechanism, control = figure.data
    assert (list(mechanism.x), list(mechanism.y)) == ([33_084], [0.81])
    assert (list(control.x), list(control.text)) == ([929_510], ["control"])
    assert figure.layout.xaxis.type == "log"
    assert control.error_y.array[0] == 0


def test_nothing_claimed_draws_no_paper() -> None:
    assert [trace.name for trace in dots(ROWS[1:], axis="accuracy").data] == ["control"]
