"""Comparisons of trained models with their controls, from the cards: how much better one is, and what differs."""

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
    """A trained model compared with another one.

    Args:
        one, other: their cards; the same card if a model is compared with itself with a part replaced.
        replaced: that part in words; None for two models.
        figures: the two figures on the same test.
        difference: the difference of their means over seeds, with its interval.
        differs: the differences between their recipes, in words; see `attnviz.recipes.differences`.
        cost: the training time of each, in words.
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
    % interval if the cards hold the answers of each seed.

    If both were tested on the same pictures, these are compared one by one, with all variants of a picture together.
    Otherwise the two samples are treated as independent, which widens the interval. `paired` figures come from the same
    trainings, seed by seed: a model as it is and with a part replaced.
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
    """Compare two models by a figure of a test; return None if one of their cards has no such figure.

    A test on the data that the first model was trained on is matched with the same test on the data that the other
    model was trained on.
    """
    own = test.model_copy(update={"data": other.recipe.data}) if test.data == one.recipe.data else test
    figures = one.figure(test, name), other.figure(test, name) or other.figure(own, name)
    if figures[0] is None or figures[1] is None:
        return None
    differs = tuple(differences(_recipe(one), _recipe(other)).values())
    found = difference(figures[0], figures[1])
    return Comparison(one, other, None, (figures[0], figures[1]), found, differs, cost(one, other))


def cost(one: Card, other: Card) -> str:
    """Return the training times of two models, "core-minutes a seed 5.2 against 0.44", or wall-clock times if a card
    does not record its core-seconds.
    """
    computed = [card.core_seconds for card in (one, other)]
    known = None not in computed
    took = computed if known else [one.seconds, other.seconds]
    minutes = [(all_seeds or 0.0) / len(card.runs) / 60 for all_seeds, card in zip(took, (one, other), strict=True)]
    first, second = (f"{spent:.1f}" if spent >= 1 else f"{spent:.2f}" for spent in minutes)
    return f"{'core-minutes' if known else 'minutes'} a seed {first} against {second}{'' if known else ' (clock)'}"


def main_test(recipe: Recipe) -> Test:
    """Return the test on which a model's accuracy is reported first, on as many pictures as possible: the test on
    variants like those of its training, or else its first test.
    """
    like = (test for test in recipe.tests if test.data == recipe.data and test.augmentation == recipe.augmentation)
    first = next(like, recipe.tests[0])
    same = [test for test in recipe.tests if (test.data, test.augmentation) == (first.data, first.augmentation)]
    return max(same, key=lambda test: test.count or math.inf)


def answered(question: Question) -> Comparison | None:
    """Compare a model with its control, on its main test or the first common test; return None if either is missing."""
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
    """Compare a checkpoint with its recipe's control; see `answered`."""
    return answered(Question(checkpoint=name))


def trained_differently(one: str, other: str, budget: bool = False) -> tuple[str, ...]:
    """Return the differences between the trainings, but not the networks, of two checkpoints in words; with `budget`,
    only those in data, variants and epochs.
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
