"""From a recipe to a checkpoint: train some seeds, choose by validation, test all of them once, write one card."""

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

import attnviz
from attnviz import cards, checkpoints, data, models
from attnviz.cards import Card, SeedRun
from attnviz.errors import BadInput, CheckpointError, RunError
from attnviz.recipes import Recipe
from attnviz.training import evaluations, measuring
from attnviz.training.configs import class_names, config_of
from attnviz.training.events import Epoch, Resumed, Step
from attnviz.training.examples import Examples, on_device
from attnviz.training.loop import Training
from attnviz.training.objectives import objective
from attnviz.training.run import Run
from attnviz.training.runs import RunFile

SPLIT_SEED = 0  # all seeds share one validation part and its variants, so that their losses can be compared

Report = Callable[[int, Step | Epoch | Resumed], None]


@dataclass(frozen=True)
class Trained:
    """One seed's result: the run as the card tells it, the weights it keeps, and the seconds it took."""

    run: SeedRun
    weights: dict[str, Tensor]
    seconds: float


def train(
    recipe: Recipe, seeds: Sequence[int], *, device: str = "auto", threads: int | None = None, report: Report
) -> Card:
    """Train or go on with each seed, ship one that was chosen by validation, and test all of them once.

    Seeds that the checkpoint has already and that are not named here stay on its card, with their figures.

    Args:
        recipe: what to train.
        seeds: which. Of all on the card the one with the best watched figure is shipped, or the lowest where there is
            no validation part.
        device: "auto" (CUDA if there is one), "cpu" or "cuda".
        threads: of the CPU; by default as many as torch takes.
        report: is told every step and epoch, with the seed.

    Returns:
        The card, which is written, with the weights, under `checkpoints/`.

    Raises:
        BadInput, UnknownName: no such device, or a recipe that does not fit its model or its objective.
        DataError: the recipe's data are not here.
        RunError, CheckpointError: something cannot be written, or the seeds that are there were trained otherwise.
    """
    device = device_of(device)
    if threads is not None and threads < 1:
        raise BadInput(f"There must be at least one thread, not {threads}.")
    goal = objective(recipe)
    evaluations.check(recipe)
    dataset = data.load(recipe.data, "train", classes=recipe.classes)
    everything = on_device(dataset, device)
    digest = data.digest(dataset)
    before = _before(recipe, seeds, digest)
    earlier = [run for run in before.runs if run.seed not in seeds] if before else []
    shipped_before = checkpoints.load(recipe.key).model.state_dict() if earlier else {}
    command = command_of(recipe, [*(run.seed for run in earlier), *seeds])
    trained, used = [], []
    for seed in seeds:
        info = RunFile(
            recipe=recipe, seed=seed, device=device, threads=threads or torch.get_num_threads(),
            data_digest=digest, command=command,
        )  # fmt: skip
        run = Run(info)
        torch.set_num_threads(run.info.threads)
        trained.append(_train_seed(run, everything, device, report))
        used.append(run.info.threads)
    runs = (*earlier, *(result.run for result in trained))
    shipped = _shipped(recipe, runs, goal.measures[recipe.watch].better == "higher")
    model = build(recipe).to(device)
    stored = {result.run.seed: checkpoints.stored(model, result.weights, recipe.weights) for result in trained}
    weights = stored.get(shipped.seed) or checkpoints.stored(model, shipped_before, recipe.weights)
    several = measuring.Seeds(stored, shipped.seed, [run.seed for run in earlier], before if earlier else None)
    figures, ablations = measuring.measured(recipe, several, model, everything)
    model.load_state_dict(weights)
    card = Card(
        name=recipe.key,
        recipe=recipe,
        config=config_of(recipe),
        classes=class_names(recipe),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        data_digest=digest,
        weights_digest=checkpoints.digest(checkpoints.encode(weights)),
        seed=shipped.seed,
        runs=runs,
        figures=figures,
        ablations=ablations,
        example=measuring.example(model.cpu().eval(), recipe),
        seconds=round((before.seconds if before and earlier else 0) + sum(result.seconds for result in trained), 1),
        device=device if device == "cpu" else torch.cuda.get_device_name(),
        threads=max(used),
        versions={
            "attnviz": attnviz.__version__, "python": platform.python_version(),
            "torch": torch.__version__, "numpy": np.__version__,
        },
        command=command,
    )  # fmt: skip
    checkpoints.save(weights, card)
    return card


def command_of(recipe: Recipe, seeds: Sequence[int]) -> str:
    """Return the command that trains these seeds of a recipe: "python -m attnviz train ... --seeds 0-2,5".

    Args:
        recipe: which.
        seeds: in any order.

    Returns:
        The command, with runs of seeds as ranges.
    """
    ends: list[list[int]] = []
    for seed in sorted(seeds):
        if ends and seed == ends[-1][1] + 1:
            ends[-1][1] = seed
        else:
            ends.append([seed, seed])
    said = ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ends)
    return f"python -m attnviz train {recipe.model} --recipe {recipe.name} --seeds {said}"


def split(count: int, recipe: Recipe) -> tuple[Tensor, Tensor]:
    """Return which pictures are held out to choose weights by, and which are trained on.

    Args:
        count: of the recipe's pictures, all classes it knows in the order of the data set.
        recipe: says which share is held out, if any; every seed holds out the same pictures. None are, where the data
            set has a validation part of its own.

    Returns:
        Two int64 tensors of places in 0..count - 1 that share none: (held out,) and (trained on,).
    """
    if recipe.validation is None or recipe.validation == "validation":
        return torch.arange(0), torch.arange(count)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(SPLIT_SEED))
    held_out = max(1, round(count * recipe.validation))
    return order[:held_out], order[held_out:]


def device_of(word: str) -> str:
    """Return "cpu" or "cuda" for "auto", "cpu" or "cuda".

    Args:
        word: from the command line.

    Returns:
        "cuda" for "auto" where there is a CUDA device.

    Raises:
        BadInput: another word, or CUDA where there is none.
    """
    if word not in ("auto", "cpu", "cuda"):
        raise BadInput(f"The device must be auto, cpu or cuda, not {word!r}.")
    if word == "cuda" and not torch.cuda.is_available():
        raise BadInput("There is no CUDA device here. Use --device cpu, or auto.")
    return "cuda" if word != "cpu" and torch.cuda.is_available() else "cpu"


def build(recipe: Recipe, generator: torch.Generator | None = None) -> nn.Module:
    """Build the recipe's model with fresh weights.

    Args:
        recipe: names the model and holds its config.
        generator: of the initial weights; None for torch's own.

    Returns:
        The model, on the CPU.

    Raises:
        BadInput: the config does not fit the model.
        UnknownName: there is no such model.
    """
    return models.spec(recipe.model).build(config_of(recipe), generator)


def _before(recipe: Recipe, seeds: Sequence[int], digest: str) -> Card | None:
    """Return the card that is there already, if any.

    Raises:
        RunError: seeds of it would be kept, but they cannot stand beside those that are asked for.
    """
    if recipe.key not in cards.names() or cards.is_kept(recipe.key):
        return None
    try:
        card = cards.read(recipe.key)
    except CheckpointError:
        return None  # it says itself that it should be trained again
    kept = [run.seed for run in card.runs if run.seed not in seeds]
    others = {
        "another recipe": not card.recipe.trains_like(recipe),
        "other data": card.data_digest != digest,
        "no figures per seed, so that a single one cannot be replaced": len(kept) < len(card.runs)
        and any(figure.per_seed is None for figure in card.figures),
    }
    for why, holds in others.items():
        if kept and holds:
            every = command_of(recipe, [run.seed for run in card.runs]).rpartition(" ")[2]
            raise RunError(
                f"The checkpoint {recipe.key} has the seeds {every} with {why}. Train all of them again with "
                f"--seeds {every}, or remove {cards.folder() / recipe.key} first."
            )
    return card


def _train_seed(run: Run, everything: Examples, device: str, report: Report) -> Trained:
    recipe, seed = run.info.recipe, run.info.seed
    held_out, train = (everything[part.to(device)] for part in split(len(everything), recipe))
    if recipe.validation == "validation":
        held_out = on_device(data.load(recipe.data, "validation", classes=recipe.classes), device)
    if recipe.augmentation is not None and recipe.augment == "beside" and len(held_out):
        held_out += held_out.variants(recipe.augmentation, torch.Generator().manual_seed(SPLIT_SEED))
    validation = held_out if len(held_out) else None
    generator = torch.Generator().manual_seed(seed)
    training = Training(build(recipe, generator).to(device), recipe, train, validation, generator)
    for event in run.train(training):
        report(seed, event)
    epochs = run.curve()
    curve = {name: tuple(epoch.values[name] for epoch in epochs) for name in epochs[0].values}
    result = SeedRun(seed=seed, epoch=training.kept_epoch, curve=curve)
    return Trained(result, {name: tensor.cpu() for name, tensor in training.kept.items()}, run.seconds())


def _shipped(recipe: Recipe, runs: Sequence[SeedRun], higher: bool) -> SeedRun:
    """Return the run that is shipped: the best on the validation part, else the lowest seed."""
    if recipe.validation is None:
        return min(runs, key=lambda run: run.seed)
    watched = {run.seed: run.kept(f"validation_{recipe.watch}") or 0.0 for run in runs}
    return min(runs, key=lambda run: -watched[run.seed] if higher else watched[run.seed])
