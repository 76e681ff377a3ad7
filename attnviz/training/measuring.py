"""Measurements for a card: figures on the recipe's tests, whole and with parts replaced, and an example."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from attnviz import data, models
from attnviz.card import Ablated, Card, Example, Figure, packed
from attnviz.data import always, inputs
from attnviz.errors import BadInput
from attnviz.recipes import Recipe
from attnviz.recipes.recipe import Ablation, Test
from attnviz.training.evaluations import evaluation
from attnviz.training.examples import Examples, ExampleSet, TrainingSet, on_device, streamed
from attnviz.training.objectives import Measure, Measured, Objective, answers

EXAMPLE_SEED, EXAMPLES = 20, 20


@dataclass(frozen=True)
class Seeds:
    """The seeds of a card: the newly trained ones and the earlier ones.

    Args:
        weights: the stored weights of the newly trained seeds, by seed.
        shipped: the seed whose weights are shipped.
        kept: the earlier seeds that stay on the card, with their figures.
        before: the earlier card, or None if no seed is kept.
        order: all seeds in the order of the card; by default, the kept seeds come first.
    """

    weights: Mapping[int, Mapping[str, Tensor]]
    shipped: int
    kept: Sequence[int]
    before: Card | None
    order: Sequence[int] = ()


def evaluate(model: nn.Module, goal: Objective, test: Test, examples: ExampleSet) -> dict[str, Measured]:
    """Return the figures of a test by name."""
    found = goal.measure(model.eval(), examples)
    for name in test.figures:
        if name not in found:
            raise BadInput(
                f"{name} cannot be measured on {len(examples):,} examples of {test.data}/{test.split}. Test on more, "
                "or leave it out of the test's figures."
            )
    return {name: found[name] for name in test.figures}


def measured(
    recipe: Recipe, seeds: Seeds, model: nn.Module, train: TrainingSet, goal: Objective
) -> tuple[tuple[Figure, ...], tuple[Ablated, ...]]:
    """Measure the weights of all seeds on all tests of a recipe; return the figures of the whole model, and those of
    each ablation, which include only measures that call the edited model (`Measure.by_calling`).
    """
    tests = [test_examples(recipe, test, str(train.device)) for test in recipe.tests]
    whole = _figures(goal, recipe, seeds, model, train, tests, None, seeds.before.figures if seeds.before else ())
    known = {(one.name, one.of): one.figures for one in seeds.before.ablations} if seeds.before else {}
    replaced = []
    for one in recipe.ablations:
        figures = _figures(goal, recipe, seeds, model, train, tests, one, known.get((one.name, one.of), ()))
        title = evaluation(one).title.format(of=one.of)
        replaced.append(Ablated(name=one.name, of=one.of, title=title, figures=figures))
    return whole, tuple(replaced)


def test_examples(recipe: Recipe, test: Test, device: str = "cpu") -> ExampleSet:
    """Return the pictures of a test: those of the recipe's classes, the first `count` of them, or their variants.

    Images are uint8 (count x draws, channel, row, column): the first draw of all pictures, then the second, and so on;
    labels are int64, indices into the recipe's classes. Data sets that make their own batches return those batches.
    """
    if data.spec(test.data).batches is not None:
        return streamed(test.data, test.split, recipe.batch, device, test.count)
    dataset = data.load(test.data, test.split, classes=recipe.classes)
    examples = on_device(data.Dataset(dataset.images[: test.count], dataset.labels[: test.count]), device)
    if test.augmentation is None:
        return examples
    drawn = [examples.variants(test.augmentation, torch.Generator().manual_seed(seed)) for seed in range(test.draws)]
    return Examples(torch.cat([part.images for part in drawn]), torch.cat([part.labels for part in drawn]))


def example(model: nn.Module, recipe: Recipe) -> Example | None:
    """Return a few pictures of the kind that the model was trained on, by labels and seed, with their logits, or None
    if no such pictures come with attnviz.
    """
    source = always.source(recipe.data)
    if source is None or data.spec(recipe.data).target.per_step:
        return None
    seed = EXAMPLE_SEED if source == "strokes" else None
    labels = always.first_labels(source, recipe.classes, EXAMPLES)
    pictures = example_pictures(recipe, source, labels, seed)
    rows = answers(model, Examples(pictures, torch.tensor(labels))).tolist()
    digest = hashlib.sha256(pictures.numpy().tobytes()).hexdigest()
    return Example(data=source, labels=labels, seed=seed, digest=digest, logits=tuple(tuple(row) for row in rows))


def example_pictures(recipe: Recipe, source: str, labels: Sequence[int], seed: int | None) -> Tensor:
    """Return the pictures of a card's example for the recipe's model, uint8 (count, channel, row, column). Strokes are
    drawn with the seed, which is None for other data sets.
    """
    wanted = vars(models.input_of(recipe.model, recipe.config))
    fitted = np.stack([inputs.fitted(picture, **wanted) for picture in always.pictures(source, labels, seed)])
    return torch.tensor(fitted.transpose(0, 3, 1, 2)).contiguous()


def _figures(
    goal: Objective,
    recipe: Recipe,
    seeds: Seeds,
    model: nn.Module,
    train: TrainingSet,
    tests: Sequence[ExampleSet],
    ablation: Ablation | None,
    before: Sequence[Figure],
) -> tuple[Figure, ...]:
    found: list[dict[int, dict[str, Measured]]] = [{} for _ in tests]
    for seed, weights in seeds.weights.items():
        model.load_state_dict(dict(weights))
        model.eval()
        replaced = nullcontext() if ablation is None else evaluation(ablation).replaced(model, train, ablation.of)
        with replaced:
            for place, test in enumerate(recipe.tests):
                found[place][seed] = evaluate(model, goal, test, tests[place])
    figures = []
    for test, examples, by_seed in zip(recipe.tests, tests, found, strict=True):
        for name in test.figures:
            if ablation is not None and not goal.measures[name].by_calling:
                continue
            values = {seed: one[name] for seed, one in by_seed.items()}
            figures.append(_figure(goal.measures[name], test, name, len(examples), values, seeds, before))
    return tuple(figures)


def _figure(
    measure: Measure,
    test: Test,
    name: str,
    count: int,
    measured: Mapping[int, Measured],
    seeds: Seeds,
    before: Sequence[Figure],
) -> Figure:
    values = [one.value for one in measured.values()]
    mean, lowest, highest, per_seed = sum(values) / len(values), min(values), max(values), tuple(values)
    rights = {seed: packed(one.correct.numpy()) for seed, one in measured.items() if one.correct is not None}
    order = seeds.order or (*seeds.kept, *measured)
    count = next(iter(measured.values())).count or count
    same = (figure for figure in before if figure.measures(test, name) and figure.count == count)
    old = next(same, None) if seeds.kept else None
    if old is not None and seeds.before is not None:
        known, right_before = _known(old, seeds.before)
        rights |= {seed: right_before[seed] for seed in seeds.kept if seed in right_before}
        if set(seeds.kept) <= set(known):
            each = {**{seed: known[seed] for seed in seeds.kept}, **{seed: one.value for seed, one in measured.items()}}
            per_seed = tuple(each[seed] for seed in order)
            mean, lowest, highest = sum(per_seed) / len(per_seed), min(per_seed), max(per_seed)
        else:  # all of its seeds are kept
            mean = (old.mean * old.seeds + sum(values)) / (old.seeds + len(values))
            lowest, highest, per_seed = min(old.lowest, lowest), max(old.highest, highest), ()
    if seeds.shipped in measured:
        shipped = measured[seeds.shipped]
        value, right = shipped.value, None if shipped.correct is None else packed(shipped.correct.numpy())
    elif old is not None:
        value, right = old.value, old.right
    every = tuple(rights[seed] for seed in order) if per_seed and set(rights) == set(order) else None
    return Figure(
        name=name, unit=measure.unit, better=measure.better, data=test.data, split=test.split,
        count=count, value=value, mean=mean, lowest=lowest, highest=highest,
        seeds=len(seeds.kept) + len(values), per_seed=per_seed or None, augmentation=test.augmentation,
        draws=test.draws, right=right, right_per_seed=every,
    )  # fmt: skip


def _known(old: Figure, before: Card) -> tuple[dict[int, float], dict[int, str]]:
    """Return the values and the answers of single seeds in a card's figure; the shipped seed is always included."""
    values, rights = {before.seed: old.value}, {before.seed: old.right} if old.right is not None else {}
    listed = [run.seed for run in before.runs]
    if old.per_seed is not None:
        values = dict(zip(listed, old.per_seed, strict=True))
    if old.right_per_seed is not None:
        rights = dict(zip(listed, old.right_per_seed, strict=True))
    return values, rights
