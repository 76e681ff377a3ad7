"""The pixel page alone, without the navigation: it draws, follows the URL, and says what is wrong in sentences."""

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards, data
from attnviz.data import loading, store, strokes
from attnviz.data.specs import Dataset
from attnviz.ui.mechanisms.pixel_attention.experiments import choice
from attnviz.ui.shared import experiments, findings
from attnviz.views.payload import unpack

from .reading import stated
from .tried import tried

ROOT = Path(__file__).parents[2]


def run(**words: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "pages" / "10_pixel_attention.py"), default_timeout=120)
    for key, word in words.items():
        test.query_params[key] = word
    return test.run()


def viewer(test: AppTest) -> dict:
    (component,) = [one for one in test.get("bidi_component") if one.proto.component_name.endswith("pixel_viewer")]
    return unpack(component.proto.bytes)[0]


def said_in_url(test: AppTest) -> dict[str, str]:
    return {name: word if isinstance(word, str) else word[0] for name, word in test.query_params.items()}


def test_it_begins_with_ten_digits_positions_and_eight_heads() -> None:
    test = run()
    assert not test.exception
    header = viewer(test)
    assert header["label"] == "8"
    assert (header["origin"]["model"], header["origin"]["recipe"]) == ("pixel_attention", "digits")
    card = cards.read("pixel_attention.digits")
    assert card.config["positions"] and card.config["heads"] == 8
    assert len(header["classes"]) == 10


@pytest.mark.parametrize("words", [{"v": "1"}, {"query": "12,13"}, {"v": "1", "data": "strokes"}])
def test_an_old_link_that_names_no_model_shows_what_it_showed(words: dict[str, str]) -> None:
    header = viewer(run(**words))
    assert header["origin"]["recipe"] == "1v8"
    assert header["label"] == "8"
    assert (
        viewer(run(v="2", **{name: word for name, word in words.items() if name != "v"}))["origin"]["recipe"]
        == "digits"
    )


def test_an_old_link_to_the_ten_digits_begins_with_their_first() -> None:
    assert viewer(run(v="1", model="pixel_attention.digits"))["label"] == "0"


def test_the_url_chooses_the_picture() -> None:
    header = viewer(run(data="strokes", number="5"))
    assert header["origin"]["image"] == "strokes/test/5"


@pytest.mark.parametrize(("model", "heads"), [("digits", 8), ("1v8", 1), ("1v8-one-token", 1), ("1v8-augmented", 24)])
def test_what_a_head_is_for_is_said_where_there_are_several(model: str, heads: int) -> None:
    prose = "\n".join(markdown.value for markdown in run(model=f"pixel_attention.{model}").markdown)
    assert (f"In each of {heads} [heads](#term-attention-head) its [:orange[query]](#term-query) is" in prose) is (
        heads > 1
    )
    assert ("Every head has its own queries, keys and values" in prose) is (heads > 1)
    assert "is a [token](#term-token). I" in prose
    assert "**Attention is not an explanation.**" in prose


def test_results_stand_beside_the_control() -> None:
    test = run(model="pixel_attention.1v8")
    test.session_state["numbers_of_results_dots"] = True
    test.run()
    prose = "\n".join(markdown.value for markdown in test.markdown)
    assert "97.90 %" in prose, "what the paper gives"
    assert "logistic regression on the pixels" in prose
    assert prose.count('class="dots"') == 2, "the best, and all of them with the numbers"
    assert not test.get("plotly_chart"), "its script would take longer than all the rest of the page"
    assert "(results?mechanism=pixel_attention&v=2)" in prose


def test_every_wrong_answer_is_listed_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "PATIENCE", 60.0)
    test = run(data="strokes")
    test.toggle(key="show_wrong").set_value(True).run()
    assert not test.exception
    assert "answered 8" in "\n".join(markdown.value for markdown in test.markdown)
    assert any(one.proto.component_name.endswith("map_grid") for one in test.get("bidi_component"))


def test_without_checkpoints_it_says_how_to_come_by_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    test = run()
    assert not test.exception
    assert "reproduce schwarz" in test.error[0].value.replace("\\", "")


def test_a_damaged_checkpoint_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "pixel_attention.1v8"
    folder.mkdir()
    (folder / "card.json").write_text(json.dumps({"name": "pixel_attention.1v8"}))
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    test = run()
    assert not test.exception
    assert "is not a card of this version" in test.error[0].value.replace("\\", "")


def test_beside_a_damaged_checkpoint_the_others_are_offered_and_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("pixel_attention.1v8", "pixel_attention.digits"):
        (tmp_path / name).symlink_to(cards.folder() / name)
    damaged = tmp_path / "pixel_attention.1v8-augmented"
    damaged.mkdir()
    (damaged / "card.json").write_text("{}")
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    test = run()
    assert not test.exception
    assert [error.value for error in test.error] == []
    titles = [cards.read(name).recipe.title for name in ("pixel_attention.1v8", "pixel_attention.digits")]
    assert test.selectbox(key="model").options == titles


# Links


def test_every_try_shows_what_its_words_say() -> None:
    test = run()
    pictures = data.load("strokes", "test", count=64).images[..., 0]
    labels = data.labels("strokes", "test")
    # label -> (what the picture shows, which of query and key lie on ink and which on paper)
    expected = {
        "1 or 8: the loop of an 8": ("8", {"query": True}),
        "1 or 8: while it learns": ("8", {"query": True}),
        "ten digits: a 3": ("3", {"query": True}),
    }
    found = []
    for try_label, words in tried(test):
        found.append(try_label)
        label, places = expected[try_label]
        assert {"v", "model", "data", "number"} <= set(words)
        shown = viewer(test)
        assert shown["label"] == label == str(labels[int(words["number"])])
        size = 28 // shown["rows"]
        boxes = pictures[int(words["number"])].reshape(shown["rows"], size, shown["columns"], size).max((1, 3))
        for name, ink in places.items():
            row, column = shown["state"]["view"]["value"][name]
            assert (boxes[row, column] > 128) == ink
    assert found == list(expected)


def test_the_url_states_model_and_picture_with_the_first_choice() -> None:
    test = run()
    test.selectbox(key="model").select("pixel_attention.1v8").run()
    words = said_in_url(test)
    assert words == {"v": "2", "model": "pixel_attention.1v8", "data": "strokes", "number": "23"}
    assert stated(test) == {}  # nothing is left open


def test_a_url_that_leaves_things_open_is_completed_by_the_browser() -> None:
    test = run(data="strokes", number="5")
    assert stated(test) == {"v": "1", "model": "pixel_attention.1v8"}


@pytest.mark.parametrize("made_with_mnist", [False, True])
def test_a_link_shows_the_same_where_mnist_is_and_where_it_is_not(
    made_with_mnist: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mnist(name: str, split: str) -> Dataset:
        if name != "mnist":
            return read(name, split)
        pictures = strokes.draw([count % 10 for count in range(20)], seed=3)
        times = data.DATASETS[name].counts[split] // 20
        return Dataset(np.tile(pictures, (times, 1, 1, 1)), np.tile(np.arange(20) % 10, times))

    def shown(there: bool, **words: str) -> AppTest:
        with monkeypatch.context() as patch:
            if there:
                patch.setattr(store, "read", mnist)
                patch.setattr(loading, "read", mnist)
            return run(**words)

    read = store.read
    made = shown(made_with_mnist)
    source = "mnist" if made_with_mnist else "strokes"
    words = stated(made)
    assert words["data"] == source
    assert viewer(made)["origin"]["image"] == f"{source}/test/{words['number']}"
    opened = shown(True, **words)
    assert viewer(opened)["origin"]["image"] == viewer(made)["origin"]["image"]
    assert opened.warning.len == 0


def test_a_link_of_another_version_is_a_sentence() -> None:
    test = run(v="7")
    assert "version" in test.warning[0].value


def test_an_experiment_that_is_not_there_lists_those_there_are() -> None:
    prose = run(experiment="zzz").warning[0].value.replace("\\", "")
    assert prose.startswith("There is no experiment 'zzz'. There are: heads, erase, shuffle, compare, positions.")
    assert prose.endswith("None is chosen.")


QUESTIONS = (
    "Does every head matter?",
    "Does it matter what it looks at?",
    "Does it know where a pixel is?",
    "How far apart are two maps?",
    "Are the codes of nearby positions similar?",
)


def test_the_experiments_are_closed_questions_in_their_order() -> None:
    test = run()
    rows = [row for row in test.expander if row.label.startswith("**")]
    assert [row.label.split("**")[1] for row in rows] == list(QUESTIONS)
    assert all(len(row.label.split("**")[2]) > 20 for row in rows), "each says what it measures"
    assert not any(row.proto.expanded for row in rows)
    assert not any(test.session_state[experiments.key_of(name)] for name in choice.EXPERIMENTS)
