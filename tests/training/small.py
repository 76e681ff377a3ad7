"""A recipe that trains in a second, and a checkpoint of it: for the tests of whatever needs one."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import torch

from attnviz import data, recipes
from attnviz.card import Card
from attnviz.data import Dataset
from attnviz.recipes.paper import Paper, PaperFigure
from attnviz.recipes.recipe import Recipe, Test
from attnviz.training import seeds
from attnviz.training.examples import Examples, on_device
from attnviz.training.loop import Training
from attnviz.training.run_file import RunFile

ABLATED = {"ablations": [{"name": "mean", "of": "attention.mixed"}], "tests": [{"data": "strokes", "count": 30}]}
PICTURES = 300  # of strokes, all ten digits, that there are in these tests


def recipe(model: str = "pixel_attention", **changes: Any) -> Recipe:
    own = {"heads": 1, "head_size": 1} if model == "pixel_attention" else {}
    values = {
        "model": model, "name": "small", "why": "It trains in a second.", "title": "Small",
        "config": {"mean": 0.13, "std": 0.31, **own}, "data": "strokes", "classes": (8, 1), "validation": 0.25,
        "learning_rate": 1e-2, "batch": 16, "epochs": 4, "patience": 4,
        "tests": (Test(data="strokes"), Test(data="strokes", split="train", count=20)),
    }  # fmt: skip
    return Recipe.model_validate({**values, **changes})


def examples(count: int = 64, start: int = 0) -> Examples:
    """Drawn eights (0) and ones (1), in turn."""
    dataset = few("strokes", "train", (8, 1))
    return on_device(Dataset(dataset.images[start : start + count], dataset.labels[start : start + count]), "cpu")


def training(chosen: Recipe, seed: int = 0) -> Training:
    generator = torch.Generator().manual_seed(seed)
    model = seeds.build(chosen, generator)
    return Training(model, chosen, examples(40), examples(15, start=40), generator)


def run_file(chosen: Recipe, **changes: Any) -> RunFile:
    values = {
        "recipe": chosen,
        "seed": 0,
        "device": "cpu",
        "threads": 1,
        "data_digest": "0",
        "command": "attnviz train",
    }
    return RunFile.model_validate({**values, **changes})


def silent(seed: int, event: object) -> None:
    """Report nothing of a training."""


_load = data.load


def few(name: str, split: str = "train", classes: Sequence[int] | None = None, count: int = PICTURES) -> Dataset:
    """Load the first pictures of a data set: to draw all strokes takes longer than to train on a few."""
    return _load(name, split, classes, count=count)


def paper(*checkpoints: str) -> Paper:
    figure = PaperFigure(what="accuracy", value=0.979, where="table 1", checkpoints=checkpoints)
    return Paper(name="small", title="A paper", source="Somebody, 2020", figures=(figure,))


@contextmanager
def place(folder: Path, *chosen: Recipe) -> Iterator[None]:
    """Let runs and checkpoints lie in a folder, data sets be short, these recipes and a paper of theirs be all."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNVIZ_RUNS", str(folder / "runs"))
        patch.setenv("ATTNVIZ_CHECKPOINTS", str(folder / "checkpoints"))
        patch.setattr(data, "load", few)
        for key in reversed(list(recipes.RECIPES)):  # what is taken out last comes back first: the order stays
            patch.delitem(recipes.RECIPES, key)
        for one in chosen or (recipe(),):
            patch.setitem(recipes.RECIPES, one.key, one)
        for name in reversed(list(recipes.PAPERS)):
            patch.delitem(recipes.PAPERS, name)
        patch.setitem(recipes.PAPERS, "small", paper(*recipes.RECIPES))
        try:
            yield
        finally:
            torch.set_num_threads(threads)


@lru_cache
def checkpoint(model: str = "pixel_attention") -> tuple[Card, bytes, bytes]:
    """Train two seeds: the card as it was returned, and the bytes of card.json and weights.safetensors."""
    with tempfile.TemporaryDirectory() as folder, place(Path(folder)):
        card = seeds.train(recipe(model), [0, 1], device="cpu", threads=1, report=silent)
        home = Path(os.environ["ATTNVIZ_CHECKPOINTS"]) / card.name
        return card, (home / "card.json").read_bytes(), (home / "weights.safetensors").read_bytes()


def lay(folder: Path, card: bytes, weights: bytes, name: str = "pixel_attention.small") -> Path:
    """Put a checkpoint's files into a folder of checkpoints; return its own folder."""
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    (home / "card.json").write_bytes(card)
    (home / "weights.safetensors").write_bytes(weights)
    return home
