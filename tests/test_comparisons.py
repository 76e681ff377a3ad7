"""Models beside their controls: figures compared over seeds and pictures, by hand and on the committed cards."""

import numpy as np
import pytest

from attnviz import cards, comparisons
from attnviz.cards import Figure, packed
from attnviz.errors import BadInput
from attnviz.measures.difference import student
from attnviz.recipes import PAPERS, RECIPES
from attnviz.recipes.recipe import Question


def figure(right: list[bool], per_seed: tuple[float, ...] | None = None, draws: int = 1, **changes: object) -> Figure:
    share = sum(right) / len(right)
    values = per_seed or (share,)
    said = {
        "name": "accuracy", "data": "strokes", "split": "test", "count": len(right), "value": share,
        "mean": sum(values) / len(values), "lowest": min(values), "highest": max(values), "seeds": len(values),
        "per_seed": values, "right": packed(np.array(right)), "draws": draws, **changes,
    }  # fmt: skip
    return Figure.model_validate(said)


ONE, OTHER = [True] * 60 + [False] * 40, [True] * 50 + [False] * 30 + [True] * 20  # 10 + 0 against 0 + 20


def half(one: Figure, other: Figure, paired: bool = False) -> float:
    found = comparisons.difference(one, other, paired=paired)
    assert found.interval is not None
    low, high = found.interval
    assert (low + high) / 2 == pytest.approx(found.value)
    return (high - low) / 2


def test_the_same_pictures_are_compared_one_by_one() -> None:
    one, other = figure(ONE, (0.6, 0.6)), figure(OTHER, (0.7, 0.7))
    assert comparisons.difference(one, other).value == pytest.approx(-0.1)
    # 10 ones, 20 minus ones, 70 zeros: their variance is (0.3 - 0.01) * 100 / 99; trainings that agree add nothing
    assert half(one, other) == pytest.approx(student(99) * np.sqrt(0.29 / 99))


def test_the_spread_of_the_seeds_counts_beside_that_of_the_pictures() -> None:
    one, other = figure(ONE, (0.6, 0.5, 0.7)), figure(OTHER, (0.7, 0.7, 0.7))
    pictures, seeds = 0.29 / 99, 0.01 / 3
    freedom = (pictures + seeds) ** 2 / (pictures**2 / 99 + seeds**2 / 2)
    assert half(one, other) == pytest.approx(student(freedom) * np.sqrt(pictures + seeds))


def test_a_model_beside_itself_is_compared_seed_by_seed() -> None:
    one, other = figure(ONE, (0.6, 0.5, 0.7)), figure(OTHER, (0.7, 0.62, 0.81))  # differences -0.10, -0.12, -0.11
    pictures, seeds = 0.29 / 99, (0.01**2 + 0.01**2) / 2 / 3
    freedom = (pictures + seeds) ** 2 / (pictures**2 / 99 + seeds**2 / 2)
    assert half(one, other, paired=True) == pytest.approx(student(freedom) * np.sqrt(pictures + seeds))
    assert half(one, other, paired=True) < half(one, other) == half(other, one)


def test_over_alike_pictures_seed_by_seed_is_the_paired_t_test() -> None:
    """Student's t with 2 degrees of freedom is 4.302653; the mean of the differences 1, 2 and 6 has an error of
    the square root of 7 / 3."""
    one, other = figure(ONE, (0.61, 0.6, 0.66)), figure(ONE, (0.6, 0.58, 0.6))
    assert half(one, other, paired=True) == pytest.approx(0.01 * 4.302653 * (7 / 3) ** 0.5, rel=1e-6)


def test_without_the_values_of_each_seed_trainings_count_as_independent() -> None:
    one, other = figure(ONE, (0.6, 0.5, 0.7)), figure(OTHER, (0.7, 0.62, 0.81))
    for changed in (one.model_copy(update={"per_seed": None}), figure(ONE, (0.6, 0.7))):
        assert half(changed, other, paired=True) == half(changed, other)
    assert comparisons.difference(figure(ONE), figure(OTHER), paired=True).verdict == "one seed"


def test_the_difference_is_that_of_the_means_not_of_the_shipped_seeds() -> None:
    one, other = figure(ONE, (0.6, 0.5, 0.4)), figure(OTHER, (0.7, 0.72))
    found = comparisons.difference(one, other)
    assert (found.value, found.seeds) == (pytest.approx(0.5 - 0.71), (3, 2))


def test_a_single_seed_has_no_interval() -> None:
    assert comparisons.difference(figure(ONE), figure(OTHER, (0.7, 0.72))).verdict == "one seed"


def test_of_a_card_without_values_per_seed_the_range_bounds_the_spread() -> None:
    untold = figure(ONE, (0.6, 0.5, 0.7)).model_copy(update={"per_seed": None})
    other = figure(OTHER, (0.7, 0.7, 0.7))
    pictures, seeds = 0.29 / 99, 0.1 * 0.1 * 3 / 2 / 3
    freedom = (pictures + seeds) ** 2 / (pictures**2 / 99 + seeds**2 / 2)
    assert half(untold, other) == pytest.approx(student(freedom) * np.sqrt(pictures + seeds))


def test_variants_of_a_picture_count_as_one() -> None:
    one, other = [True] * 50 + [False] * 50, [False] * 50 + [True] * 50
    both = (0.5, 0.5)
    assert half(figure(one, both, 2), figure(other, both, 2)) == 0  # each of 50 pictures: once for each
    assert half(figure(one, both), figure(other, both)) > 0.1


def test_other_pictures_count_each_for_themselves() -> None:
    one, other = figure(ONE, (0.6, 0.6)), figure(OTHER, (0.7, 0.7), data="mnist")
    total = (0.24 + 0.21) / 99
    freedom = total**2 / (total**2 / 99)
    assert half(one, other) == pytest.approx(student(freedom) * np.sqrt(total))
    unknown = one.model_copy(update={"right": None})
    assert half(unknown, other) == pytest.approx(student(99) * np.sqrt(0.24 / 100 + 0.21 / 99))


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
    assert found.difference != comparisons.difference(*found.figures)


QUESTIONS = [question for paper in PAPERS.values() for question in paper.questions]


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


@pytest.mark.parametrize("name", [name for paper in PAPERS.values() for name in paper.first])
def test_what_papers_begin_with_names_its_control(name: str) -> None:
    assert RECIPES[name].control
