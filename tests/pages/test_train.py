"""The page on which models are trained, run alone: its settings, and the trainings that there are."""

import io
import re
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from streamlit.testing.v1 import AppTest

from attnviz import data, subjects
from attnviz.data import own
from attnviz.errors import DataError, UnknownName
from attnviz.training import examples, seeds
from attnviz.training.cost import Cost
from attnviz.training.loop import Training
from attnviz.training.run import Run
from attnviz.ui.shared import pickers, visitor
from attnviz.ui.training import access, yours
from attnviz.ui.training.experiments import same
from attnviz.views.payload import header_of
from attnviz.work import processes
from attnviz.work.jobs import cost, keeping, seen, table
from attnviz.work.jobs.order import Order
from tests.training import small

PAGE = Path(__file__).parents[2] / "pages" / "80_train.py"


@pytest.fixture
def here(tmp_path, monkeypatch) -> Iterator[Path]:
    """Empty folders of runs and of kept models; what a job starts ends at once."""
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("ATTNVIZ_KEPT", str(tmp_path / "kept"))
    monkeypatch.setattr(access, "_sits_here", lambda: True)
    monkeypatch.setattr(cost, "of", lambda order: Cost(2.0, 300.0, 8))
    seen.again()
    monkeypatch.setattr(Order, "words", lambda one: [sys.executable, "-c", "print('It diverged.')"])
    yield tmp_path
    for child in processes.children:
        child.wait()
    processes.children.clear()


def _page(**words: str) -> AppTest:
    found = AppTest.from_file(str(PAGE), default_timeout=120)
    found.query_params.update(words)
    return found.run()


def _labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def test_from_an_empty_folder_it_offers_a_training_that_needs_nothing(here):
    page = _page()
    assert not page.exception
    assert not page.error
    chosen = {one.label: one.value for one in (*page.selectbox, *page.text_input)}
    assert (chosen["Data"], chosen["Epochs"], chosen["Seeds"]) == ("strokes", "12", "0")
    assert "Train" in _labels(page)
    assert not (here / "runs").exists()


def test_train_starts_a_job_with_the_settings_of_the_link(here):
    page = _page(epochs="3", learning_rate="0.02", seeds="0-1")
    page.button(key="train_start").click().run()
    assert not page.exception
    (job,) = table.ids()
    order = table.read(job)
    assert order.seeds == (0, 1)
    assert {"epochs": "3", "learning_rate": "0.02", "data": "strokes"}.items() <= order.changes.items()
    assert "has been started" in page.success[0].value
    for child in processes.children:
        child.wait()
    seen.again()
    page.run()
    assert any("It diverged" in caption.value for caption in page.caption)
    page.button(key=f"Delete-{job}").click().run()
    assert table.ids() == []


@pytest.mark.parametrize(
    "words",
    [{"epochs": "0"}, {"epochs": "../x"}, {"learning_rate": "nan"}, {"seeds": "4-0"}, {"heads": "x"},
     {"epochs": "9999"}, {"device": "tpu"}, {"recipe": "../x"}, {"data": "/etc"}],
    ids=str,
)  # fmt: skip
def test_nonsense_in_the_link_is_a_sentence(here, words):
    page = _page(**words)
    if "train_start" in [button.key for button in page.button]:
        page.button(key="train_start").click().run()
    assert not page.exception
    assert page.error or page.warning or words.keys() & {"device", "recipe", "data"}
    assert all("Traceback" not in one.value for one in page.error)


def test_who_may_not_train_starts_nothing(here, monkeypatch):
    monkeypatch.setattr(access, "_sits_here", lambda: False)
    page = _page()
    page.button(key="train_start").click().run()
    assert "another machine" in page.error[0].value
    assert table.ids() == []


def _data(page: AppTest) -> str:
    """Return the data set that is chosen."""
    (found,) = [one.value for one in page.selectbox if one.label == "Data"]
    return str(found)


def _pictures() -> bytes:
    file = io.BytesIO()
    images = np.random.default_rng(0).integers(0, 99, (40, 28, 28), np.uint8)
    np.savez(file, images=images, labels=np.arange(40) % 4)
    return file.getvalue()


def test_a_visitor_trains_on_own_pictures_which_nobody_else_sees(here, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DATA", str(here / "data"))
    who = ["me"]
    monkeypatch.setattr(visitor, "holder", lambda: who[0])
    page = _page()
    page.text_input(key="train_own_title").input("mine").run()
    page.file_uploader(key="train_own_file").set_value(("../../x.npz", _pictures(), "")).run()
    page.button(key="train_own_use").click().run()
    assert not page.error and not page.exception
    (name,) = own.names("me")
    assert (page.query_params["data"], _data(page)) == (name, name)
    page.text_input(key="epochs").input("2").run()
    page.button(key="train_start").click().run()
    (job,) = table.ids()
    order = table.read(job)
    recipe = order.made()
    assert (recipe.data, recipe.classes, recipe.tests) == (name, (0, 1, 2, 3), ())
    for child in processes.children:
        child.wait()
    given = examples.material(recipe, "cpu")
    generator = torch.Generator().manual_seed(0)
    training = Training(seeds.build(recipe, generator), recipe, *given.parts(), generator)
    info = small.run_file(recipe, data_digest=given.digest)
    list(Run(info).train(training))
    seen.again()
    page.run()
    assert _words(page).count("Your pictures: mine") >= 2
    page.button(key=f"remove-{name}").click().run()
    assert "A training uses these pictures" in page.error[0].value
    assert subjects.net(f"run:{info.id}@2").data is None  # so no page looks for pictures of it
    assert [one["figure"] for one in _sliders(f"run:{info.id}@2")] == ["validation accuracy"]
    assert len(_beside(f"run:{info.id}")["curve"]) == 2

    who[0] = "another"
    other = _page(data=name)
    assert not other.exception
    assert _data(other) != name
    assert "somebody else's pictures" in _words(other)
    assert "mine" not in _words(other) and info.id[-4:] not in str(other.multiselect)
    assert not any(button.key == f"remove-{name}" for button in other.button)
    (slider,) = _sliders(f"run:{info.id}@2")
    assert [point["epoch"] for point in slider["points"]] == [0, 1, 2]
    assert (slider["figure"], slider["curve"]) == ("", [])
    assert _beside(f"run:{info.id}")["curve"] == []
    for key in (f"run:{info.id[:-1]}@2", "run:nonsense"):
        with pytest.raises(UnknownName, match="There are none") as refused:
            subjects.net(key)
        assert info.id not in str(refused.value)


def _sliders(model: str) -> list[dict[str, Any]]:
    """Return what the sliders of epochs on the page of the explorer are given."""
    page = AppTest.from_file(str(PAGE.with_name("00_explorer.py")), default_timeout=120)
    page.query_params["model"] = model
    found = [header_of(one.proto.bytes) for one in page.run().get("bidi_component")]
    return [one for one in found if "points" in one]


def _beside(key: str) -> dict[str, Any]:
    """Return what a slider is given of a training beside one that is shipped."""

    def script(key: str) -> None:
        from attnviz import subjects
        from attnviz.ui.live import trainings
        from attnviz.ui.shared import epochs

        epochs.slider(subjects.net("pixel_attention.1v8"), trainings.history_of(key))

    (found,) = AppTest.from_function(script, default_timeout=120, args=(key,)).run().get("bidi_component")
    beside: dict[str, Any] = header_of(found.proto.bytes)["beside"]
    return beside


def _words(page: AppTest) -> str:
    return " ".join(one.value for one in (*page.markdown, *page.caption)).replace("\\", "")


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"PK\5\6" + bytes(18)])
def test_pictures_that_cannot_be_read_are_one_sentence(here, monkeypatch, content):
    monkeypatch.setenv("ATTNVIZ_DATA", str(here / "data"))
    monkeypatch.setattr(visitor, "holder", lambda: "me")
    page = _page()
    page.text_input(key="train_own_title").input("mine").run()
    page.file_uploader(key="train_own_file").set_value(("x.zip", content, "")).run()
    page.button(key="train_own_use").click().run()
    assert not page.exception
    assert len(page.error) == 1
    assert own.names("me") == []


def _zip(count: int) -> bytes:
    picture, file = io.BytesIO(), io.BytesIO()
    Image.new("L", (28, 28)).save(picture, "PNG")
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(count):
            archive.writestr(f"{'ab'[number % 2]}/{number}.png", picture.getvalue())
    return file.getvalue()


def test_pictures_that_take_long_are_read_beside_the_page_which_says_how_far_and_stops(here, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DATA", str(here / "data"))
    monkeypatch.setattr(visitor, "holder", lambda: "me")
    monkeypatch.setattr(yours, "AT_ONCE", 0.0)
    may, step, begun = threading.Semaphore(1), own.Bringing.step, threading.Semaphore(0)

    def waits(work: own.Bringing, part: int) -> str:
        begun.release()
        assert may.acquire(timeout=60)
        return step(work, part)

    monkeypatch.setattr(own.Bringing, "step", waits)
    page = _page()
    page.text_input(key="train_own_title").input("mine").run()
    page.file_uploader(key="train_own_file").set_value(("x.zip", _zip(40), "")).run()
    page.button(key="train_own_use").click().run()
    assert begun.acquire(timeout=60) and begun.acquire(timeout=60)  # the second of three parts
    page.run()
    assert not page.exception and not page.error
    assert "33% of your pictures are read" in str(page.get("progress")[0].proto)
    page.button(key="train_own_stop").click().run()
    may.release(9)
    assert own.names("me") == []
    page.button(key="train_own_use").click().run()
    job = page.session_state[yours._WORK]
    assert job.wait(3, 60)
    page.run()
    assert "Your pictures are here" in page.success[0].value
    (name,) = own.names("me")
    assert _data(page) == name


def test_a_model_kept_from_ones_own_pictures_opens_with_a_drawing(here, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DATA", str(here / "data"))
    images = np.random.default_rng(0).integers(0, 99, (40, 28, 28), np.uint8)
    file = io.BytesIO()
    np.savez(file, images=images, labels=np.arange(40) % 2, classes=np.array(["cat", "dog"]))
    name = own.bring(file.getvalue(), "mine", data.spec("strokes"), "me")
    recipe = Order(model="pixel_attention", recipe="1v8", changes={"data": name, "epochs": "1"}).made()
    given = examples.material(recipe, "cpu")
    generator = torch.Generator().manual_seed(0)
    info = small.run_file(recipe, data_digest=given.digest)
    list(Run(info).train(Training(seeds.build(recipe, generator), recipe, *given.parts(), generator)))
    keeping.keep(info.id, 1, "mine")
    for file_name in ("10_pixel_attention.py", "00_explorer.py"):
        page = AppTest.from_file(str(PAGE.with_name(file_name)), default_timeout=120)
        page.query_params["model"] = "pixel_attention.mine"
        page.run()
        assert not page.exception and not page.error and not page.warning
        assert "so it looks at a drawing" in _words(page)
        assert "[Draw or upload another](draw" in _words(page)
    with pytest.raises(DataError, match="no data set here has any"):
        pickers.tests(subjects.Subject(subjects.net("pixel_attention.mine"), subjects.example("drawing:x")))


def test_a_run_is_drawn_and_an_epoch_of_it_kept(here):
    chosen = small.recipe(epochs=2)
    with small.place(here):
        order = Order(model="pixel_attention", recipe="small", changes={"epochs": "2"})
        list(Run(small.run_file(order.made())).train(small.training(chosen)))
        job = table.start(order)
        for child in processes.children:
            child.wait()
        page = _page()
        assert not page.exception
        assert table.state(job).word == "finished"
        assert any("Finished after 2 epochs" in caption.value for caption in page.caption)
        page.text_input(key="train_word").input("mine").run()
        page.button(key="train_do_keep").click().run()
        assert not page.error
        assert (here / "kept" / "pixel_attention.mine" / "card.json").is_file()


@pytest.mark.parametrize("value", ['"much"', "1e999"])
def test_a_damaged_curve_takes_nothing_else_from_the_page(here, value):
    with small.place(here):
        order = Order(model="pixel_attention", recipe="small", changes={"epochs": "2"})
        info = small.run_file(order.made())
        list(Run(info).train(small.training(small.recipe(epochs=2))))
        table.start(order)
        for child in processes.children:
            child.wait()
        curve = here / "runs" / info.id / "curve.jsonl"
        # The last line may be torn, as by a kill; the one before it may not.
        curve.write_text(re.sub(r'("train_loss": )[^,}]+', lambda found: found[1] + value, curve.read_text(), count=1))
        assert value in curve.read_text()
        seen.again()
        page = _page()
        assert not page.exception
        assert "Train" in _labels(page)
        assert any("When does a head appear?" in one.label for one in page.expander), "what stands below the list"


def test_the_heads_of_a_run_are_switched_off_epoch_by_epoch(here):
    chosen = small.recipe(epochs=2)
    with small.place(here):
        order = Order(model="pixel_attention", recipe="small", changes={"epochs": "2"})
        info = small.run_file(order.made())
        list(Run(info).train(small.training(chosen)))
        table.start(order)
        for child in processes.children:
            child.wait()
        page = _page(experiment="appear")
        assert not page.exception
        assert not page.error
        assert page.selectbox(key="of").value == f"run:{info.id}"
        page.button(key="appear_start").click().run()
        while "appear_stop" in {button.key for button in page.button}:
            page.run()
        assert not page.exception
        assert any("The only head" in one.value or "no head matters" in one.value for one in page.markdown)
        (numbers,) = page.dataframe
        assert list(numbers.value["head"]) == ["head 1"]
        page.selectbox(key="of").set_value(f"run:{info.id}")
        assert not _page(experiment="appear", of="run:nobody").exception


def test_the_heads_of_two_seeds_are_matched(here, monkeypatch):
    monkeypatch.setattr(same, "PICTURES", 8)
    chosen = small.recipe(epochs=1)
    with small.place(here):
        order = Order(model="pixel_attention", recipe="small", changes={"epochs": "1"}, seeds=(0, 1))
        found = [small.run_file(order.made(), seed=seed) for seed in (0, 1)]
        list(Run(found[0]).train(small.training(chosen)))
        table.start(order)
        for child in processes.children:
            child.wait()
        alone = _page(experiment="same_heads")
        assert not alone.exception
        assert any("There is no second training" in one.value for one in alone.info)
        list(Run(found[1]).train(small.training(chosen, 1)))
        seen.again()
        page = _page(experiment="same_heads", of=f"run:{found[0].id}")
        assert not page.error
        assert page.selectbox(key="second").value == f"run:{found[1].id}"
        page.button(key="matched_start").click().run()
        while "matched_stop" in {button.key for button in page.button}:
            page.run()
        assert not page.exception
        assert any("Before the training, matched in the same way" in one.value for one in page.markdown)


def test_a_run_is_trained_again_with_one_setting_changed_and_both_stand_under_one_slider(here):
    with small.place(here):
        order = Order(model="pixel_attention", recipe="small", changes={"epochs": "2"})
        list(Run(small.run_file(order.made())).train(small.training(order.made())))
        table.start(order)
        for child in processes.children:
            child.wait()
        page = _page(experiment="what_if", change="learning_rate")
        assert not page.exception
        assert any("This is the value that it was trained with" in one.value for one in page.caption)
        page.text_input(key="to").input("0.1").run()
        assert not page.error
        page.button(key="what_if_start").click().run()
        changed = [table.read(job) for job in table.ids() if "learning_rate" in table.read(job).changes]
        assert [one.changes for one in changed] == [{"epochs": "2", "learning_rate": "0.1"}]
        for child in processes.children:
            child.wait()
        made = changed[0].made()
        list(Run(small.run_file(made)).train(small.training(made)))
        seen.again()
        first = page.query_params["of"]
        both = _page(experiment="what_if", change="learning_rate", to="0.1", of=first)
        assert not both.exception
        assert "With learning rate 0.1 it answers" in _words(both)
        plots = [one.value for one in both.markdown if "as it was, validation" in one.value]
        assert len(plots) == 2
        assert all("with learning rate 0.1, validation" in one for one in plots)
        headers = [header_of(one.proto.bytes) for one in both.get("bidi_component")]
        (slider,) = [one for one in headers if "points" in one]
        assert [point["epoch"] for point in slider["points"]] == [0, 1, 2]
        assert list(slider["beside"]["nets"]) == ["0", "1", "2"]
        assert slider["state"]["net"]["value"] == f"{first}@2"
        lost = _page(experiment="what_if", change="learning_rate", to="0.1", of=first, at="run:nobody@1")
        (said,) = lost.warning
        assert "There is no epoch" in said.value and "nobody" in said.value
        at = _page(experiment="what_if", change="learning_rate", to="0.1", of=first, at=f"{first}@1")
        assert not at.warning
        at.selectbox(key="of").set_value(f"run:{small.run_file(made).id}").run()
        assert at.query_params["of"] != first
        assert "at" not in at.query_params, "it is an epoch of the other training"
        assert not at.warning
        nonsense = _page(experiment="what_if", change="learning_rate", to="fast")
        assert not nonsense.exception
        assert any("fast" in one.value for one in nonsense.error)
