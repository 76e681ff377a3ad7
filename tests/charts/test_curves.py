"""Curves of trainings, attnviz/charts/epochs.py and effects.py; and confused classes, attnviz/charts/tables.py."""

import re

import pytest

from attnviz.charts.epochs import MOST, curves, effects, round_bounds
from attnviz.charts.tables import confusion

EPOCHS = [{"train_loss": 0.5, "validation_loss": 0.75}, {"train_loss": 0.25, "validation_loss": None}]


def test_a_figure_of_one_run_has_both_parts_and_says_each_value():
    drawn = curves({"one": EPOCHS}, "loss")
    assert "loss by epoch: validation 0.75 at 1; training 0.25 at 2" in drawn
    assert re.findall(r'title="([^"]*)"', drawn) == [
        "epoch 1, validation: 0.75", "epoch 1, training: 0.5", "epoch 2, training: 0.25",
    ]  # fmt: skip
    assert "0.00,50.00 100.00,91.67" in drawn  # from 0.5 to 0.25 of a scale from 0.2 to 0.8


def test_several_runs_are_told_apart_and_titles_are_text():
    drawn = curves({"<b>": EPOCHS, "two": EPOCHS}, "loss")
    assert "<b>," not in drawn
    assert "&lt;b&gt;, validation" in drawn
    assert "curves-1 curves-train" in drawn


def test_a_probe_is_drawn_alone_and_a_constant_has_a_scale():
    drawn = curves({"one": [{"spread": 2.0}, {"spread": 2.0}]}, "spread")
    assert "value 2 at 2" in drawn
    assert curves({"one": EPOCHS}, "unknown") == ""
    assert curves({"one": [{"spread": 0.0}]}, "spread")


def test_a_curve_of_very_many_epochs_has_one_dot():
    drawn = curves({"one": [{"spread": float(place)} for place in range(200)]}, "spread")
    assert drawn.count("curves-dot") == 1
    assert drawn.count("curves-epoch") <= 12


def test_confused_classes_are_counted_and_named():
    drawn = confusion([[8, 2], [0, 1]], ["<1>", "8"])
    assert "&lt;1&gt;" in drawn
    assert drawn.count("<strong>") == 2
    assert "--share:0.800" in drawn


def test_bounds_are_multiples_of_the_steps_between_them() -> None:
    for low, high in (-0.003, 0.66), (0.25, 0.75), (0.0, 100.0), (-5.0, 3.0):
        ends = round_bounds(low, high)
        assert ends[0] <= low
        assert ends[1] >= high
    for lowest, ticks in (-0.2, ["\u22120.5", "0", "0.5", "1"]), (-0.003, ["0", "0.2", "0.4", "0.6", "0.8"]):
        drawn = effects("lost", [0, 1], {"head 1": [lowest, 0.66]})
        assert re.findall(r"<b>([^<]*)</b></i>", drawn) == ticks, "what is hardly below 0 gets no room"
        assert ("curves-zero" in drawn) == (lowest == -0.2)


def test_of_many_heads_the_largest_at_the_end_have_names_and_epochs_lie_evenly() -> None:
    values = {f"head {head}": [0.0, 9.0 - head, float(head)] for head in range(1, MOST + 3)}
    drawn = effects("lost", [0, 1, 52], values)
    assert "lost by epoch: head 8 8.00 at 52; head 7 7.00 at 52" in drawn
    assert re.findall(r'curves-epoch" style="left:([\d.]+)%">(\d+)<', drawn) == [
        ("0.00", "0"), ("50.00", "1"), ("100.00", "52"),
    ]  # fmt: skip
    assert "head 2 2" not in drawn
    assert 'title="epoch 52, head 2: 2"' in drawn, "but each has its dots"
    assert "&lt;i&gt;" in effects("lost", [0, 1], {"<i>": [0.0, 1.0]})


@pytest.mark.parametrize(
    ("low", "high"),
    [(-1e100, 1e100), (0.0, 0.0), (5e-324, 5e-324), (-5e-324, 5e-324), (1e20, 1e20 + 16384), (1e-310, 1e100), (7, 7)],
)
def test_values_of_any_size_can_be_drawn(low: float, high: float) -> None:
    first, last = round_bounds(low, high)
    assert first <= low <= high <= last and first < last
    drawn = curves({"one": [{"train_loss": low}, {"train_loss": high}]}, "loss")
    assert drawn.count('class="curves-tick') >= 2
