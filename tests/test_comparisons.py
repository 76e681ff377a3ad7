"""Models beside their controls: figures compared over seeds and pictures, by hand and on the committed cards."""

import numpy as np
import pytest

from attnviz import cards, comparisons
from attnviz.card import Figure, packed
from attnviz.errors import BadInput
from attnviz.measures.difference import Difference, difference, student
from attnviz.recipes import PAPERS, RECIPES
from attnviz.recipes.paper import Question


def figure(*each: list[bool], draws: int = 1, **changes: object) -> Figure:
    """Return a figure with the answers of each seed."""
    values = tuple(sum(right) / len(right) for right in each)
    rights = tuple(packed(np.array(right)) for right in each)
    said = {
        "name": "accuracy", "data": "strokes", "split": "test", "count": len(each[0]), "value": values[0],
        "mean": sum(values) / len(values), "lowest": min(values), "highest": max(values), "seeds": len(values),
        "per_seed": values, "right": rights[0], "right_per_seed": rights, "draws": draws, **changes,
    }  # fmt: skip
    return Figure.model_validate(said)


ONE, OTHER = [True] * 60 + [False] * 40, [True] * 50 + [False] * 30 + [True] * 20  # 10 + 0 against 0 + 20
BETTER = [True] * 65 + [False] * 35


def half(found: Difference) -> float:
    assert found.interval is not None
    low, high = found.interval
    assert (low + high) / 2 == pytest.approx(found.value)
    return (high - low) / 2


def test_the_same_pictures_are_compared_one_by_one() -> None:
    found = comparisons.difference(figure(ONE, ONE), figure(OTHER, OTHER))
    assert found.value == pytest.approx(-0.1)
    # 10 ones, 20 minus ones, 70 zeros: their variance is (0.3 - 0.01) * 100 / 99; trainings that agree add nothing
    assert half(found) == pytest.approx(student(99) * np.sqrt(0.29 / 99))


def test_other_pictures_count_each_for_themselves() -> None:
    found = comparisons.difference(figure(ONE, ONE), figure(OTHER, OTHER, data="mnist"))
    total = (0.24 + 0.21) / 99
    freedom = total**2 / ((0.24 / 99) ** 2 / 99 + (0.21 / 99) ** 2 / 99)
    assert half(found) == pytest.approx(student(freedom) * np.sqrt(total))


def test_the_answers_of_all_seeds_count() -> None:
    one, other = figure(ONE, BETTER, ONE), figure(OTHER, OTHER)
    sides = [np.array([ONE, BETTER, ONE], float), np.array([OTHER, OTHER], float)]
    assert comparisons.difference(one, other) == difference(*sides)
    assert comparisons.difference(one, other).seeds == (3, 2)


def test_a_model_is_compared_with_itself_seed_by_seed() -> None:
    one, other = figure(ONE, BETTER), figure(OTHER, OTHER)
    sides = [np.array(side, float) for side in ([ONE, BETTER], [OTHER, OTHER])]
    found = comparisons.difference(one, other, paired=True)
    assert found == difference(*sides, paired=True) != comparisons.difference(one, other)


@pytest.mark.parametrize("both", [True, False])
def test_without_the_answers_of_each_seed_nothing_is_decided(both: bool) -> None:
    untold = figure(ONE, BETTER).model_copy(update={"right_per_seed": None})
    other = untold if both else figure(OTHER, OTHER)
    for pair in ((untold, other), (other, untold)):
        found = comparisons.difference(*pair)
        assert (found.interval, found.verdict) == (None, "not decided")
        assert found.missing == "no answers of each seed"
        assert found.value == pytest.approx(pair[0].mean - pair[1].mean)


def test_a_single_seed_has_no_interval() -> None:
    found = comparisons.difference(figure(ONE), figure(OTHER, OTHER))
    assert (found.verdict, found.missing, found.seeds) == ("not decided", "one seed", (1, 2))


def test_variants_of_a_picture_count_as_one() -> None:
    one, other = [True] * 50 + [False] * 50, [False] * 50 + [True] * 50
    twice = comparisons.difference(figure(one, one, draws=2), figure(other, other, draws=2))
    assert half(twice) == 0  # each of 50 pictures: once for each
    assert half(comparisons.difference(figure(one, one), figure(other, other))) > 0.1


def test_what_a_training_costs_is_said_in_core_minutes_where_both_cards_know_them() -> None:
    card = cards.read("pixel_line.digits")
    timed = [card.model_copy(update={"core_seconds": each * 60.0 * len(card.runs)}) for each in (5.25, 0.5)]
    assert comparisons.cost(*timed) == "core-minutes a seed 5.2 against 0.50"
    clock = card.model_copy(update={"core_seconds": None, "seconds": 120.0 * len(card.runs)})
    assert comparisons.cost(clock, clock) == "minutes a seed 2.0 against 2.0 (clock)"


@pytest.mark.parametrize("changes", [{"unit": "nats"}, {"augmentation": {"rotation": 10}}], ids=str)
def test_what_is_no_share_of_the_same_kind_of_pictures_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="cannot be compared"):
        comparisons.difference(figure(ONE), figure(ONE, **changes))


def test_a_model_is_first_said_on_variants_like_those_it_was_trained_on_and_on_all_pictures() -> None:
    rotated = RECIPES["pixel_attention.1v8-augmented"]
    assert comparisons.main_test(rotated).augmentation == rotated.augmentation
    assert comparisons.main_test(RECIPES["pixel_attention.digits"]).augmentation is None
    assert comparisons.main_test(RECIPES["recurrent_attention.cluttered"]).count is None


def test_a_control_on_pictures_of_its_own_is_compared_on_its_own_test() -> None:
    one, other = (cards.read(f"recurrent_attention.cluttered{end}") for end in ("", "-oracle"))
    found = comparisons.compared(one, other, comparisons.main_test(one.recipe))
    assert found is not None
    assert [part.data for part in found.figures] == ["cluttered_mnist", "cluttered_mnist_centred"]
    assert "data cluttered_mnist against cluttered_mnist_centred" in found.differs


def test_a_model_is_compared_with_itself_with_a_part_replaced() -> None:
    name = "recurrent_attention.cluttered"
    found = comparisons.answered(Question(checkpoint=name, ablation="mean", figure="accuracy_one_draw"))
    assert found is not None
    assert found.replaced is not None and "glimpses.location" in found.replaced
    card = cards.read(name)
    (mean,) = [ablated for ablated in card.ablations if ablated.name == "mean"]
    own = {one.count: one.mean for one in mean.figures if one.name == "accuracy_one_draw"}
    whole = {one.count: one.mean for one in card.figures if one.name == "accuracy_one_draw"}
    assert found.difference.value == pytest.approx(whole[10_000] - own[10_000])
    assert found.difference == comparisons.difference(*found.figures, paired=True)


QUESTIONS = [question for paper in PAPERS.values() for question in (*paper.first, *paper.questions)]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: f"{one.checkpoint}-{one.control or one.ablation}")
def test_a_question_of_a_paper_can_be_answered_once_both_are_trained(question: Question) -> None:
    recipe = RECIPES[question.checkpoint]
    assert question.figure in comparisons.main_test(recipe).figures
    if question.ablation:
        assert question.ablation in [one.name for one in recipe.ablations]
    else:
        assert (question.control or recipe.control) in RECIPES
    trained = {question.checkpoint, question.control or recipe.control} <= set(cards.names())
    assert (comparisons.answered(question) is not None) == (trained or question.ablation is not None)
