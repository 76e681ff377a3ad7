"""From a recipe to a checkpoint: train some seeds, choose by validation, test all of them once, write one card."""

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

import attnviz
from attnviz import checkpoints, data, models
from attnviz.cards import Card, Example, Figure, SeedRun, packed
from attnviz.data import strokes
from attnviz.errors import BadInput
from attnviz.recipes import Recipe
from attnviz.recipes.recipe import Test
from attnviz.training.loop import Epoch, Examples, Step, Training, answers, as_float, chosen
from attnviz.training.runs import Run, RunFile

SPLIT_SEED = 0  # all seeds share one validation part and its variants, so that their losses can be compared
EXAMPLE_SEED, EXAMPLES = 20, 20

Report = Callable[[int, Step | Epoch], None]


@dataclass(frozen=True)
class Trained:
    """One seed's result: the run as the card tells it, the weights of its best epoch, and the seconds it took."""

    run: SeedRun
    weights: dict[str, Tensor]
    seconds: float


def train(
    recipe: Recipe, seeds: Sequence[int], *, device: str = "auto", threads: int | None = None, report: Report
) -> Card:
    """Train or go on with each seed, ship the one with the smallest validation loss, and test all of them once.

    Args:
        recipe: what to train.
        seeds: which.
        device: "auto" (CUDA if there is one), "cpu" or "cuda".
        threads: of the CPU; by default as many as torch takes.
        report: is told every step and epoch, with the seed.

    Returns:
        The card, which is written, with the weights, under `checkpoints/`.

    Raises:
        BadInput: no such device.
        DataError: the recipe's data are not here.
        RunError, CheckpointError: something cannot be written.
    """
    device = device_of(device)
    if threads is not None and threads < 1:
        raise BadInput(f"There must be at least one thread, not {threads}.")
    dataset = data.load(recipe.data, "train", classes=recipe.classes)
    everything = on_device(dataset, device)
    digest = data.digest(dataset)
    wanted = f"{min(seeds)}-{max(seeds)}" if len(seeds) > 1 else f"{seeds[0]}"
    command = f"python -m attnviz train {recipe.model} --recipe {recipe.name} --seeds {wanted}"
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
    best = min(trained, key=lambda result: result.run.validation_loss)
    model = build(recipe)
    model.load_state_dict(best.weights)
    card = Card(
        name=recipe.key,
        recipe=recipe,
        config=config_of(recipe),
        classes=class_names(recipe),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        data_digest=digest,
        weights_digest=checkpoints.digest(checkpoints.encode(best.weights)),
        seed=best.run.seed,
        runs=tuple(result.run for result in trained),
        figures=tuple(_figure(recipe, test, trained, best, device) for test in recipe.tests),
        example=example(model.eval(), recipe),
        seconds=round(sum(result.seconds for result in trained), 1),
        device=device if device == "cpu" else torch.cuda.get_device_name(),
        threads=max(used),
        versions={
            "attnviz": attnviz.__version__, "python": platform.python_version(),
            "torch": torch.__version__, "numpy": np.__version__,
        },
        command=command,
    )  # fmt: skip
    checkpoints.save(best.weights, card)
    return card


def evaluate(model: nn.Module, recipe: Recipe, test: Test, device: str = "cpu") -> tuple[float, int]:
    """Return a model's accuracy (0..1) on one of its recipe's tests, and on how many pictures."""
    found = right(model, test_examples(recipe, test, device))
    return float(found.double().mean()), len(found)


def right(model: nn.Module, examples: Examples) -> Tensor:
    """Return which examples a model answers rightly, bool (count,), on the CPU."""
    return (chosen(answers(model.to(examples.labels.device), examples)) == examples.labels).cpu()


def test_examples(recipe: Recipe, test: Test, device: str = "cpu") -> Examples:
    """Return the pictures of a test: those of the recipe's classes, the first `count` of them, or their variants."""
    dataset = data.load(test.data, test.split, classes=recipe.classes)
    examples = on_device(data.Dataset(dataset.images[: test.count], dataset.labels[: test.count]), device)
    if test.augmentation is None:
        return examples
    drawn = [examples.variants(test.augmentation, torch.Generator().manual_seed(seed)) for seed in range(test.draws)]
    return Examples(torch.cat([part.images for part in drawn]), torch.cat([part.labels for part in drawn]))


def example(model: nn.Module, recipe: Recipe) -> Example:
    """Return what a model says of twenty drawn digits of its classes."""
    digits = tuple(recipe.classes[i % len(recipe.classes)] for i in range(EXAMPLES))
    with torch.no_grad():
        logits = model(example_images(digits, EXAMPLE_SEED)).tolist()
    rows = tuple(tuple(row) for row in logits)
    return Example(version=strokes.VERSION, seed=EXAMPLE_SEED, digits=digits, logits=rows)


def example_images(digits: Sequence[int], seed: int) -> Tensor:
    """Return drawn digits as a model takes them: float (digit, 1, row, column)."""
    return as_float(torch.from_numpy(strokes.draw(np.asarray(digits), seed=seed)).permute(0, 3, 1, 2))


def split(count: int, recipe: Recipe) -> tuple[Tensor, Tensor]:
    """Return the places of the pictures that weights are chosen by, and of those that are trained on.

    Args:
        count: of the recipe's pictures, all classes it knows in the order of the data set.
        recipe: says which share is held out; every seed holds out the same pictures.
    """
    order = torch.randperm(count, generator=torch.Generator().manual_seed(SPLIT_SEED))
    held_out = max(1, round(count * recipe.validation))
    return order[:held_out], order[held_out:]


def device_of(word: str) -> str:
    """Return "cpu" or "cuda" for "auto", "cpu" or "cuda".

    Raises:
        BadInput: another word, or CUDA where there is none.
    """
    if word not in ("auto", "cpu", "cuda"):
        raise BadInput(f"The device must be auto, cpu or cuda, not {word!r}.")
    if word == "cuda" and not torch.cuda.is_available():
        raise BadInput("There is no CUDA device here. Use --device cpu, or auto.")
    return "cuda" if word != "cpu" and torch.cuda.is_available() else "cpu"


def build(recipe: Recipe, generator: torch.Generator | None = None) -> nn.Module:
    """Build the recipe's model with fresh weights."""
    return models.spec(recipe.model).build(config_of(recipe), generator)


def config_of(recipe: Recipe) -> dict[str, object]:
    """Return the model's config in full: the recipe's, and the names of its classes."""
    return {"classes": class_names(recipe), **recipe.config}


def class_names(recipe: Recipe) -> tuple[str, ...]:
    """Return the names of the recipe's classes, in the order of the logits."""
    return tuple(data.DATASETS[recipe.data].classes[label] for label in recipe.classes)


def on_device(dataset: data.Dataset, device: str) -> Examples:
    """Put a data set on the device as it is, in 8 bit."""
    images = torch.tensor(dataset.images.transpose(0, 3, 1, 2))  # a copy: the data set may be a file
    return Examples(images.contiguous().to(device), torch.tensor(dataset.labels).to(device))


def _train_seed(run: Run, everything: Examples, device: str, report: Report) -> Trained:
    recipe, seed = run.info.recipe, run.info.seed
    validation, train = (
        Examples(everything.images[part], everything.labels[part])
        for part in (part.to(device) for part in split(len(everything), recipe))
    )
    if recipe.augmentation is not None:
        validation += validation.variants(recipe.augmentation, torch.Generator().manual_seed(SPLIT_SEED))
    generator = torch.Generator().manual_seed(seed)
    training = Training(build(recipe, generator).to(device), recipe, train, validation, generator)
    for event in run.train(training):
        report(seed, event)
    curve = tuple((e.train_loss, e.validation_loss, e.validation_accuracy) for e in run.curve())
    result = SeedRun(seed=seed, best_epoch=training.best_epoch, validation_loss=training.best_loss, curve=curve)
    return Trained(result, {name: tensor.cpu() for name, tensor in training.best.items()}, run.seconds())


def _figure(recipe: Recipe, test: Test, trained: Sequence[Trained], best: Trained, device: str) -> Figure:
    examples, model = test_examples(recipe, test, device), build(recipe)
    rights = []
    for result in trained:
        model.load_state_dict(result.weights)
        rights.append(right(model, examples))
    values = [float(found.double().mean()) for found in rights]
    shipped = trained.index(best)
    return Figure(
        name="accuracy", data=test.data, split=test.split, count=len(examples), value=values[shipped],
        mean=sum(values) / len(values), lowest=min(values), highest=max(values), seeds=len(values),
        augmentation=test.augmentation, draws=test.draws, right=packed(rights[shipped].numpy()),
    )  # fmt: skip
