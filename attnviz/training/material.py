"""From a recipe to the pictures and targets that it trains on and chooses by."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz import data
from attnviz.data import streams
from attnviz.errors import BadInput
from attnviz.recipes import Recipe
from attnviz.training.examples import Examples, ExampleSet, Stream, TrainingSet, on_device, streamed

SPLIT_SEED = 0  # all seeds share one validation part and its variants, so that their losses can be compared


@dataclass(frozen=True)
class Material:
    """The whole training part of a recipe's data, on the device, and its sha256."""

    recipe: Recipe
    everything: TrainingSet
    digest: str

    def parts(self) -> tuple[TrainingSet, ExampleSet | None]:
        """Return the training part and the validation part, if there is one: the same for all seeds."""
        recipe, everything = self.recipe, self.everything
        if not isinstance(everything, Examples):
            if recipe.validation is None:
                return everything, None
            return everything, streamed(recipe.data, "validation", recipe.batch, str(everything.device))
        held_out, train = (everything[part.to(everything.device)] for part in split(len(everything), recipe))
        if recipe.validation == "validation":
            held_out = on_device(data.load(recipe.data, "validation", classes=recipe.classes), str(everything.device))
        if recipe.augmentation is not None and recipe.augment == "beside" and len(held_out):
            held_out += held_out.variants(recipe.augmentation, torch.Generator().manual_seed(SPLIT_SEED))
        return train, held_out if len(held_out) else None


def material(recipe: Recipe, device: str) -> Material:
    """Return a recipe's training part."""
    its = data.spec(recipe.data)
    if its.batches is None:
        dataset = data.load(recipe.data, "train", classes=recipe.classes)
        return Material(recipe, on_device(dataset, device), data.digest(dataset))
    for word, asked in {
        "a share of them as validation part": isinstance(recipe.validation, float),
        "variants of them": recipe.augmentation is not None,
        "some of its classes only": recipe.classes != tuple(range(len(its.classes))),
    }.items():
        if asked:
            raise BadInput(f"{its.name} hands out its pictures in batches, so {recipe.key} cannot ask for {word}.")
    return Material(recipe, Stream(its.name, recipe.batch, device), streams.digest(its.name, "train", recipe.batch))


def split(count: int, recipe: Recipe) -> tuple[Tensor, Tensor]:
    """Return the places of the pictures that are held out to choose weights by, the same for every seed, and of those
    that are trained on: int64. None are held out where the data set has a validation part of its own.
    """
    if recipe.validation is None or recipe.validation == "validation":
        return torch.arange(0), torch.arange(count)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(SPLIT_SEED))
    held_out = max(1, round(count * recipe.validation))
    return order[:held_out], order[held_out:]
