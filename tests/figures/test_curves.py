"""The curves of trainings, attnviz/figures/curves.py."""

from attnviz.figures.curves import curves

ONE = [{"train_loss": 0.5, "validation_loss": 0.6, "spread": 1.0}, {"train_loss": 0.3, "validation_loss": None}]


def test_a_run_has_a_line_for_each_part_with_a_point_for_each_epoch():
    train, validation = curves({"a": ONE}, "loss").data
    assert (train.name, train.y, train.line.dash) == ("training", (0.5, 0.3), "dash")
    assert (validation.name, validation.y, validation.line.dash) == ("validation", (0.6, None), "solid")
    assert train.x == validation.x == (1, 2)


def test_several_runs_are_told_apart_and_one_without_the_figure_has_no_line():
    lines = curves({"a": ONE, "b": [{"validation_loss": 0.1}]}, "loss").data
    assert [line.name for line in lines] == ["a, training", "a, validation", "b, validation"]
    assert lines[0].line.color == lines[1].line.color != lines[2].line.color
    assert [line.name for line in curves({"a": ONE, "b": [{}]}, "spread").data] == ["a"]
    assert not curves({}, "loss").data
