"""The cards of checkpoints, attnviz/cards.py."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from attnviz import cards
from attnviz.cards import Card, packed
from attnviz.recipes.recipe import Augmentation
from tests.training import small


def test_a_card_survives_being_written_and_read():
    card, content, _ = small.checkpoint()
    read = Card.model_validate_json(content)
    assert read.model_dump(mode="json") == card.model_dump(mode="json")
    assert (read.model_dump_json(indent=1) + "\n").encode() == content


def test_a_figure_is_found_by_its_test():
    card = small.checkpoint()[0]
    assert card.figure(cards.Test(data="strokes")) is card.figures[0]
    assert card.figure(cards.Test(data="strokes", split="train", count=20), "accuracy") is card.figures[1]
    assert card.figure(cards.Test(data="mnist")) is None
    assert card.figure(cards.Test(data="strokes", augmentation=Augmentation())) is None
    assert card.figure(cards.Test(data="strokes"), name="loss") is None


def test_which_pictures_were_answered_rightly_survives_being_packed():
    figure = small.checkpoint()[0].figures[1]
    right = np.arange(20) % 3 == 0
    assert figure.model_copy(update={"right": packed(right)}).unpacked().tolist() == right.tolist()
    assert figure.unpacked().mean() == figure.value


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


@pytest.mark.parametrize("value", [None, ""])
def test_checkpoints_lie_in_the_repository_unless_the_environment_says_otherwise(monkeypatch, value):
    monkeypatch.delenv("ATTNVIZ_CHECKPOINTS", raising=False)
    if value is not None:
        monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", value)
    assert cards.folder() == Path(cards.__file__).parents[1] / "checkpoints"


def test_reading_cards_and_rendering_results_costs_no_torch():
    code = "import sys; from attnviz import cards, results; results.everything(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
