"""Ablations beside retrainings, attnviz/retraining.py: intervals against scipy, figures read again from the cards."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from attnviz import retraining
from attnviz.charts.costs import Cost, costs
from attnviz.measures.difference import Difference

CHECKPOINTS = Path(__file__).parents[1] / "checkpoints"


def test_intervals_are_those_of_scipy() -> None:
    one, other = [0.9, 0.92, 0.91], [0.7, 0.75, 0.8, 0.71]
    found = retraining.between(one, other)
    assert found.value == pytest.approx(0.17)
    expected = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    assert found.interval == pytest.approx((expected.low, expected.high), rel=1e-5)
    paired = retraining.seed_by_seed(one, other[:3])
    expected = stats.ttest_rel(one, other[:3]).confidence_interval(0.95)
    assert paired.interval == pytest.approx((expected.low, expected.high), rel=1e-5)
    assert retraining.between(one, [0.5]).missing == "one seed"
    assert retraining.between([0.5, 0.5], [0.4, 0.4]).interval == pytest.approx((0.1, 0.1))


def accuracies(name: str, count: int, ablation: tuple[str, str] | None = None) -> list[float]:
    """Return what each seed reaches on the test pictures of most, from the file of a card."""
    card: Any = json.loads((CHECKPOINTS / name / "card.json").read_text())
    figures = card["figures"]
    if ablation:
        (figures,) = (one["figures"] for one in card["ablations"] if (one["name"], one["of"]) == ablation)
    data = card["recipe"]["data"]
    (found,) = (
        one["per_seed"]
        for one in figures
        if (one["name"], one["data"], one["count"], one["augmentation"]) == ("accuracy", data, count, None)
    )
    return list(found)


def test_pairs_are_what_the_cards_hold() -> None:
    found = retraining.pairs()
    counted = [pair for pair in found if pair.counts]
    assert found[: len(counted)] == counted and len(counted) >= 16
    for pair in counted:
        of = pair.of
        assert pair.ablated is not None and pair.retrained is not None
        whole = accuracies(of.ablated, 10_000)
        part = accuracies(of.ablated, 10_000, (of.ablation.name, of.ablation.of))
        without = accuracies(of.retrained, 10_000)
        assert min(len(whole), len(without)) >= 3
        assert pair.ablated.value == pytest.approx(stats.tmean(whole) - stats.tmean(part), abs=1e-12)
        assert pair.retrained.value == pytest.approx(stats.tmean(whole) - stats.tmean(without), abs=1e-12)
    tau = stats.kendalltau(*zip(*((one.ablated.value, one.retrained.value) for one in counted), strict=True))
    told = retraining.find(found)
    assert told is not None and told.pairs == len(counted) and told.tau == pytest.approx(tau.statistic)


def test_the_conclusion_is_that_of_the_cards() -> None:
    found = retraining.pairs()
    told = retraining.find(found)
    assert told is not None and told.above > told.pairs / 2 and told.below == 0 and told.tau < 0.5
    said = retraining.conclusion(found)
    most = f"{100 * told.ablated[1]:.1f} points"
    assert said.startswith("**No, not how much.**") and most in said and "Cluttered digits" in said
    assert retraining.conclusion(found[-2:]).startswith("**Not known yet**")


def test_pairs_of_one_seed_say_so_and_do_not_count() -> None:
    pair = next(pair for pair in retraining.pairs() if pair.counts)
    once = replace(pair, ablated=Difference(0.1, None, (1, 1), missing="one seed"))
    absent = replace(pair, retrained=None)
    assert not once.counts and not absent.counts
    _, table, told, _ = retraining.in_words([pair, once, absent])
    assert len(table.splitlines()) == 3 and "+10.00, *one seed*" in told and "*not trained*" in told
    assert retraining.find([pair, once]) is None


def test_the_axes_are_stretched_near_0_and_alike() -> None:
    dots = [Cost("1", "one", (9.0, 8.0, 10.0), (0.3, 0.1, 0.5), True), Cost("2", "two", (2, 2, 2), (0, 0, 0), False)]
    figure = costs(dots, axes=("across", "up"), kinds=("several", "one seed"), equal="the same")
    line, several, once = figure.data
    assert list(line.x) == list(line.y) and (several.marker.symbol, once.marker.symbol) == ("circle", "circle-open")
    places = dict(zip(figure.layout.xaxis.ticktext, figure.layout.xaxis.tickvals, strict=True))
    assert places["30"] - places["10"] < 2 * places["1"]
    assert (
        places["0"] == 0
        and places["3"] < several.x[0] < places["10"]
        and several.x[0] + several.error_x.array[0] == pytest.approx(places["10"])
    )


def test_a_name_covers_no_dot_and_no_other_name_and_the_pointer_tells_it() -> None:
    at = {"1": (0.0, 0.0), "2": (0.01, 0.0), "3": (0.2, 0.0), "4": (20.0, 3.0)}
    close = [Cost(name, "same", (x, x, x), (y, y, y), True) for name, (x, y) in at.items()]
    crowd = [Cost(str(10 + number), "same", (5, 5, 5), (1, 1, 1), True) for number in range(9)]
    _, several = costs([*close, *crowd], axes=("across", "up"), kinds=("several", "one seed"), equal="the same").data
    assert {"1", "3", "4"} <= set(several.text)
    assert several.textposition[0] != several.textposition[1] or not several.text[1]
    assert sum(name in several.text for name in map(str, range(10, 19))) < 9
    assert [title for title, *_ in several.customdata[:2]] == ["1: same", "2: same"]
