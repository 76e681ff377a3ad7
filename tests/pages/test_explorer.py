"""The explorer alone: every address of every trained model is drawn as maps, with its meaning."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards, data, subjects
from attnviz.models import MODELS
from attnviz.roles import ROLES, Role
from attnviz.ui.explorer import experiments
from attnviz.ui.explorer.experiments import EXPERIMENTS
from attnviz.ui.live.jacobian import missing
from attnviz.ui.shared import jobs
from attnviz.views.payload import unpack
from tests.committed import one_per_kind, one_per_model

from ..ui import colour_model
from .tried import tried

ROOT = Path(__file__).parents[2]


def run(**words: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "pages" / "00_explorer.py"), default_timeout=120)
    for key, word in words.items():
        test.query_params[key] = word
    return test.run()


@pytest.mark.parametrize("tap", ["query", "key", "value", "scores", "weights", "mixed", "output"])
def test_a_tap_is_drawn_on_its_grid_by_its_role(tap: str) -> None:
    test = run(address=f"attention.{tap}", data="strokes")
    assert not test.exception
    header, arrays = grid(test)
    assert header["role"] == ROLES[tap].colouring
    assert arrays["maps"].shape == (1, 28, 28)
    assert header["origin"]["address"] == f"attention.{tap}"


def test_every_try_shows_what_its_words_say() -> None:
    said = {"the queries": "query", "the weights of one pixel": "weights", "the output of the layer": "output"}
    found = []
    test = run(model="pixel_attention.digits", number="4")  # a try shows the same wherever one comes from
    for label, words in tried(test):
        found.append(label)
        assert {"v", "model", "data", "number"} <= set(words)
        header, arrays = grid(test)
        assert header["origin"]["address"] == f"attention.{said[label]}"
        assert header["origin"]["image"] == f"{words['data']}/test/{words['number']}"
        for cell in header["outlined"] or ():  # the pixel is one of ink
            assert arrays["background"].reshape(-1)[cell] > 128
        assert (header["outlined"] is not None) == (label == "the weights of one pixel")
    assert found == list(said)


def test_all_addresses_are_listed_with_axes_and_shape() -> None:
    said = "\n".join(markdown.value for markdown in run().markdown)
    assert "| `attention.weights` | batch head query key | 1 x 1 x 784 x 784 |" in said


# Other weights, or more heads, take the same way through the page and its experiments.
@pytest.mark.parametrize("name", one_per_model(sorted(one_per_kind())))
def test_every_model_can_be_explored_by_every_experiment_or_says_why_not(name: str) -> None:
    test = run(model=name)
    assert not test.exception
    if not cards.usable([name]):
        assert "This command makes them" in [*test.info, *test.error][0].value
        return
    assert test.get("bidi_component") or "no taps" in [*test.info, *test.error][0].value
    for experiment in sorted(EXPERIMENTS):
        test.query_params["experiment"] = experiment
        test.run()
        if missing(subjects.net(name)) is None:
            assert finding(test)
            assert unpack(test.get("bidi_component")[-2].proto.bytes)[0]["role"] == "positive"
        else:
            assert not test.exception
            assert "not two accepted methods" in test.info[-1].value


def test_an_unknown_address_gives_the_closest_and_the_first() -> None:
    test = run(address="attention.wieghts")
    assert "Did you mean 'attention.weights'" in test.warning[0].value.replace("\\", "")
    assert test.selectbox(key="address").value == "attention.query"


def grid(test: AppTest) -> tuple[dict, dict]:
    found = [one for one in test.get("bidi_component") if not one.proto.component_name.endswith("epoch_slider")]
    return unpack(found[0].proto.bytes)


def test_labels_are_short_and_said_in_full() -> None:
    test = run(model="pixel_attention.digits", address="attention.query")
    header, arrays = grid(test)
    assert header["captions"][:9:8] == ["1.1", "2.1"]
    assert header["labels"][8] == "head 2, feature 1"
    assert len(header["captions"]) == len(arrays["maps"]) == 64
    assert any("“1.3” is [head](#term-attention-head) 1, feature 3" in one.value for one in test.markdown)


@pytest.mark.parametrize(("word", "cell"), [("1,1", 0), ("2,3", 16), ("14,14", 195), ("17", 17), (None, 7 * 14 + 7)])
def test_the_query_is_a_row_and_a_column_from_1_and_framed_on_every_map(word: str | None, cell: int) -> None:
    words = {"model": "pixel_attention.digits", "address": "attention.weights"}
    test = run(**words, **({"query": word} if word else {}))
    header, arrays = grid(test)
    assert header["outlined"] == [cell] * 8
    assert (test.number_input(key="query_row").value, test.number_input(key="query_column").value) == (
        cell // 14 + 1,
        cell % 14 + 1,
    )
    assert header["boxes"] == [0, 0, 2, 2, 2, 2]
    assert arrays["background"].shape == (28, 28, 1)
    test.number_input(key="query_row").set_value(5).run()
    assert test.query_params["query"] == f"5,{cell % 14 + 1}"
    assert grid(test)[0]["outlined"][0] == 4 * 14 + cell % 14


def test_a_query_that_is_not_there_is_a_sentence() -> None:
    test = run(address="attention.weights", query="29,1")
    assert "rows 1 to 28 and columns 1 to 28" in test.warning[0].value
    assert grid(test)[0]["outlined"] == [14 * 28 + 14]


def test_other_maps_begin_with_nothing_chosen() -> None:
    keys = {grid(run(address=f"attention.{tap}"))[0]["key"] for tap in ("query", "key")}
    assert len(keys) == 2


def test_a_colour_model_that_the_house_does_not_know_is_explored_in_colour(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(MODELS, "colour_blocks", colour_model.ROW)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(colour_model.lay(tmp_path)))
    test = run(address="attention.weights", query="3,2")
    assert not test.exception
    assert not test.error
    header, arrays = grid(test)
    number = int(header["origin"]["image"].rpartition("/")[2])
    shown = data.shown("cifar10")
    image = data.load("cifar10", "samples").images[shown.place(number)]
    np.testing.assert_array_equal(arrays["background"], image)
    assert "picture" not in arrays  # no edge of ink on a photograph
    assert not header["ink"]
    assert header["boxes"] == [0, 0, 4, 4, 4, 4]
    assert arrays["maps"].shape == (2, 8, 8)
    assert header["outlined"] == [17, 17]


def test_a_visit_lasts_while_the_page_runs_again() -> None:
    test = run(model="pixel_attention.digits", address="attention.query", data="strokes")
    first = grid(test)[0]["state"]["chosen"]["revision"]
    test.button[3].click().run()
    assert grid(test)[0]["state"]["chosen"]["revision"] == first == 1


def finding(test: AppTest) -> str:
    assert not test.exception
    assert not test.error
    return next(one.value for one in test.markdown if one.value.startswith("**"))


def test_many_pictures_are_compared_in_a_thread_that_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "PICTURES", 4)
    words = {"model": "pixel_line.digits", "data": "strokes", "experiment": "agreement"}
    test = run(**words)
    test.button(key="agree_start").click().run()
    assert test.query_params["agree"] in ("yes", ["yes"])
    (job,) = [one for key, one in jobs._jobs.items() if key[0] == "agree" and key[1] == "pixel_line.digits"]
    assert job.wait(2, 60)
    done = "\n".join(one.value for one in run(**words, agree="yes").markdown)
    assert "Over 4 pictures tau between the Jacobian and erasure, two accepted methods" in done
    assert "random maps and erasure" in done

    began = job_of_random_layers(monkeypatch)
    assert "Stop" in [one.label for one in began.button]
    began.button(key="randomise_stop").click().run()
    assert "randomise" not in began.query_params


def job_of_random_layers(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Return the page while layers are made random: in a job that never ends."""
    monkeypatch.setattr(jobs.Job, "start", lambda job: None)
    words = {"model": "pixel_line.digits", "data": "strokes", "experiment": "random_layers", "randomise": "yes"}
    return run(**words)


def test_a_map_that_is_the_same_everywhere_is_said_to_rank_nothing() -> None:
    words = {"model": "history:spatial_transformer.rotated-only@0", "data": "strokes", "number": "23"}
    own = "the network's own map (sampling grid) is the same everywhere, so it ranks nothing.** Kendall's tau between"
    assert own in finding(run(**words, experiment="agreement"))
    for name in ("random_layers", "constant"):
        said = finding(run(**words, experiment=name))
        assert "The map of sampling grid is the same everywhere," in said
        assert "nan" not in said


def test_random_layers_are_compared_with_chance_map_by_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "FEWER", 2)
    words = {"model": "history:spatial_transformer.rotated-only@0", "data": "strokes", "experiment": "random_layers"}
    test = run(**words, randomise="yes")
    (job,) = [one for key, one in jobs._jobs.items() if key[0] == "randomise" and words["model"] in key[1]]
    assert job.wait(2, 60)
    test = run(**words, randomise="yes")
    assert not test.exception
    done = "\n".join(one.value for one in test.markdown)
    assert "over 2 pictures, when all" in done
    assert "sampling grid none, because it is the same everywhere" in done
    captions = "\n".join(one.value for one in test.caption)
    assert "The random weights are drawn anew for each picture." in captions
    assert "anew" not in "\n".join(one.value for one in run(**words).caption)  # where there is one draw


def test_a_tap_of_a_third_party_whose_role_says_so_is_ranked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        ROLES, "after_relu", Role(("batch channel row column",), "Maps.", "positive", attends="weights")
    )
    test = run(model="cnn_attention.digits", data="strokes", experiment="agreement", ranked="conv.1.after_relu")
    assert "own map (after relu)" in finding(test)
    assert "conv.1.after_relu" in test.selectbox(key="ranked").options


def test_the_layers_are_chosen_in_the_url() -> None:
    words = {"model": "pixel_attention.digits", "data": "strokes", "experiment": "random_layers"}
    test = run(**words, random_layers="3")
    assert test.slider(key="random_layers").value == 3
    assert any("`attention.value`" in one.value for one in test.caption)
    test.slider(key="random_layers").set_value(5).run()
    assert test.query_params["random_layers"] in ("5", ["5"])
    assert "valid numbers are 0 to 5" in run(**words, random_layers="6").warning[0].value
