"""Trained models compared with their controls, from the cards: by how much one is better, and what differs."""

import math
from dataclasses import dataclass
from functools import lru_cache

from attnviz import cards
from attnviz.card import Card, Figure
from attnviz.errors import BadInput
from attnviz.measures.difference import Difference, margin
from attnviz.measures.difference import difference as between
from attnviz.recipes import RECIPES
from attnviz.recipes.differences import BUDGET, differences
from attnviz.recipes.paper import Question
from attnviz.recipes.recipe import Recipe, Test


@dataclass(frozen=True)
class Comparison:
    """A trained model beside another one.

    Args:
        one, other: their cards; the same, where a model is compared with itself with a part of it replaced.
        replaced: that part in words; None of two models.
        figures: the figure of each on the same test.
        difference: of the means over their seeds, with its interval.
        differs: what differs between their recipes, in words; see `attnviz.recipes.differences`.
        cost: how long a training of each takes, in words.
    """

    one: Card
    other: Card
    replaced: str | None
    figures: tuple[Figure, Figure]
    difference: Difference
    differs: tuple[str, ...]
    cost: str = ""


@lru_cache(maxsize=4096)
def difference(one: Figure, other: Figure, *, paired: bool = False) -> Difference:
    """Return how much more often one model is right than another on test pictures, over their seeds, -1..1, with its 95
    % interval, if the cards hold what each seed answered.

    Pictures that are the same are compared one by one, all variants of a picture together. Where they are not, the two
    count as tested on pictures of their own, which widens the interval. `paired` figures are of the same trainings,
    seed by seed: of a model as it is and with a part of it replaced.
    """
    if {one.unit, other.unit} != {"share"} or one.augmentation != other.augmentation:
        raise BadInput(f"{one.name} on {one.data} and {other.name} on {other.data} cannot be compared.")
    seeds, first, second = (one.seeds, other.seeds), one.answers(), other.answers()
    if min(seeds) < 2 or first is None or second is None:
        missing = "one seed" if min(seeds) < 2 else "no answers of each seed"
        return Difference(one.mean - other.mean, None, seeds, margin(one.mean, other.mean), missing=missing)
    same = all(getattr(one, name) == getattr(other, name) for name in ("data", "split", "count", "draws"))
    return between(first, second, same=same, paired=paired and same and one.seeds == other.seeds)


def compared(one: Card, other: Card, test: Test, name: str = "accuracy") -> Comparison | None:
    """Return a model beside another one in a figure of a test, or None where one of their cards has no such figure.

    If the test is on the data that the one was trained on, it stands for the same test of the data that the other was
    trained on.
    """
    own = test.model_copy(update={"data": other.recipe.data}) if test.data == one.recipe.data else test
    figures = one.figure(test, name), other.figure(test, name) or other.figure(own, name)
    if figures[0] is None or figures[1] is None:
        return None
    differs = tuple(differences(_recipe(one), _recipe(other)).values())
    found = difference(figures[0], figures[1])
    return Comparison(one, other, None, (figures[0], figures[1]), found, differs, cost(one, other))


def cost(one: Card, other: Card) -> str:
    """Return how long a training of each of two models takes, "core-minutes a seed 5.2 against 0.44", or by the clock
    where a card does not record its core-seconds.
    """
    computed = [card.core_seconds for card in (one, other)]
    known = None not in computed
    took = computed if known else [one.seconds, other.seconds]
    minutes = [(all_seeds or 0.0) / len(card.runs) / 60 for all_seeds, card in zip(took, (one, other), strict=True)]
    first, second = (f"{spent:.1f}" if spent >= 1 else f"{spent:.2f}" for spent in minutes)
    return f"{'core-minutes' if known else 'minutes'} a seed {first} against {second}{'' if known else ' (clock)'}"


def main_test(recipe: Recipe) -> Test:
    """Return the test that a model's accuracy is first stated on, with as many pictures as there are: on variants like
    those that it was trained on, where there is such a test; else its first.
    """
    like = (test for test in recipe.tests if test.data == recipe.data and test.augmentation == recipe.augmentation)
    first = next(like, recipe.tests[0])
    same = [test for test in recipe.tests if (test.data, test.augmentation) == (first.data, first.augmentation)]
    return max(same, key=lambda test: test.count or math.inf)


def answered(question: Question) -> Comparison | None:
    """Return a model beside its control on its main test, or the first that both have; None if either is missing."""
    recipe = RECIPES[question.checkpoint]
    control = question.checkpoint if question.ablation else question.control or recipe.control
    found = cards.readable([question.checkpoint, *([control] if control else [])])
    if control is None or question.checkpoint not in found or control not in found:
        return None
    one, tests = found[question.checkpoint], (main_test(recipe), *recipe.tests)
    if question.ablation:
        return _with_itself(one, question, tests[0])
    both = (compared(one, found[control], test, question.figure) for test in tests)
    return next((comparison for comparison in both if comparison), None)


def with_control(name: str) -> Comparison | None:
    """Return a checkpoint beside the control that its recipe names; see `answered`."""
    return answered(Question(checkpoint=name))


def trained_differently(one: str, other: str, budget: bool = False) -> tuple[str, ...]:
    """Return in words what differs between the trainings of two checkpoints, not what their networks are; with
    `budget`, only their data, variants and epochs.
    """
    found = differences(RECIPES[one], RECIPES[other])
    return tuple(
        words for field, words in found.items() if (field in BUDGET if budget else field not in ("model", "config"))
    )


def _with_itself(card: Card, question: Question, test: Test) -> Comparison | None:
    whole = card.figure(test, question.figure)
    for ablated in card.ablations:
        own = [one for one in ablated.figures if one.measures(test, question.figure)]
        if whole is not None and own and ablated.name == question.ablation:
            part = max(own, key=lambda one: one.count)
            return Comparison(card, card, ablated.title, (whole, part), difference(whole, part, paired=True), ())
    return None


def _recipe(card: Card) -> Recipe:
    return RECIPES.get(card.name, card.recipe)
