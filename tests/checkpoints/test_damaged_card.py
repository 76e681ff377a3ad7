"""A card that is damaged, or contradicts itself, is refused, attnviz/checkpoints.py."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import attnviz
from attnviz import cards
from tests.training import small

from .refused import NAME, one_sentence, sealed


def _card(home: Path, change: Callable[[dict[str, Any]], object]) -> None:
    card = json.loads((home / "card.json").read_text())
    change(card)
    (home / "card.json").write_text(sealed(card))


def _both(card: dict[str, Any], **entries: Any) -> None:
    card["config"].update(entries)
    card["recipe"]["config"].update(entries)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda card: card.update(colour="red"), "is not a card of this version of attnviz: colour: Extra inputs"),
        (lambda card: card["recipe"].update(colour="red"), "recipe.colour: Extra inputs"),
        (lambda card: card.pop("seed"), "seed: Field required"),
        (lambda card: card.update(seconds=float("nan")), "seconds: .*finite"),
        (lambda card: card.update(name="pixel_attention.other"), f"The card of {NAME} contradicts itself"),
        (lambda card: card["config"].update(mean=0.5), "contradicts itself"),
        (lambda card: card["recipe"]["config"].update(mean=0.5), "contradicts itself"),
        (lambda card: card.update(classes=["1", "8"]), "contradicts itself"),
        (lambda card: card["recipe"].update(model="pixel_atention"), "Did you mean 'pixel_attention'"),
        (lambda card: card["recipe"].update(data="mnits"), "there is no data set 'mnits'. Did you mean 'mnist'"),
        (lambda card: card["figures"][0].update(data="stroke"), "there is no data set 'stroke'. Did you mean"),
        (lambda card: card["figures"][0].update(right=""), "figures.0: 'right' must hold a bit for each of"),
        (lambda card: card["figures"][0].update(right="*" * 8), "figures.0: 'right' is not base64"),
        (lambda card: card["figures"][1].update(right="AAAA"), "figures.1: 'right' and 'value' disagree"),
        (
            lambda card: card["figures"][0].update(lowest=0.999, per_seed=None),
            "must lie between its lowest and its highest",
        ),
        (lambda card: card["figures"][0].update(highest=1.5, per_seed=None), "a share must lie between 0 and 1"),
        (lambda card: card["figures"][0].update(seeds=3), "values per seed disagree with its number of seeds"),
        (lambda card: card["figures"][0].update(mean=float("inf")), "figures.0.mean: .*finite"),
        (lambda card: card["figures"][0].update(count=0), "figures.0.count: "),
        (lambda card: card["runs"][0].update(epoch=9), "runs.0: .* the kept epoch must be one of them"),
        (lambda card: card["runs"][0]["curve"].update(more=[0.5]), "runs.0: its curves must have a value per epoch"),
        (lambda card: _both(card, mean=float("inf")), "its config holds a value that is not a finite number"),
        (lambda card: _both(card, std=0.0), "a std above 0, not 0.13 and 0.0"),
        (lambda card: _both(card, std=-0.3), "a std above 0"),
    ],
)
def test_a_card_that_is_not_one_or_contradicts_itself_is_refused(home, change, message):
    _card(home, change)
    one_sentence(message)


@pytest.mark.parametrize(
    "entry",
    [
        {"heads": 0},
        {"heads": -1},
        {"head_size": "1"},
        {"rows": -28},
        {"hats": 3},
        {"positions": "fourier"},
        {"rows": 14},
        {"heads": 10**9},
        {"heads": 10**9, "head_size": 10**9},
        {"heads": 10**30},
    ],
    ids=str,
)
def test_a_card_of_a_model_that_cannot_be_built_or_is_another_is_refused(home, entry):
    _card(home, lambda card: _both(card, **entry))
    one_sentence()


def test_a_config_that_would_fill_the_memory_is_held_against_the_file_before_anything_is_built(home):
    _card(home, lambda card: _both(card, heads=10**9))
    one_sentence(r"'attention.query.weight' must have shape \(1000000000, 1\), but has \(1, 1\)")


@pytest.mark.parametrize("entry", [("figures", 0, "mean"), ("recipe", "batch"), ("seconds",)], ids=str)
def test_a_number_that_was_changed_after_the_card_was_written_is_refused(home, entry):
    card = json.loads((home / "card.json").read_text())
    *path, last = entry
    place = card
    for step in path:
        place = place[step]
    place[last] = place[last] * (1 - 1e-12) if isinstance(place[last], float) else place[last] + 1
    (home / "card.json").write_text(json.dumps(card))
    one_sentence("it was changed after it was written, or is damaged: its digest does not match")


def test_a_card_without_a_digest_is_refused(home):
    card = json.loads((home / "card.json").read_text())
    del card["digest"]
    (home / "card.json").write_text(json.dumps(card))
    one_sentence("its digest does not match")


def test_beside_a_damaged_checkpoint_the_others_still_work(home):
    card, content, weights = small.checkpoint("pixel_line")
    small.lay(home.parent, content, weights, name=card.name)
    (home / "card.json").write_bytes(b"{}")
    assert cards.text(attnviz.load(card.name).card) == cards.text(card)
    one_sentence()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"not json", b"[" * 100_000], ids=repr)
def test_a_card_that_is_no_json_is_refused(home, content):
    (home / "card.json").write_bytes(content)
    one_sentence("is not a card of this version of attnviz")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_card_that_is_cut_is_refused(home, part):
    content = (home / "card.json").read_bytes()
    (home / "card.json").write_bytes(content[: int(part * len(content))])
    one_sentence("is not a card of this version of attnviz")


def test_a_card_that_is_a_folder_is_one_sentence(home):
    (home / "card.json").unlink()
    (home / "card.json").mkdir()
    one_sentence("cannot be read: is a directory")
