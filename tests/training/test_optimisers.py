"""Optimisers and learning rates, attnviz/training/optimisers.py."""

import pytest
import torch
from torch import nn

from attnviz.errors import BadInput
from attnviz.training.optimisers import optimiser, rate
from attnviz.training.progress import Step
from tests.training import small


class Two(nn.Module):
    """Gates and a line, named as a mechanism names them."""

    def __init__(self) -> None:
        super().__init__()
        self.gates = nn.Parameter(torch.zeros(3))
        self.line = nn.Linear(3, 1)


def _made(**changes: object) -> torch.optim.Optimizer:
    return optimiser(Two(), small.recipe(**changes))


def test_the_cosine_schedule_rises_then_falls_to_nothing():
    chosen = small.recipe("pixel_line", schedule="cosine", epochs=2)
    rates = [rate(chosen, 0.1, share, 0) for share in (0.0, 0.025, 0.05, 0.525, 1.0)]
    assert rates == pytest.approx([0, 0.05, 0.1, 0.05, 0])
    training = small.training(chosen)
    used = [training.optimiser.param_groups[0]["lr"] for event in training.run() if isinstance(event, Step)]
    assert used == [rate(chosen, 1e-2, step / 6, 0) for step in range(1, 7)]
    assert used[-1] == pytest.approx(0)


def test_the_trapezoid_rises_stays_and_falls_to_a_fiftieth():
    chosen = small.recipe(schedule="trapezoid", rise=0.1)
    rates = [rate(chosen, 0.1, share, 0) for share in (0.0, 0.05, 0.1, 0.35, 0.6, 0.8, 1.0)]
    assert rates == pytest.approx([0, 0.05, 0.1, 0.1, 0.1, 0.051, 0.002])


def test_one_cycle_is_that_of_torch():
    chosen = small.recipe(schedule="one_cycle", rise=0.25)
    parameter = torch.zeros(1, requires_grad=True)
    theirs = torch.optim.SGD([parameter], lr=1.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        theirs, max_lr=0.3, total_steps=101, pct_start=0.26, cycle_momentum=False
    )
    for step in range(101):  # torch rises over the first 0.26 * 101 - 1 of its 100 intervals
        ours = rate(chosen.model_copy(update={"rise": (0.26 * 101 - 1) / 100}), 0.3, step / 100, 0)
        assert ours == pytest.approx(theirs.param_groups[0]["lr"], rel=1e-6, abs=1e-9)
        theirs.step()
        if step < 100:
            schedule.step()
    assert rate(chosen, 0.3, 0.25, 0) == pytest.approx(0.3)


def test_a_schedule_without_a_rise_begins_at_the_peak():
    for schedule in ("cosine", "trapezoid", "one_cycle"):
        assert rate(small.recipe(schedule=schedule, rise=0.0), 0.3, 0.0, 0) == pytest.approx(0.3)


@pytest.mark.parametrize(("lowered", "expected"), [(0, 0.4), (1, 0.2), (2, 0.1), (3, 0.06), (50, 0.06)])
def test_a_plateau_halves_down_to_the_lowest(lowered, expected):
    chosen = small.recipe(schedule="plateau", plateau={"lowest": 0.06})
    assert rate(chosen, 0.4, 0.3, lowered) == pytest.approx(expected)


def test_a_group_below_the_lowest_rate_keeps_its_own():
    assert rate(small.recipe(schedule="plateau", plateau={"lowest": 0.1}), 0.01, 0.3, 2) == 0.01


@pytest.mark.parametrize(
    ("changes", "kind", "expected"),
    [
        ({}, torch.optim.Adam, {"lr": 1e-2, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0}),
        ({"optimiser": "adamw", "weight_decay": 0.1, "eps": 0.0}, torch.optim.AdamW, {"eps": 0.0, "weight_decay": 0.1}),
        (
            {"optimiser": "sgd", "momentum": 0.9, "nesterov": True, "weight_decay": 5e-4},
            torch.optim.SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 5e-4},
        ),
    ],
)  # fmt: skip
def test_the_recipe_chooses_the_optimiser_and_its_settings(changes, kind, expected):
    made = _made(**changes)
    assert type(made) is kind
    assert len(made.param_groups) == 1
    assert {name: made.param_groups[0][name] for name in expected} == expected


def test_groups_have_rates_decay_and_eps_of_their_own():
    made = _made(
        optimiser="adamw", weight_decay=0.01,
        groups=[
            {"parameters": ["gates"], "learning_rate": 0.1, "weight_decay": 0.0, "eps": 1e-12},
            {"parameters": ["line.*"]},
        ],
    )  # fmt: skip
    gates, line = made.param_groups
    assert [len(group["params"]) for group in (gates, line)] == [1, 2]
    assert (gates["lr"], gates["weight_decay"], gates["eps"]) == (0.1, 0, 1e-12)
    assert (line["lr"], line["weight_decay"], line["eps"]) == (1e-2, 0.01, 1e-8)


@pytest.mark.parametrize(
    ("patterns", "sentence"),
    [
        ([["gates"]], "exactly one group, but no group of it matches 'line.weight'. Change the patterns"),
        ([["*"], ["line.bias"]], "exactly one group, but 2 groups of it match 'line.bias'. Change the patterns"),
        ([["*"], ["gate"]], "the pattern 'gate', which matches no parameter. Did you mean 'gates'"),
        ([["gates", "line.*", "conv.*"]], "the pattern 'conv.[*]', which matches no parameter. "),
    ],
)
def test_a_parameter_outside_of_exactly_one_group_is_one_sentence(patterns, sentence):
    with pytest.raises(BadInput, match=sentence) as caught:
        _made(groups=[{"parameters": some} for some in patterns])
    assert "\n" not in str(caught.value)


def test_each_group_follows_the_schedule_from_its_own_peak():
    groups = [{"parameters": ["*.weight"], "learning_rate": 0.1}, {"parameters": ["*.bias"]}]
    training = small.training(small.recipe("pixel_line", schedule="cosine", epochs=1, groups=groups))
    used = [
        [group["lr"] for group in training.optimiser.param_groups]
        for event in training.run()
        if isinstance(event, Step)
    ]
    assert [one / other for one, other in used[:-1]] == pytest.approx([10, 10])
