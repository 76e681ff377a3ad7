"""Which models have cards on the draw page, and what is said of them."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards, data, subjects
from attnviz.card import Card
from attnviz.data import strokes
from attnviz.data.inputs import drawing
from attnviz.models import MODELS
from attnviz.ui import mechanisms
from attnviz.ui.draw import panels
from attnviz.ui.live.request import Ask
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.views.payload import unpack

PAGE = Path(__file__).parents[3] / "pages" / "05_draw.py"
USUAL = [
    "pixel_attention.digits",
    "element_wise.digits",
    "recurrent_attention.digits-two-scales",
    "cnn_attention.digits",
    "vision_transformer.digits",
    "channel_attention.digits",
    "spatial_transformer.moved",
    "pixel_line.digits",
]
DIGITS = tuple("0123456789")
WORD = drawing.word(drawing.name(strokes.draw([5], seed=9)[0, ..., 0]))


def run(seen: str | None = None, **words: str) -> AppTest:
    """Run the draw page, as after a report of the pad about the drawing that the models have seen last."""
    test = AppTest.from_file(str(PAGE), default_timeout=120)
    test.query_params.update(words)
    if seen is not None:
        test.session_state["pad"] = {"seen": {"value": {"word": seen, "cleared": []}, "revision": 0}}
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
    assert panels.chosen() == USUAL
    for net in subjects.usable().values():
        mechanism = mechanisms.of_model(net.architecture)
        own = mechanism is not None and net.architecture in mechanism.models
        single = data.spec(net.data).shape == (28, 28, 1)  # not among clutter on a larger canvas
        if net.classes == DIGITS and single and not (own and mechanisms.is_control(net.architecture, net.config)):
            best = next((name for name in USUAL if name.startswith(f"{net.architecture}.")), None)
            assert best or len(USUAL) == panels.AT_FIRST, "there is no room for all controls"
            assert best is None or panels.validated(net) <= panels.validated(subjects.net(best))


def test_validation_accuracy_is_that_of_the_shipped_seed() -> None:
    card = cards.read("pixel_line.digits")
    run = next(run for run in card.runs if run.seed == card.seed)
    found = panels.validated(subjects.net(card.name))
    assert found == run.kept("validation_accuracy")
    assert 0.9 < found < 1


def lay(folder: Path, name: str, model: str = "", /, **update: Any) -> Card:
    """Put a checkpoint into a folder, perhaps as one of another architecture."""
    card = cards.read(name)
    if model:
        recipe = card.recipe.model_copy(update={"model": model, "name": "digits"})
        card = card.model_copy(update={"recipe": recipe, "name": f"{model}.digits"})
    card = card.model_copy(update=update)
    home = folder / card.name
    home.mkdir()
    (home / "card.json").write_text(cards.text(card))
    (home / "weights.safetensors").write_bytes((cards.folder() / name / "weights.safetensors").read_bytes())
    return card


def test_a_model_that_no_mechanism_names_has_a_panel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "later", MODELS["pixel_attention"])
    lay(tmp_path, "pixel_attention.digits", "later")
    for name in ("pixel_line.digits", "pixel_line.1v8"):
        lay(tmp_path, name)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert panels.chosen() == ["later.digits", "pixel_line.digits"]
    first, _ = panels.describe(panels.chosen())
    assert (first["renderer"], first["wanted"], first["page"]) == ("ink", {}, "explorer")


def test_there_are_eight_at_first_and_those_beside_the_best_give_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = "pixel_attention.digits-no-positions"
    for name in (beside, *USUAL[:3], *USUAL[4:]):
        lay(tmp_path, name)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert panels.chosen() == [USUAL[0], beside, *USUAL[1:3], *USUAL[4:]]
    monkeypatch.setitem(MODELS, "a", MODELS["pixel_line"])
    lay(tmp_path, "pixel_line.digits", "a")
    assert panels.chosen() == [*USUAL[:3], *USUAL[4:7], "a.digits", *USUAL[7:]]


def test_models_that_somebody_keeps_come_first_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path))
    ours = cards.read("pixel_attention.1v8")
    for place in range(panels.AT_MOST_KEPT + 1):
        name = f"pixel_attention.mine{place}"
        lay(tmp_path, ours.name, name=name)
        os.utime(tmp_path / name / "card.json", (place, place))
    latest = [f"pixel_attention.mine{place}" for place in range(panels.AT_MOST_KEPT, 0, -1)]
    assert panels.chosen() == [*latest, *USUAL]
    (first,) = panels.describe(latest[:1])
    assert (first["kind"], first["classes"]) == ("yours: mine4, 1 or 8", ["8", "1"])


def test_a_damaged_card_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, "pixel_line.digits")
    (tmp_path / "ink.digits").mkdir()
    (tmp_path / "ink.digits" / "card.json").write_text("{}")
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    assert panels.chosen() == ["pixel_line.digits"]


# What is said of them


def test_what_is_said_is_what_the_card_says_and_can_be_asked() -> None:
    for said, name in zip(panels.describe(USUAL), USUAL, strict=True):
        card = cards.read(name)
        assert said["checkpoint"] == name
        assert said["classes"] == list(card.classes)
        assert said["parameters"] == card.parameters
        Ask.model_validate({"checkpoint": name, "wanted": said["wanted"]}, strict=True)
        own = any(card.recipe.model in row.models for row in MECHANISMS.values())
        assert said["page"] == (card.recipe.model if own else "")
    assert [said["kind"] for said in panels.describe(USUAL)][:4] == [
        "8 heads, positions", "3 heads, 2 layers", "6 of 8 \u00d7 8, 2 scales", "8 heads, 6 \u00d7 6 blocks",
    ]  # fmt: skip


def test_two_cards_are_never_called_alike() -> None:
    names = cards.names()
    called = [(said["title"], said["kind"]) for said in panels.describe(names)]
    assert len(set(called)) == len(names)


def test_the_sample_is_a_drawn_eight() -> None:
    images, labels = data.load("strokes", "test", count=64)
    (number,) = np.flatnonzero((images[..., 0] == panels.first_task().sample()).all((1, 2)))
    assert labels[number] == 8


# The page


def test_the_page_hands_over_the_usual_cards_and_the_sample() -> None:
    found = handed(run())
    assert [model["checkpoint"] for model in found["models"]] == USUAL
    assert found["settled"] is False
    np.testing.assert_array_equal(found["sample"], panels.first_task().sample())


def test_the_url_chooses_the_models() -> None:
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
        ("", "There is no model of digits called ''", USUAL),
        ("[a](b),,", "no model of digits called '[a](b)'", USUAL),
        ("ink.digits,ink.digits", "", ["ink.digits"]),
    ],
)
def test_nonsense_is_one_sentence(word: str, said: str, shown: list[str]) -> None:
    test = run(models=word)
    assert [model["checkpoint"] for model in handed(test)["models"]] == shown
    assert [said in plain(warning.value) for warning in test.warning] == ([True] if said else [])


def test_no_more_cards_than_can_answer() -> None:
    here = cards.usable(cards.names())
    names = [name for name, card in here.items() if set(card.classes) <= set(DIGITS)]
    test = run(models=",".join(names))
    assert len(handed(test)["models"]) == panels.MOST < len(names)
    assert f"the first {panels.MOST} have panels" in test.warning[0].value
