"""Two trainings under one slider: attnviz/ui/live/second_training.py and trainings.py."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import subjects
from attnviz.errors import BadInput, UnknownName
from attnviz.recipes.altered import altered
from attnviz.recipes.recipe import changed
from attnviz.recipes.schwarz import SIMPLE
from attnviz.subjects import Picture, Subject
from attnviz.subjects.history import history
from attnviz.training.run import Run
from attnviz.ui.live import second_training, trainings
from attnviz.ui.live.second_training import BESIDE_VIEW
from attnviz.ui.shared import findings
from attnviz.views.payload import unpack
from tests.training import small
from tests.ui.mechanisms import untrained
from tests.ui.mechanisms.pixel_attention.experiments import placed

NAME, TWIN, POOLED = "pixel_attention.without", "pixel_attention.twin", "pixel_attention.with"
PICTURE, WEIGHTS, QUERY = Picture("strokes", 23), "attention.weights", 320


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / "checkpoints"))
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "runs"))
    placed.place(tmp_path / "checkpoints")
    fewer = {**placed.WITHOUT, "heads": 2}
    placed.lay(
        tmp_path / "checkpoints", changed(SIMPLE, name="twin", title="Twin", data="strokes", config=fewer), 9, 0.7
    )
    untrained.give_history(tmp_path / "checkpoints", NAME, (0, 2), 9)
    untrained.give_history(tmp_path / "checkpoints", TWIN, (0,), 9)
    untrained.give_history(tmp_path / "checkpoints", POOLED, (0,), 9)


def subject(key: str = NAME) -> Subject:
    return Subject(subjects.net(key), PICTURE)


def test_the_second_net_stands_below_the_first_and_heads_that_it_lacks_are_no_numbers():
    header, arrays = unpack(BESIDE_VIEW.of(subject(), address=WEIGHTS, second=TWIN, query=QUERY))
    upper, lower = (findings.tap(subject(key), WEIGHTS, QUERY).values for key in (NAME, TWIN))
    np.testing.assert_array_equal(arrays["maps"][:3], upper)
    np.testing.assert_array_equal(arrays["maps"][3:5], lower)
    assert np.isnan(arrays["maps"][5]).all()
    assert (header["table"]["columns"], header["scale"]) == (3, "share")
    assert header["outlined"] == [QUERY] * 6
    assert header["request"]["parameters"]["second"] == TWIN
    assert header["origin"]["second"] == TWIN


def test_an_epoch_that_the_second_lacks_is_said_and_nothing_stands_for_it():
    header, arrays = unpack(BESIDE_VIEW.of(subject(f"history:{NAME}@2"), address=WEIGHTS, second="", query=QUERY))
    assert header["title"] == "Epoch 2: no weights of the second training"
    assert np.isnan(arrays["maps"][3:]).all()
    assert np.isfinite(arrays["maps"][:3]).all()


def test_what_cannot_stand_beside_each_other_is_a_sentence():
    with pytest.raises(BadInput, match=r"\(28, 28\) in one net, and \(14, 14\)"):
        BESIDE_VIEW.of(subject(), address=WEIGHTS, second=POOLED, query=100)
    with pytest.raises(UnknownName):
        BESIDE_VIEW.of(subject(), address=WEIGHTS, second="nobody", query=0)
    with pytest.raises(ValueError, match="second"):
        BESIDE_VIEW.of(subject(), address=WEIGHTS, second="../etc", query=0)
    with pytest.raises(BadInput, match="784 queries"):
        BESIDE_VIEW.of(subject(), address=WEIGHTS, second=TWIN)


def test_other_trainings_of_the_same_kind_are_offered():
    net = subjects.net(NAME)
    assert trainings.like(net) == {TWIN: "Twin, as shipped", POOLED: "Small, with, as shipped"}
    assert NAME in trainings.like(subjects.net(TWIN))


def test_the_first_tap_on_offer_says_what_is_attended_to_and_places_must_be_the_same():
    ours, theirs, pooled = (subjects.net(key) for key in (NAME, TWIN, POOLED))
    assert next(iter(second_training.taps_of(ours, theirs))) == WEIGHTS
    assert WEIGHTS not in second_training.taps_of(ours, pooled)


def test_the_second_net_is_that_of_the_same_epoch():
    other = history(subjects.net(TWIN))
    assert other
    found = [second_training.second_at(subjects.net(key), other) for key in (f"history:{NAME}@0", f"history:{NAME}@2")]
    assert found == [f"history:{TWIN}@0", ""]
    assert second_training.second_at(subjects.net(NAME), other) == TWIN


def test_a_second_training_that_the_url_names_where_there_is_none_is_a_sentence(tmp_path):
    for name in (TWIN, POOLED):
        shutil.rmtree(tmp_path / "checkpoints" / name)

    def script():
        from attnviz import subjects
        from attnviz.subjects import Picture, Subject
        from attnviz.ui.live import second_training

        second_training.slider(Subject(subjects.net("pixel_attention.without"), Picture("strokes", 23)))

    page = AppTest.from_function(script, default_timeout=120)
    page.query_params["second"] = TWIN
    (said,) = page.run().warning
    assert said.value.replace("\\", "") == f"There is no training '{TWIN}'. There are none. None is chosen."
    assert len(page.get("bidi_component")) == 1
    del page.query_params["second"]
    assert not page.run().warning


def test_nets_with_a_single_map_stand_side_by_side():
    other = {**placed.WITHOUT, "heads": 1}
    folder = Path(os.environ["ATTNVIZ_CHECKPOINTS"])
    for name, seed in ("one", 3), ("two", 4):
        placed.lay(folder, changed(SIMPLE, name=name, title=name, data="strokes", config=other), seed, 0.7)
    found = BESIDE_VIEW.of(subject("pixel_attention.one"), address=WEIGHTS, second="pixel_attention.two", query=QUERY)
    header, arrays = unpack(found)
    assert (header["table"]["rows"], header["table"]["columns"]) == ([""], 2)
    assert header["title"].endswith(" beside ".join(header["table"]["heads"]))
    for key, map_ in zip(("one", "two"), arrays["maps"], strict=True):
        np.testing.assert_array_equal(map_, findings.tap(subject(f"pixel_attention.{key}"), WEIGHTS, QUERY).values[0])


def test_a_run_on_offer_is_told_by_its_seed_and_by_its_recipe_only_where_that_is_another_one(tmp_path):
    with small.place(tmp_path):
        recipe = altered(small.recipe(epochs=1), {"heads": "2"})
        infos = [small.run_file(recipe, seed=seed) for seed in (0, 1)]
        for seed, info in enumerate(infos):
            list(Run(info).train(small.training(recipe, seed)))
        key, id_ = f"run:{infos[1].id}", infos[1].id[-4:]
        told = f"seed 1, {recipe.data}, rate {recipe.learning_rate:g}, heads 2 ({id_})"
        assert trainings.title_of(infos[1].id) == f"{recipe.title}, {told}"
        assert trainings.like(subjects.net(f"run:{infos[0].id}@1"))[key] == told
        assert trainings.like(subjects.net(NAME))[key] == f"{told}: {recipe.title}"
