"""What is measured over the number of parameters."""

from attnviz.charts.dots import Dot
from attnviz.charts.plots import trade

ROWS = [
    Dot("with attention", 0.81, 0.80, 0.83, 5, parameters=33_084, claimed=0.8146),
    Dot("control", 0.88, 0.88, 0.88, 1, control=True, parameters=929_510),
    Dot("untold", 0.7, 0.6, 0.8, 3, control=True),
]


def test_over_parameters_stand_those_whose_number_is_known() -> None:
    figure = trade(ROWS, axis="accuracy")
    control, mechanism = figure.data
    assert (list(mechanism.x), list(mechanism.y)) == ([33_084], [0.81])
    assert (list(control.x), list(control.text)) == ([929_510], ["control"])
    assert figure.layout.xaxis.type == "log"
    assert control.error_y.array[0] == 0
    assert (mechanism.error_y.array[0], mechanism.error_y.arrayminus[0]) == (0.83 - 0.81, 0.81 - 0.80)
    assert mechanism.marker.symbol != control.marker.symbol
    assert mechanism.customdata[0] == "0.81, 0.80 to 0.83 over 5 seeds"


def test_the_best_with_the_mechanism_is_named_and_the_others_on_hover() -> None:
    figure = trade([*ROWS, Dot("worse", 0.8, 0.8, 0.8, 1, parameters=9)], axis="accuracy")
    assert list(figure.data[-1].texttemplate) == ["with attention", ""]


def test_a_control_of_the_same_size_is_named_on_hover_as_its_name_would_lie_on_the_other() -> None:
    same = Dot("the same without it", 0.8, 0.8, 0.8, 1, control=True, parameters=33_084)
    figure = trade([*ROWS, same], axis="accuracy")
    assert list(figure.data[0].texttemplate) == ["control", ""]


def test_nothing_known_draws_nothing() -> None:
    assert not trade(ROWS[2:], axis="accuracy").data
