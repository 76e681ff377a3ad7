"""Make a checkpoint from a recipe: train some seeds, choose by validation, test each once, and write one card."""

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnviz import cards, checkpoints, devices, models
from attnviz.card import Card, SeedRun
from attnviz.errors import CheckpointError, RunError
from attnviz.recipes import Recipe
from attnviz.training import evaluations, measuring, run_file, stopping
from attnviz.training.durations import Duration, core_seconds
from attnviz.training.examples import Material, material
from attnviz.training.loop import Training
from attnviz.training.objectives import Objective, objective
from attnviz.training.progress import Epoch, Resumed, Step
from attnviz.training.run import Run
from attnviz.training.run_file import RunFile
from attnviz.training.together import ALONE, Alone, following
from attnviz.version import VERSION

Report = Callable[[int, Step | Epoch | Resumed], None]


@dataclass(frozen=True)
class Trained:
    """The result of a seed: its run for the card, the kept weights, the durations of its epochs, and its threads."""

    run: SeedRun
    weights: dict[str, Tensor]
    took: list[Duration]
    threads: int


@dataclass(frozen=True)
class _Job:
    """The inputs shared by the trainings of all seeds."""

    given: Material
    goal: Objective
    device: str
    threads: int
    report: Report
    together: Alone
    until: stopping.Until | None = None


def train(
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    device: str = "auto",
    threads: int | None = None,
    report: Report,
    goal: Objective | None = None,
    together: Alone = ALONE,
) -> Card:
    """Train or resume each seed, choose by validation which one to ship, test each once, write the card and the weights
    under `checkpoints/`, and return the card.

    Seeds that are already on the card and not named here stay on it, with their figures. Of all seeds on the card, the
    one with the best watched figure is shipped, or the lowest if there is no validation part. Of the processes that
    train `together`, the first tests and writes.

    Args:
        device: "auto" (CUDA if there is one), "cpu" or "cuda".
        threads: the number of CPU threads; by default, torch's.
        goal: the recipe's objective; by default it is built here.

    Raises:
        BadInput, UnknownName: there is no such device, or the recipe's data, model and objective contradict each other.
        DataError: the recipe's data are missing.
        RunError, CheckpointError: a file cannot be written, or existing seeds were trained with other settings, or the
            weights of the best seed are not in the checkpoint.
    """
    job = _job(recipe, device, threads, report, goal, together, None)
    given, goal, device = job.given, job.goal, job.device
    before = None
    if together.first:
        with checkpoints.writing(recipe.key):  # raises an error about a read-only folder before the training
            before = _before(recipe, seeds, given.digest)
    kept = [run.seed for run in before.runs if run.seed not in seeds] if before else []
    command = together.command(command_of(recipe, [*kept, *seeds]))
    trained = [found for seed in seeds if (found := _train_seed(job, seed, command)) is not None]

    def shipped_card() -> Card:
        with checkpoints.writing(recipe.key):  # another process may train other seeds of the recipe meanwhile
            return written_card()

    def written_card() -> Card:
        before = _before(recipe, seeds, given.digest)
        earlier = [run for run in before.runs if run.seed not in seeds] if before else []
        command = together.command(command_of(recipe, [*(run.seed for run in earlier), *seeds]))
        runs = (*earlier, *(result.run for result in trained))
        shipped = _shipped(recipe, runs, goal.measures[recipe.watch].better == "higher")
        model = build(recipe).to(device)
        stored = {result.run.seed: checkpoints.stored(model, result.weights, recipe.weights) for result in trained}
        weights = stored.get(shipped.seed)
        if weights is None:
            if before is None or shipped.seed != before.seed:  # the weights of other earlier seeds are not kept
                every = command_of(recipe, [run.seed for run in runs]).rpartition(" ")[2]
                raise RunError(
                    f"Of the seeds {every}, {shipped.seed} is now the best on validation data, but the checkpoint does "
                    f"not hold its weights. Train it again, too: --seeds {every}. Runs that are there are not repeated."
                )
            if cards.has_weights(recipe.key):
                weights = checkpoints.stored(model, checkpoints.load(recipe.key).model.state_dict(), recipe.weights)
        several = measuring.Seeds(stored, shipped.seed, [run.seed for run in earlier], before if earlier else None)
        figures, ablations = measuring.measured(recipe, several, model, given.everything, goal)
        card = Card(
            name=recipe.key,
            **(_as_before(recipe, before) if weights is None else described(recipe, model, weights)),
            data_digest=given.digest,
            seed=shipped.seed,
            runs=runs,
            figures=figures,
            ablations=ablations,
            **_durations(before, len(earlier), trained, device == "cpu" and together.count == 1),
            command=command,
            **_made_with(device, [result.threads for result in trained]),
        )
        checkpoints.save(weights, card)
        return card

    return together.shared(shipped_card)


def train_runs(
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    device: str = "auto",
    threads: int | None = None,
    report: Report,
    goal: Objective | None = None,
    command: str,
    minutes: float | None = None,
    more: int | None = None,
    together: Alone = ALONE,
) -> None:
    """Train or resume the run of each seed, as `train` does, without writing a checkpoint.

    After `minutes` minutes or `more` epochs it ends with Terminated, as after SIGTERM; the runs hold what was saved.
    """
    until = stopping.Until(None if minutes is None else time.monotonic() + 60 * minutes, more)
    job = _job(recipe, device, threads, report, goal, together, until)
    for seed in seeds:
        _train_seed(job, seed, together.command(command), needed=False)


def _job(
    recipe: Recipe,
    device: str,
    threads: int | None,
    report: Report,
    goal: Objective | None,
    together: Alone,
    until: stopping.Until | None,
) -> _Job:
    """Check the recipe and the device, and load the data."""
    device = devices.device_of(device)
    devices.same_each_time(device)
    if threads is not None:
        devices.check_threads(threads)
    goal = goal or objective(recipe)
    evaluations.check(recipe)
    run_file.check(recipe, goal.per_step)
    return _Job(material(recipe, device), goal, device, threads or torch.get_num_threads(), report, together, until)


def described(recipe: Recipe, model: nn.Module, weights: dict[str, Tensor]) -> dict[str, Any]:
    """Return the fields of `Card` for a model and its stored weights: recipe, config, classes, parameters,
    weights_digest and example. Afterwards, the model has these weights, on the CPU and in evaluation mode.
    """
    model.load_state_dict(weights)
    return {
        "recipe": recipe,
        "config": run_file.config_of(recipe),
        "classes": run_file.class_names(recipe),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "weights_digest": checkpoints.digest(checkpoints.encode(weights)),
        "example": measuring.example(model.cpu().eval(), recipe),
    }


def _as_before(recipe: Recipe, card: Card | None) -> dict[str, Any]:
    """Return the fields of `described` of a card that came without weights, if the shipped seed stays the same."""
    kept = ("config", "classes", "parameters", "weights_digest", "example")
    return {"recipe": recipe, **{field: getattr(card, field) for field in kept}}


def command_of(recipe: Recipe, seeds: Sequence[int]) -> str:
    """Return the command that trains seeds of a recipe, with ranges: "python -m attnviz train ... --seeds 0-2,5"."""
    ends: list[list[int]] = []
    for seed in sorted(seeds):
        if ends and seed == ends[-1][1] + 1:
            ends[-1][1] = seed
        else:
            ends.append([seed, seed])
    ranges = ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ends)
    return f"python -m attnviz train {recipe.model} --recipe {recipe.name} --seeds {ranges}"


def build(recipe: Recipe, generator: torch.Generator | None = None) -> nn.Module:
    """Build the recipe's model with fresh weights, on the CPU, by default from torch's generator. BadInput,
    UnknownName: the config does not fit the model, or there is no such model.
    """
    return models.spec(recipe.model).build(run_file.config_of(recipe), generator)


def _before(recipe: Recipe, seeds: Sequence[int], digest: str) -> Card | None:
    """Return the existing card, if any."""
    if recipe.key not in cards.names() or cards.is_kept(recipe.key):
        return None
    try:
        card = cards.read(recipe.key)
    except CheckpointError:
        return None  # its own error message says to train it again
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


def _train_seed(job: _Job, seed: int, command: str, *, needed: bool = True) -> Trained | None:
    """Train a seed; return its result in the first process, which has the run.

    If the result is not needed, a finished run without a state is left unchanged.
    """
    recipe, together = job.given.recipe, job.together
    info = RunFile(
        recipe=recipe, seed=seed, device=job.device, threads=job.threads, data_digest=job.given.digest, command=command,
        processes=together.count,
    )  # fmt: skip
    run = Run(info) if together.first else None
    found = together.shared(lambda: run.info if run else info)
    found.check(info, "The first process trains a run")
    if not needed and together.shared(lambda: run is not None and run.is_closed):
        job.report(seed, Resumed(len(run.curve()) if run else recipe.epochs, True))
        return None
    torch.set_num_threads(found.threads)
    train, validation = job.given.parts()
    generator = torch.Generator().manual_seed(seed)
    model = build(recipe, generator).to(job.device)
    training = Training(model, recipe, train, validation, generator, job.goal, together)
    if run is None:
        with following():
            for _ in training.run():
                pass
        return None
    for event in stopping.heeding(run.train(training), job.until):
        job.report(seed, event)
    epochs = run.curve()
    curve = {name: tuple(epoch.values[name] for epoch in epochs) for name in epochs[0].values}
    result = SeedRun(seed=seed, epoch=training.kept_epoch, curve=curve)
    weights = {name: tensor.cpu() for name, tensor in training.kept.items()}
    return Trained(result, weights, run.durations(), run.info.threads)


def _durations(before: Card | None, kept: int, trained: Sequence[Trained], counted: bool) -> dict[str, Any]:
    """Return the durations of trainings for a card.

    The number of earlier trainings is `kept`. They are assumed to have had equal durations and, if the card lacks their
    core-seconds, the same core-seconds as the new ones. Core-seconds are `counted` if this process did all the
    computing.
    """
    took = [one for result in trained for one in result.took]
    computed = core_seconds(took) if counted else None
    seconds = sum(one.seconds for one in took)
    if before is not None and kept:
        stays = kept / len(before.runs)
        seconds += stays * before.seconds
        if computed is not None:
            known = before.core_seconds
            computed += computed / len(trained) * kept if known is None else stays * known
    return {"seconds": round(seconds, 1), "core_seconds": None if computed is None else round(computed, 1)}


def _made_with(device: str, threads: Sequence[int]) -> dict[str, Any]:
    """Return the device, threads and versions for a card."""
    return {
        "device": device if device == "cpu" else torch.cuda.get_device_name(),
        "threads": max(threads),
        "versions": {
            "attnviz": VERSION, "python": platform.python_version(),
            "torch": torch.__version__, "numpy": np.__version__,
        },
    }  # fmt: skip


def _shipped(recipe: Recipe, runs: Sequence[SeedRun], higher: bool) -> SeedRun:
    """Return the run to ship: the best on the validation part, or else the lowest seed."""
    if recipe.validation is None:
        return min(runs, key=lambda run: run.seed)
    watched = {run.seed: run.kept(f"validation_{recipe.watch}") or 0.0 for run in runs}
    return min(runs, key=lambda run: -watched[run.seed] if higher else watched[run.seed])
