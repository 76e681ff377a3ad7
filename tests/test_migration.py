"""Cards of an earlier version brought up to date, attnviz/migration.py."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import attnviz
from attnviz import cards, migration
from attnviz.card import Card
from attnviz.data import strokes
from attnviz.errors import CheckpointError
from attnviz.recipes import RECIPES
from tests.training import small

# name -> of the cards as they were before the migration: the digests of the weights' file, of the figures, of the
# example's logits, and of every seed's best epoch and curve
BEFORE: dict[str, list[str]] = json.loads(Path(__file__).with_name("cards_before.json").read_text())
CHECKPOINTS = Path(cards.__file__).parents[1] / "checkpoints"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _json(value: Any) -> str:
    return _digest(json.dumps(value, sort_keys=True).encode())


def _old_figure(figure: dict[str, Any]) -> dict[str, Any]:
    """A figure's fields as they were."""
    new = {"unit", "better", "per_seed", "right_per_seed"}
    old = {name: value for name, value in figure.items() if name not in new}
    if old["augmentation"]:
        later = {"mirror", "crop", "pen"}
        old["augmentation"] = {name: value for name, value in old["augmentation"].items() if name not in later}
    return old


def _old_runs(card: dict[str, Any]) -> list[list[Any]]:
    return [
        [run["seed"], run["epoch"], [list(row) for row in zip(*run["curve"].values(), strict=True)]]
        for run in card["runs"]
    ]


@pytest.mark.parametrize("name", BEFORE)
def test_a_card_that_was_not_trained_again_says_what_it_said_before_to_the_bit(name):
    card = json.loads((CHECKPOINTS / name / "card.json").read_text())
    assert [
        _digest((CHECKPOINTS / name / "weights.safetensors").read_bytes()),
        _json([_old_figure(figure) for figure in card["figures"]]),
        _json(card["example"]["logits"]),
        _json(_old_runs(card)),
    ] == BEFORE[name]


def _old(card: Card) -> dict[str, Any]:
    """What version 0.1 wrote of such a card."""
    fields = card.model_dump(mode="json")
    del fields["ablations"]
    new = {"objective", "objective_config", "augment", "momentum", "nesterov", "betas", "eps", "weight_decay", "groups"}
    new |= {"rise", "plateau", "accumulate", "precision", "watch", "keep", "weights", "probes", "ablations"}
    fields["recipe"] = {k: v for k, v in fields["recipe"].items() if k not in new} | {"loss": "cross_entropy"}
    for test in fields["recipe"]["tests"]:
        del test["figures"]
    fields["figures"] = [_old_figure(figure) for figure in fields["figures"]]
    fields["runs"] = [
        {"seed": seed, "best_epoch": epoch, "validation_loss": curve[epoch - 1][1], "curve": curve}
        for seed, epoch, curve in _old_runs(fields)
    ]
    example = fields["example"]
    fields["example"] = {
        "version": strokes.VERSION,
        "seed": example["seed"],
        "digits": example["labels"],
        "logits": example["logits"],
    }
    return fields


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint as version 0.1 left it."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    card, _, weights = small.checkpoint()
    return small.lay(tmp_path, json.dumps(_old(card)).encode(), weights)


def test_an_old_card_is_refused_until_it_is_brought_up_to_date_and_then_loads(home):
    card = small.checkpoint()[0]
    with pytest.raises(CheckpointError, match="is not a card of this version"):
        attnviz.load(card.name)
    weights = (home / "weights.safetensors").read_bytes()
    assert migration.migrate() == [card.name]
    assert attnviz.load(card.name).card.figures == tuple(
        f.model_copy(update={"per_seed": None, "right_per_seed": None}) for f in card.figures
    )
    assert cards.read(card.name).example == card.example
    assert cards.read(card.name).runs == card.runs
    assert (home / "weights.safetensors").read_bytes() == weights
    assert migration.migrate() == []


def test_a_recipes_words_are_renewed_and_nothing_else(home, monkeypatch):
    card = small.checkpoint()[0]
    monkeypatch.setitem(RECIPES, card.name, small.recipe(title="Another title", epochs=9))
    migration.migrate()
    recipe = cards.read(card.name).recipe
    assert (recipe.title, recipe.epochs) == ("Another title", card.recipe.epochs)


@pytest.mark.parametrize("content", ["{}", "[]", "null", "{", '{"digest": ""}'])
def test_a_file_that_is_no_card_of_any_version_is_one_sentence(home, content):
    (home / "card.json").write_text(content)
    with pytest.raises(CheckpointError, match="card.json is not a card of (any|this) version"):
        migration.migrate()


def test_an_example_of_strokes_that_are_drawn_otherwise_now_is_refused(home, monkeypatch):
    monkeypatch.setattr(strokes, "VERSION", strokes.VERSION + 1)
    with pytest.raises(CheckpointError, match="was drawn by another version of strokes. Train it again"):
        migration.migrate()
