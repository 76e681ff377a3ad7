"""What the models of the draw page classify: pad, samples, headline and pictures from outside follow it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from attnviz import data, models, subjects
from attnviz.ui.draw import panels, tasks
from tests.data.picture_files import saved
from tests.pages.draw_page import open_page, pad, run

FASHION, COLOUR, DIGITS = "element_wise.fashion-b", "pixel_line.cifar", "pixel_line.digits"


def read_head(test: AppTest) -> str:
    return test.markdown[0].value


@pytest.mark.parametrize(
    ("model", "source", "sheet"),
    [
        (DIGITS, "strokes", {"canvas": 280, "side": 28, "channels": 1, "centres": True}),
        (FASHION, "fashion_mnist", {"canvas": 280, "side": 28, "channels": 1, "centres": False}),
        (COLOUR, "cifar10", {"canvas": 256, "side": 32, "channels": 3, "centres": False}),
    ],
)
def test_pad_samples_and_headline_follow_the_models(model: str, source: str, sheet: dict[str, Any]) -> None:
    test = open_page(models=model)
    header, arrays = pad(test)
    spec = data.DATASETS[source]
    assert header["sheet"].items() >= sheet.items()
    assert [one["label"] for one in header["samples"]] == header["cards"]["classes"] == [*spec.classes]
    shown = data.shown(source)
    images = data.load(source, shown.split, count=None if shown.split == "samples" else 300).images
    for picture, sample in zip(arrays["samples"], header["samples"], strict=True):
        number = int(sample["name"].removeprefix(f"{source}."))
        place = shown.place(number)
        assert place is not None
        np.testing.assert_array_equal(picture.reshape(spec.shape), images[place])
    said = "Draw a digit." if source == "strokes" else f"{spec.classes[-2]} or {spec.classes[-1]}."
    assert said in read_head(test)
    assert header["cards"]["kind"] == ("digits" if source == "strokes" else f"classes of {spec.title}")
    np.testing.assert_array_equal(arrays["card_sample"], arrays["samples"][8])
    assert not test.warning


def test_the_choice_of_a_task_brings_its_models_and_that_of_digits_is_the_usual_one() -> None:
    test = open_page()
    choice = test.button_group(key="task")
    assert choice.options == ["Digits", "Fashion-MNIST", "CIFAR-10"]
    choice.set_value(data.DATASETS["cifar10"].classes)
    run(test)
    names = [one["checkpoint"] for one in pad(test)[0]["cards"]["models"]]
    assert test.query_params["models"] == ",".join(names)
    assert names and all(subjects.net(name).input.channels == 3 for name in names)
    test.button_group(key="task").set_value(data.DATASETS["strokes"].classes)
    assert "models" not in run(test).query_params


def test_models_of_two_tasks_have_the_pad_of_the_first_and_the_others_no_panel() -> None:
    test = open_page(models=f"{FASHION},{DIGITS}")
    assert [one["checkpoint"] for one in pad(test)[0]["cards"]["models"]] == [FASHION]
    assert f"There is no model of classes of Fashion-MNIST called '{DIGITS}'" in test.warning[0].value.replace("\\", "")


def test_without_any_model_there_is_a_pad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    test = open_page()
    header, _ = pad(test)
    assert header["cards"]["models"] == [] and header["sheet"]["side"] == 28
    assert "Draw a digit." in read_head(test)


def test_every_model_belongs_to_the_task_whose_classes_it_knows() -> None:
    offered = panels.offered()
    for name, net in subjects.usable().items():
        classes = tasks.classes_of(net)
        says_text = models.spec(net.architecture).per_step  # a drawing is no strip
        assert (classes in offered) != says_text and set(net.classes) <= set(classes), name


def test_a_picture_from_outside_keeps_its_colours_on_a_pad_in_colour() -> None:
    values = np.zeros((20, 40, 3), np.uint8)
    values[:, :20] = [200, 30, 60]
    test = open_page(models=COLOUR, input="file")
    test.file_uploader[0].set_value(("picture.png", saved(Image.fromarray(values)), "image/png"))
    header, arrays = pad(run(test))
    assert header["side"] == 256 and arrays["base"].shape == (256, 256, 3)
    np.testing.assert_array_equal(arrays["base"][128, 64], [200, 30, 60])
    assert not arrays["base"][128, 192].any() and not arrays["base"][30, 64].any()
    assert "input_dark" not in [group.key for group in test.button_group]


@pytest.mark.parametrize(("first", "then", "channels"), [(DIGITS, COLOUR, 3), (COLOUR, FASHION, 1)])
def test_a_picture_from_outside_is_put_back_in_the_colours_of_the_pad_of_another_task(
    first: str, then: str, channels: int
) -> None:
    values = np.full((40, 40, 3), 255, np.uint8)
    values[10:30, 10:30] = [200, 30, 60]
    test = open_page(models=first, input="file")
    test.file_uploader[0].set_value(("picture.png", saved(Image.fromarray(values)), "image/png"))
    run(test)
    test.query_params["models"] = then
    run(test)
    test.button(key="input_again").click()
    base = pad(run(test))[1]["base"]
    assert base.shape == {3: (256, 256, 3), 1: (280, 280)}[channels]
    middle = base[base.shape[0] // 2, base.shape[1] // 2]
    np.testing.assert_array_equal(middle, [200, 30, 60] if channels == 3 else 84)  # 0.299, 0.587 and 0.114 of them


def test_a_picture_that_is_not_square_lies_in_the_middle_of_a_square() -> None:
    picture = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    square = tasks.Task(("a", "b"), "cifar10").on_pad(picture)
    assert square.shape == (4, 4, 3)
    np.testing.assert_array_equal(square[1:3], picture)
    assert not square[[0, 3]].any()
