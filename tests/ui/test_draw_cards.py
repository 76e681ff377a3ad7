"""Which models have cards on the draw page, what is said of them, and what is erased below them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards, checkpoints, data
from attnviz.cards import Card
from attnviz.checkpoints import Checkpoint
from attnviz.data import drawing, strokes
from attnviz.ui import cache, draw_cards
from attnviz.ui.live_request import Ask
from attnviz.ui.payload import unpack

PAGE = Path(__file__).parents[2] / "pages" / "05_draw.py"
USUAL = [
    "pixel_attention.digits",
    "pixel_attention.digits-no-positions",
    "pixel_attention.1v8-augmented-positions",
    "pixel_attention.1v8-augmented",
    "pixel_line.digits",
    "histogram_line.digits",
    "histogram_mlp.digits",
    "ink.digits",
]
WORD = drawing.word(drawing.name(strokes.draw([5], seed=9)[0, ..., 0]))


def run(seen: str | None = None, **words: str) -> AppTest:
    test = AppTest.from_file(str(PAGE), default_timeout=120)
    test.query_params.update(words)
    if seen is not None:
        test.session_state["pad"] = {"seen": seen}
    test.run()
    assert not test.exception
    return test


def handed(test: AppTest) -> dict[str, Any]:
    (found,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("drawing_pad")]
    header, arrays = unpack(found.proto.bytes)
    return {**header["cards"], "sample": arrays["card_sample"]}


def plain(text: str) -> str:
    return text.replace("\\", "")


# Which models


def test_the_best_of_every_architecture_and_the_extras_and_those_that_attend_come_first() -> None:
    assert draw_cards.chosen() == USUAL
    known = [cards.read(name) for name in cards.names()]
    for card in known:
        if len(card.classes) == 10:
            (best,) = [name for name in USUAL if name.startswith(f"{card.recipe.model}.")][:1]
            assert draw_cards.validated(card) <= draw_cards.validated(cards.read(best))


def test_validation_accuracy_is_that_of_the_shipped_seed() -> None:
    card = cards.read("pixel_line.digits")
    run = next(run for run in card.runs if run.seed == card.seed)
    assert draw_cards.validated(card) == run.curve[run.best_epoch - 1][2]
    assert 0.9 < draw_cards.validated(card) < 1


def lay(folder: Path, name: str, model: str = "", **update: Any) -> Card:
    """Put a checkpoint into a folder, perhaps as one of another architecture."""
    card = cards.read(name)
    if model:
        recipe = card.recipe.model_copy(update={"model": model, "name": "digits"})
        card = card.model_copy(update={"recipe": recipe, "name": f"{model}.digits"})
    card = card.model_copy(update=update)
    home = folder / card.name
    home.mkdir()
    (home / "card.json").write_text(card.model_dump_json())
    (home / "weights.safetensors").write_bytes((cards.folder() / name / "weights.safetensors").read_bytes())
    return card


def test_a_model_of_a_later_architecture_appears_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = checkpoints.load("pixel_attention.digits").model
    later = lay(tmp_path, "pixel_attention.digits", "later")
    for name in ("pixel_line.digits", "pixel_line.1v8"):
        lay(tmp_path, name)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    monkeypatch.setattr(cache, "single", lambda name: Checkpoint(known, later))
    assert draw_cards.chosen() == ["later.digits", "pixel_line.digits"]
    first, _ = draw_cards.describe(draw_cards.chosen())
    assert (first["picture"], first["heads"], first["page"]) == ("share", 8, "explorer")
    Ask.model_validate({"checkpoint": first["checkpoint"], "wanted": first["wanted"]})


def test_a_damaged_card_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, "pixel_line.digits")
    (tmp_path / "ink.digits").mkdir()
    (tmp_path / "ink.digits" / "card.json").write_text("{}")
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert draw_cards.chosen() == ["pixel_line.digits"]


# What is said of them


def test_what_is_said_is_what_the_card_says_and_can_be_asked() -> None:
    for said, name in zip(draw_cards.describe(USUAL), USUAL, strict=True):
        card = cards.read(name)
        assert said["checkpoint"] == name
        assert said["classes"] == list(card.classes)
        assert said["parameters"] == card.parameters
        Ask.model_validate({"checkpoint": name, "wanted": said["wanted"]}, strict=True)
        assert said["page"] == ("pixel_attention" if name.startswith("pixel_attention") else "")
    assert [said["kind"] for said in draw_cards.describe(USUAL)][:4] == [
        "8 heads, positions", "8 heads, no positions", "24 heads, positions, 1 or 8", "24 heads, no positions, 1 or 8",
    ]  # fmt: skip


def test_two_cards_are_never_called_alike() -> None:
    names = cards.names()
    called = [(said["title"], said["kind"]) for said in draw_cards.describe(names)]
    assert len(set(called)) == len(names)


def test_the_sample_is_a_drawn_eight() -> None:
    images, labels = data.load("strokes", "test", count=64)
    (number,) = np.flatnonzero((images[..., 0] == draw_cards.sample()).all((1, 2)))
    assert labels[number] == 8


# The page


def test_the_page_hands_over_the_usual_cards_and_the_sample() -> None:
    found = handed(run())
    assert [model["checkpoint"] for model in found["models"]] == USUAL
    assert found["settled"] is False
    np.testing.assert_array_equal(found["sample"], draw_cards.sample())


def test_the_address_chooses_the_models() -> None:
    test = run(models="ink.digits,pixel_attention.1v8")
    assert [model["checkpoint"] for model in handed(test)["models"]] == ["ink.digits", "pixel_attention.1v8"]
    test.multiselect(key="models").select("pixel_line.digits").run()
    assert test.query_params["models"] == "ink.digits,pixel_attention.1v8,pixel_line.digits"
    test.multiselect(key="models").set_value(USUAL).run()
    assert "models" not in test.query_params
    test.multiselect(key="models").set_value([]).run()
    assert [model["checkpoint"] for model in handed(test)["models"]] == USUAL


@pytest.mark.parametrize(
    ("word", "said", "shown"),
    [
        ("pixel_atention.digits,ink.digits", "Did you mean 'pixel_attention.digits'", ["ink.digits"]),
        ("", "There is no model of digits ''", USUAL),
        ("[a](b),,", "no model of digits '[a](b)'", USUAL),
        ("ink.digits,ink.digits", "", ["ink.digits"]),
    ],
)
def test_nonsense_is_one_sentence(word: str, said: str, shown: list[str]) -> None:
    test = run(models=word)
    assert [model["checkpoint"] for model in handed(test)["models"]] == shown
    assert [said in plain(warning.value) for warning in test.warning] == ([True] if said else [])


def test_no_more_cards_than_can_answer() -> None:
    names = cards.names()
    test = run(models=",".join(names))
    assert len(handed(test)["models"]) == draw_cards.MOST < len(names)
    assert f"the first {draw_cards.MOST} have cards" in test.warning[0].value


# Erase what it looks at


def test_nothing_is_erased_until_a_model_is_chosen() -> None:
    test = run(seen=WORD)
    assert not test.slider
    test.button_group(key="erase").set_value("pixel_attention.digits").run()
    assert not test.exception
    assert test.query_params["erase"] == "pixel_attention.digits"
    assert handed(test)["settled"] is True
    assert test.slider


def test_what_is_erased_is_what_the_models_saw() -> None:
    test = run(seen=WORD, erase="pixel_attention.digits", removed="30")
    grids = [unpack(one.proto.bytes) for one in test.get("bidi_component") if "map_grid" in one.proto.component_name]
    ((header, arrays),) = grids
    np.testing.assert_allclose(arrays["maps"][0], drawing.read(drawing.named(WORD)) / 255)
    assert header["origin"]["image"] == drawing.place(drawing.named(WORD))
    said = "\n".join(one.value for one in test.markdown)
    assert "The model answers **" in said
    assert "answer without them" in said


@pytest.mark.parametrize("seen", [None, ""])
def test_while_nothing_is_drawn_it_says_so(seen: str | None) -> None:
    test = run(seen=seen, erase="pixel_attention.digits")
    assert "Nothing is drawn yet" in test.info[0].value


def test_what_the_browser_says_may_be_nonsense() -> None:
    test = run(seen="nonsense!", erase="pixel_attention.digits")
    assert "This is no drawing" in plain(test.error[0].value)
    test = run(seen=WORD, erase="ink.digits")
    assert "There is no erase 'ink.digits'" in plain(test.warning[0].value)
