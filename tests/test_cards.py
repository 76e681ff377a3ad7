"""The cards of checkpoints, attnviz/cards.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from attnviz import cards
from attnviz.card import Card, Figure, packed
from attnviz.errors import CheckpointError, UnknownName
from attnviz.files import write
from attnviz.recipes.recipe import Augmentation
from attnviz.recipes.recipe import Test as RecipeTest
from tests.training import small


def test_a_card_survives_being_written_and_read():
    card, content, _ = small.checkpoint()
    fields = json.loads(content)
    del fields["digest"]
    read = Card.model_validate(fields)
    assert read.model_dump(mode="json") == card.model_dump(mode="json")
    assert cards.text(read).encode() == content


def test_a_figure_is_found_by_its_test():
    card = small.checkpoint()[0]
    assert card.figure(RecipeTest(data="strokes")) is card.figures[0]
    assert card.figure(RecipeTest(data="strokes", split="train", count=20), "accuracy") is card.figures[1]
    assert card.figure(RecipeTest(data="mnist")) is None
    assert card.figure(RecipeTest(data="strokes", augmentation=Augmentation())) is None
    assert card.figure(RecipeTest(data="strokes"), name="loss") is None


def test_which_pictures_were_answered_rightly_survives_being_packed():
    figure = small.checkpoint()[0].figures[1]
    right = np.arange(20) % 3 == 0
    assert figure.model_copy(update={"right": packed(right)}).unpacked().tolist() == right.tolist()
    assert figure.unpacked().mean() == figure.value


def test_answers_of_each_seed_must_be_those_of_its_value():
    each = [np.arange(20) % 3 == 0, np.arange(20) % 2 == 0]
    values = tuple(float(right.mean()) for right in each)
    figure = small.checkpoint()[0].figures[0].model_copy(update={"count": 20, "draws": 2})
    said = {
        **figure.model_dump(), "value": values[0], "per_seed": values, "mean": sum(values) / 2, "lowest": min(values),
        "highest": max(values), "seeds": 2, "right": packed(each[0]), "right_per_seed": tuple(map(packed, each)),
    }  # fmt: skip
    answers = Figure.model_validate(said).answers()
    assert answers.tolist() == [right.reshape(2, 10).mean(0).tolist() for right in each]
    for wrong, why in (
        (tuple(map(packed, each[::-1])), "disagree"), ((packed(each[0]),), "of each seed"), (("?", "?"), "not base64"),
        (("", ""), "a bit for each"),
    ):  # fmt: skip
        with pytest.raises(ValidationError, match=why):
            Figure.model_validate({**said, "right_per_seed": wrong})
    with pytest.raises(ValidationError, match="of each seed"):
        Figure.model_validate({**said, "per_seed": None})
    assert Figure.model_validate({**said, "right_per_seed": None}).answers() is None


def test_a_card_cannot_be_changed_afterwards():
    with pytest.raises(ValidationError, match="frozen"):
        small.checkpoint()[0].seed = 3


def test_names_are_the_folders_that_hold_a_card(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert cards.folder() == tmp_path
    assert cards.names() == []
    (tmp_path / "empty").mkdir()
    (tmp_path / "card.json").write_text("{}")
    for name in ("b.x", "a.y"):
        small.lay(tmp_path, *small.checkpoint()[1:], name=name)
    assert cards.names() == ["a.y", "b.x"]
    assert cards.read("a.y").name == "pixel_attention.small"


def test_usable_are_those_whose_card_can_be_read_and_whose_weights_lie_here(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    card, content, weights = small.checkpoint()
    for name in ("a.whole", "b.damaged", "c.without"):
        small.lay(tmp_path, content, weights, name)
    fields = json.loads(content)
    fields["config"]["more"] = "DEEP"
    (tmp_path / "b.damaged" / "card.json").write_text("{}")
    nested = json.dumps(fields).replace('"DEEP"', "[" * 600 + "]" * 600)
    small.lay(tmp_path, nested.encode(), weights, "d.nested")
    (tmp_path / "c.without" / "weights.safetensors").unlink()
    assert list(cards.usable(cards.names())) == ["a.whole"]
    assert cards.read("c.without").name == card.name


@pytest.mark.parametrize("value", [None, ""])
def test_checkpoints_lie_in_the_repository_unless_the_environment_says_otherwise(monkeypatch, value):
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS", raising=False)
    if value is not None:
        monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", value)
    assert cards.folder() == Path(cards.__file__).parents[1] / "checkpoints"


def test_reading_cards_and_rendering_results_costs_no_torch():
    code = "import sys; from attnviz import cards, results; results.everything(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def parsed(monkeypatch):
    """Return the paths of the cards that are parsed from here on."""
    paths = []
    original = cards.parsed
    monkeypatch.setattr(cards, "parsed", lambda content, path: (paths.append(path), original(content, path))[1])
    return paths


def settle(path: Path) -> None:
    """Let a file look as if it had been written a minute ago, no longer likely to be written in the same tick."""
    then = path.stat().st_mtime_ns - 60 * 10**9
    os.utime(path, ns=(then, then))


def test_a_card_is_parsed_once(tmp_path, monkeypatch, parsed):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    small.lay(tmp_path, *small.checkpoint()[1:], name="a.x")
    settle(tmp_path / "a.x" / "card.json")
    assert cards.read("a.x") is cards.read("a.x")
    assert list(cards.usable(["a.x"])) == ["a.x"]
    assert parsed == [tmp_path / "a.x" / "card.json"]


def test_a_card_that_training_adds_changes_or_removes_is_seen_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    card, content, _ = small.checkpoint()
    other = cards.text(card.model_copy(update={"seconds": card.seconds + 1.0})).encode()
    assert len(other) == len(content)
    (tmp_path / "a.x").mkdir()  # the folder comes before the card
    assert cards.names() == []
    with pytest.raises(UnknownName):
        cards.read("a.x")
    path = tmp_path / "a.x" / "card.json"
    path.write_bytes(content)
    assert cards.names() == ["a.x"] and cards.read("a.x").seconds == card.seconds
    written = path.stat().st_mtime_ns
    path.write_bytes(other)
    os.utime(path, ns=(written, written))  # in the same file, and within a tick of the clock
    assert cards.read("a.x").seconds == card.seconds + 1.0
    settle(path)
    assert cards.read("a.x").seconds == card.seconds + 1.0
    write(path, content)  # as the training command does
    assert cards.read("a.x").seconds == card.seconds
    settle(path)
    assert cards.read("a.x").seconds == card.seconds
    path.write_text("{}")
    with pytest.raises(CheckpointError, match="is not a card"):
        cards.read("a.x")
    path.unlink()
    assert cards.names() == []
    with pytest.raises(UnknownName):
        cards.read("a.x")


def test_another_folder_has_other_cards(tmp_path, monkeypatch):
    card, content, weights = small.checkpoint()
    other = cards.text(card.model_copy(update={"seconds": card.seconds + 1.0})).encode()
    for folder, text in (("one", content), ("two", other)):
        small.lay(tmp_path / folder, text, weights, name="a.x")
        settle(tmp_path / folder / "a.x" / "card.json")
    for folder, more in (("one", 0.0), ("two", 1.0), ("one", 0.0)):
        monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / folder))
        assert cards.read("a.x").seconds == card.seconds + more


@pytest.mark.parametrize("name", ["", ".", "..", "a.x/", "./a.x", "a.x/../a.x", "a.x\0", "\udcff", "x" * 5000])
def test_a_name_is_no_path(tmp_path, monkeypatch, name):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    small.lay(tmp_path, *small.checkpoint()[1:], name="a.x")
    (tmp_path / "card.json").write_bytes((tmp_path / "a.x" / "card.json").read_bytes())
    settle(tmp_path / "a.x" / "card.json")
    cards.read("a.x")
    with pytest.raises(UnknownName):
        cards.read(name)


@pytest.mark.parametrize(
    "change",
    [
        {"runs": []},
        {"seed": 99},
        {"runs": "twice"},
    ],
    ids=["no runs", "another seed", "a seed twice"],
)
def test_a_card_whose_seed_is_not_that_of_one_run_is_refused_though_its_digest_matches(tmp_path, change):
    fields = json.loads(small.checkpoint()[1])
    fields.pop("digest")
    fields |= {"runs": [fields["runs"][0], *fields["runs"]]} if change == {"runs": "twice"} else change
    content = json.dumps({**fields, "digest": cards._digest(fields)}).encode()
    with pytest.raises(CheckpointError, match="its seed must be that of one of its runs, and no two runs may have the"):
        cards.parsed(content, tmp_path / "card.json")
