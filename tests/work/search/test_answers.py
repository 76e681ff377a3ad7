"""What is said of the settings of a search, attnviz/work/search/answers.py."""

import numpy as np
import pytest

from attnviz.errors import BadInput
from attnviz.recipes.axes import Axis, Value
from attnviz.work.search import answers, trials
from attnviz.work.search.trials import Found, Trial

AXES = (
    Axis(name="heads", choices=(1, 8, 25)),
    Axis(name="learning_rate", low=1e-4, high=1e-1, log=True),
    Axis(name="dropout", low=0, high=0.8),
)


def _found(value, count: int = 80, axes=AXES, seed: int = 1) -> Found:
    """A search whose value is a function of heads, the place along the learning rate, dropout, and noise."""
    draws = np.random.default_rng(seed)
    made = []
    for number in range(count):
        heads, rate, dropout = int(draws.choice([1, 8, 25])), float(draws.random()), float(draws.random() * 0.8)
        params = {"heads": heads, "learning_rate": 10 ** (-4 + 3 * rate), "dropout": dropout}
        value_of = value(heads, rate, dropout) + 0.01 * float(draws.standard_normal())
        made.append(Trial(number=number, state="complete", params=params, value=value_of))
    return Found(name="a", title="A", source="", axes=axes, trials=tuple(made))


def _with_heads(found: Found, heads: list[int]) -> Found:
    those = zip(found.trials, heads, strict=True)
    changed = tuple(trial.model_copy(update={"params": {**trial.params, "heads": one}}) for trial, one in those)
    return found.model_copy(update={"trials": changed})


def test_a_difference_that_is_there_is_found_beside_the_other_settings():
    known = answers.contrast(_found(lambda heads, rate, dropout: 0.05 * (heads > 1) + rate - rate**2), "heads")
    assert known.interval[0] < 0.05 < known.interval[1]
    assert known.interval[1] - known.interval[0] < 0.02
    assert not known.is_open
    assert sum(known.counts) == 80


def test_where_there_is_none_it_stays_open():
    known = answers.contrast(_found(lambda heads, rate, dropout: rate), "heads")
    assert known.is_open
    assert abs(known.value) < 0.01


def test_a_range_is_cut_in_its_middle():
    known = answers.contrast(_found(lambda heads, rate, dropout: 0.2 * (rate > 0.5)), "learning_rate")
    assert known.value == pytest.approx(0.2, abs=0.02)
    assert answers.is_above(AXES[1], np.array([0.0, 0.5, 0.51, 1.0])).tolist() == [False, False, True, True]
    assert answers.is_above(AXES[0], np.array([0.0, 0.5, 1.0])).tolist() == [False, True, True]


def test_after_the_first_epoch_trials_that_ended_early_count_with_what_they_had_reached():
    found = _found(lambda heads, rate, dropout: 0.0)
    early = ("pruned" if trial.number % 2 else "complete" for trial in found.trials)
    values = ((0.3 * (trial.params["heads"] > 1), 0.9) for trial in found.trials)
    states = zip(found.trials, early, values, strict=True)
    changed = tuple(one.model_copy(update={"state": state, "values": reached}) for one, state, reached in states)
    known = answers.contrast(found.model_copy(update={"trials": changed}), "heads", first=True)
    assert known.value == pytest.approx(0.3) and sum(known.counts) == 80


def test_too_few_trials_on_one_side_have_no_interval_and_none_no_difference():
    found = _found(lambda heads, rate, dropout: rate, count=4)
    few = _with_heads(found, [1, 1, 8, 1])
    known = answers.contrast(few, "heads")
    assert (known.interval, known.counts, known.is_open) == (None, (3, 1), True)
    alike = _with_heads(found, [8] * 4)
    assert answers.contrast(alike, "heads") is None
    assert answers.contrast(found, "wings") is None
    assert answers.contrast(found.model_copy(update={"trials": ()}), "heads") is None


def test_importance_finds_what_matters_by_both_methods():
    shares = answers.importances(_found(lambda heads, rate, dropout: -abs(rate - 0.9)))
    for method in shares.values():
        assert max(method, key=method.__getitem__) == "learning_rate"
    assert sum(shares["among the best tenth"].values()) == pytest.approx(1)
    assert shares["over all trials"]["learning_rate"] > 0.8 > 0.05 > shares["over all trials"]["dropout"]


def test_the_two_methods_can_disagree():
    def value(heads, rate, dropout):
        return -abs(heads - 8) - rate

    shares = answers.importances(_found(value, count=200))
    assert shares["over all trials"]["heads"] > 0.95
    assert shares["among the best tenth"]["learning_rate"] > 0.3


def test_the_best_tenth_is_at_the_better_end():
    found = _found(lambda heads, rate, dropout: 1 if heads == 8 else -rate, count=200)
    lower = found.model_copy(update={"better": "lower"})
    high, low = (answers.importances(one)["among the best tenth"] for one in (found, lower))
    assert high["heads"] > 0.5 > low["heads"]
    assert low["learning_rate"] > 0.5


def test_a_setting_without_effect_explains_nothing_on_average_however_few_the_trials():
    shares = [answers._omega(_found(lambda *_: 0.0, 15, seed=seed).complete, AXES[0]) for seed in range(60)]
    assert np.mean(shares) < 0.07, "uncorrected it is 2 / 14 on average"


def _among(choices: tuple[Value, ...], count: int, seed: int, replace: bool = False) -> tuple[tuple[Trial, ...], Axis]:
    """Trials of pure noise, and the axis of which each has one of many choices: all different, or drawn anew."""
    draws = np.random.default_rng(seed)
    order = draws.choice(len(choices), count, replace)
    made = (Trial(number=n, state="complete", params={"heads": choices[at]}, value=float(draws.standard_normal()))
            for n, at in enumerate(order))  # fmt: skip
    return tuple(made), Axis(name="heads", choices=choices)


def test_many_numbers_to_choose_from_explain_no_noise():
    shares = [answers._omega(*_among(tuple(range(1, 26)), 10, seed, replace=True)) for seed in range(60)]
    assert np.mean(shares) < 0.15, "with a group for each of them it is about a third"
    assert answers._omega(*_among(tuple(range(12)), 12, 0)) < 1


def test_many_words_to_choose_from_are_left_out_by_the_second_method():
    made, axis = _among(tuple("abcdefghijkl"), 12, 0)
    shares = answers.importances(Found(name="a", title="A", source="", axes=(axis,), trials=made))
    assert [list(known) for known in shares.values()] == [["heads"], []]


def test_a_setting_that_does_not_vary_has_no_importance():
    axes = (*AXES, Axis(name="skip", choices=(False, True)))
    found = _found(lambda heads, rate, dropout: rate, axes=axes)
    same = tuple(t.model_copy(update={"params": {**t.params, "skip": True}}) for t in found.trials)
    shares = answers.importances(found.model_copy(update={"trials": same}))
    assert "skip" not in shares["over all trials"]


def test_too_few_trials_are_refused():
    with pytest.raises(BadInput, match=r"at least 10 complete trials .* there are 9"):
        answers.importances(_found(lambda heads, rate, dropout: rate, count=9))
    same = tuple(t.model_copy(update={"value": 0.5}) for t in _found(lambda *_: 0.0).trials)
    with pytest.raises(BadInput):
        answers.importances(_found(lambda *_: 0.0).model_copy(update={"trials": same}))


def test_the_paper_leaves_it_open_whether_heads_matter():
    known = answers.contrast(trials.shipped("schwarz-paper"), "heads")
    assert known.counts == (8, 25)
    assert known.interval is not None and known.is_open


@pytest.mark.parametrize("count", [7, 80])  # of seven, most draws leave settings that cannot be told apart
def test_the_interval_is_that_of_least_squares_for_trials_that_are_drawn_again(count, monkeypatch):
    monkeypatch.setattr(answers, "_DRAWS", 200)
    found = _with_heads(_found(lambda heads, rate, dropout: rate, count), ([1, 8, 1, 25, 8, 1, 8] * 12)[:count])
    places = np.array([[axis.place(trial.params[axis.name]) for axis in AXES] for trial in found.trials])
    rest = places[:, 1:]
    design = np.stack([np.ones(count), places[:, 0] > 0, rest[:, 0], rest[:, 0] ** 2, rest[:, 1], rest[:, 1] ** 2], 1)
    values, draws, drawn = np.array([trial.value for trial in found.trials]), np.random.default_rng(0), []
    for _ in range(200):
        which = draws.integers(0, count, count)
        if 0 < design[which, 1].sum() < count:
            drawn.append(np.linalg.lstsq(design[which], values[which], rcond=None)[0][1])
    known = answers.contrast(found, "heads")
    assert known.interval == pytest.approx(tuple(np.quantile(drawn, (0.025, 0.975))), rel=1e-6)
    assert known.value == pytest.approx(np.linalg.lstsq(design, values, rcond=None)[0][1])
