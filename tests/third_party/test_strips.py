"""A third party's strips of digits through the library: batches of their own, texts as targets, an answer per step."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.third_party.installed import attnviz

NAME = "strip_reader.digits"


@pytest.fixture
def env(third_parties: dict[str, str]) -> dict[str, str]:
    return third_parties


def python(env: dict[str, str], code: str) -> str:
    """Run a piece of code where the package is installed, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_its_card_tells_of_texts_and_of_single_symbols(env: dict[str, str]) -> None:
    card = json.loads((Path(env["ATTNVIZ_CHECKPOINTS"]) / NAME / "card.json").read_text())
    accuracy, symbols = card["figures"]
    assert (accuracy["name"], accuracy["count"], accuracy["seeds"]) == ("accuracy", 96, 2)
    assert 0.1 < accuracy["value"] < symbols["value"] <= 1  # guessing is below a tenth, and a text has several symbols
    assert card["example"] is None
    assert card["config"]["sizes"] == [32, 24]
    for run in card["runs"]:
        assert run["curve"]["validation_loss"][-1] < run["curve"]["validation_loss"][0]
        assert all(1 < steps < 3 for steps in run["curve"]["train_steps"]), "lengths vary within an epoch"
        assert all(0 < share < 1 for share in run["curve"]["tap_zeros of reader.seen"])


def test_a_resumed_run_ends_as_an_undisturbed_one(env: dict[str, str], tmp_path: Path) -> None:
    (home,) = Path(env["ATTNVIZ_RUNS"]).glob(f"{NAME}.0.*")
    again = tmp_path / home.name
    again.mkdir()
    for name in ("run.json", "state-3.safetensors", *(f"weights-{epoch}.safetensors" for epoch in (1, 2, 3))):
        (again / name).write_bytes((home / name).read_bytes())
    lines = (home / "curve.jsonl").read_text().splitlines(keepends=True)
    (again / "curve.jsonl").write_text("".join(lines[:3]))
    other = {**env, "ATTNVIZ_RUNS": str(tmp_path), "ATTNVIZ_CHECKPOINTS": str(tmp_path / "checkpoints")}
    attnviz("train strip_reader --recipe digits --device cpu --threads 1", env=other)
    for name in ("curve.jsonl", "state-4.safetensors", "weights-4.safetensors"):
        assert (again / name).read_bytes() == (home / name).read_bytes()


def test_its_answer_is_shown_and_compared_as_its_data_say(env: dict[str, str]) -> None:
    code = f"""
import torch
from attnviz import data
from attnviz.answers import predicted, probabilities
from attnviz.checkpoints import load
from attnviz.training.examples import as_float, on_device
model, card = load({NAME!r})
right = 0
for batch in data.batches("short_strips", "test", size=32):
    part, its = on_device(batch, "cpu"), data.spec("short_strips")
    logits = model(as_float(part.images))
    assert torch.allclose(probabilities(logits).sum(-1), torch.ones(part.labels.shape))
    words = [(its.target.words(*one, card.classes)) for one in zip(part.labels)]
    answers = [its.target.words(one, card.classes) for one in predicted(logits)]
    assert all(len(word) == batch.images.shape[2] // 28 for word in words + answers)
    right += sum(one == other for one, other in zip(words, answers))
print(right / 96 - card.figures[0].value)
"""
    assert abs(float(python(env, code))) < 1e-9


def test_what_does_not_fit_together_is_one_sentence(env: dict[str, str]) -> None:
    code = """
from attnviz.recipes import RECIPES
from attnviz.recipes.recipe import Augmentation, Test, changed
from attnviz.training import seeds
base = RECIPES["strip_reader.digits"]
for change in (
    {"objective": "classification", "tests": (Test(data="short_strips"),)},
    {"model": "pixel_line", "config": {"mean": 0.1, "std": 0.3}},
    {"validation": 0.2},
    {"augmentation": Augmentation(rotation=10)},
    {"classes": (8, 1)},
):
    try:
        seeds.train(changed(base, **change), [0], device="cpu", threads=1, report=print)
    except Exception as error:
        print(type(error).__name__, error)
"""
    texts = "a target of short_strips is a text"
    reader, line = "one distribution per step", "one distribution"
    does_not_fit = (
        "BadInput The recipe {} contradicts itself: {}, the model {} gives {}, and the objective {} is for {}."
    )
    asks = f"BadInput short_strips yields its pictures in batches, so {NAME} cannot ask for {{}}."
    assert python(env, code).splitlines() == [
        does_not_fit.format(NAME, texts, "strip_reader", reader, "classification", line),
        does_not_fit.format("pixel_line.digits", texts, "pixel_line", line, "each_step", reader),
        asks.format("a share of them as validation part"),
        asks.format("variants of them"),
        asks.format("some of its classes only"),
    ]


def test_nothing_of_attnviz_names_it() -> None:
    for path in (Path(__file__).parents[2] / "attnviz").rglob("*.py"):
        assert not any(name in path.read_text() for name in ("strip_reader", "short_strips", "each_step")), path
