"""Differences between two recipes besides the one under comparison: their data, variants, budget and settings."""

from typing import Any

from attnviz.recipes.recipe import Augmentation, Recipe

_TRAINING = {
    "data": "data",
    "classes": "classes",
    "validation": "validation part",
    "augmentation": "variants",
    "augment": "variants stand",
    "epochs": "epochs",
    "patience": "epochs without gain",
    "batch": "batch",
    "watch": "figure watched",
    "optimiser": "optimiser",
    "momentum": "momentum",
    "nesterov": "Nesterov's momentum",
    "betas": "betas",
    "eps": "epsilon",
    "learning_rate": "learning rate",
    "schedule": "schedule",
    "rise": "share of the steps that rise",
    "plateau": "what counts as a plateau",
    "clip": "gradients clipped at",
    "weight_decay": "weight decay",
    "groups": "groups of parameters",
    "objective": "objective",
    "objective_config": "objective's settings",
    "keep": "weights kept",
    "precision": "precision",
}  # field of a recipe -> its name; the first six are data, variants and budget
_OF_BOTH = {
    "nesterov": ("optimiser", ("sgd",)),
    "betas": ("optimiser", ("adam", "adamw")),
    "eps": ("optimiser", ("adam", "adamw")),
    "rise": ("schedule", ("cosine", "trapezoid", "one_cycle")),
    "plateau": ("schedule", ("plateau",)),
}  # fields that matter only for certain values of another field, compared if both recipes have the same value there
BUDGET = ("data", "classes", "validation", "augmentation", "augment", "epochs")


def differences(one: Recipe, other: Recipe) -> dict[str, str]:
    """Return the differences between two trainings in data, variants, budget and settings: field of the recipe -> text,
    with the value of `one` first: {"epochs": "epochs 150 against 50"}.

    Of the networks only the kind is compared ("model"), or the named options of two networks of the same kind
    ("config").
    """
    kinds = f"another kind of network, {one.model} against {other.model}"
    found = {"model": kinds} if one.model != other.model else {}
    for field, title in _TRAINING.items():
        if field in _OF_BOTH and not _is_used(one, other, *_OF_BOTH[field]):
            continue
        values = [_value(recipe, field) for recipe in (one, other)]
        if values[0] != values[1] and not (field == "augment" and None in (one.augmentation, other.augmentation)):
            found[field] = f"{title} {_text(values[0])} against {_text(values[1])}" if _short(values) else title
    if one.model == other.model:
        options = [name for name in {**one.config, **other.config} if one.config.get(name) != other.config.get(name)]
        if options:
            found["config"] = f"in the network: {', '.join(options)}"
    return found


def _is_used(one: Recipe, other: Recipe, field: str, by: tuple[str, ...]) -> bool:
    return getattr(one, field) == getattr(other, field) and getattr(one, field) in by


def _value(recipe: Recipe, field: str) -> Any:
    if field == "watch" and recipe.keep != "best" and recipe.patience is None and recipe.schedule != "plateau":
        return None  # it has no effect
    if field == "patience" and recipe.patience is not None and recipe.patience >= recipe.epochs:
        return None  # training never stops early
    return getattr(recipe, field)


def _short(values: list[Any]) -> bool:
    return all(value is None or isinstance(value, str | int | float | Augmentation) for value in values)


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Augmentation):
        return " and ".join(_kinds(value)) or "unchanged"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def _kinds(variants: Augmentation) -> list[str]:
    """Return a short description of the variants: "rotated by up to 10 degrees", "nearest sampling"."""
    kinds = [f"rotated by up to {variants.rotation:g} degrees"] if variants.rotation else []
    kinds += ["shifted"] if variants.shift else []
    kinds += ["stretched"] if variants.stretch != (1.0, 1.0) else []
    kinds += ["noisy"] if variants.noise else []
    kinds += ["mirrored"] if variants.mirror else []
    kinds += ["cropped"] if variants.crop else []
    kinds += ["drawn with thinner and bolder pens"] if any(variants.pen) else []
    return [*kinds, f"{' or '.join(variants.sampling)} sampling"] if variants.sampling != ("bilinear",) else kinds
