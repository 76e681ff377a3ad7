"""The draw page alone, without the navigation: it follows the URL, and says what is wrong in sentences."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attnviz import data
from attnviz.ui.shared import url_state

from .draw_page import PAGE, open_page, pad, run


def test_it_begins_with_an_empty_pad_and_ten_digits_to_start_from() -> None:
    test = open_page()
    header, arrays = pad(test)
    assert header["state"]["drawn"]["value"] == {"drawing": "", "base": None, "centred": True}
    assert [one["label"] for one in header["samples"]] == list("0123456789")
    images = data.load("strokes", "test", count=64).images
    numbers = [int(one["name"].removeprefix("strokes.")) for one in header["samples"]]
    np.testing.assert_array_equal(arrays["samples"], images[numbers, :, :, 0])
    assert not test.warning


def test_a_link_of_the_page_states_its_models_and_the_version() -> None:
    test = open_page()
    shown = [one["checkpoint"] for one in pad(test)[0]["cards"]["models"]]
    stated = test.session_state["url_state.stated"]
    assert stated == {"v": url_state.VERSION, "models": ",".join(shown)}
    again = open_page(**stated)
    assert [one["checkpoint"] for one in pad(again)[0]["cards"]["models"]] == shown and not again.warning


def test_the_url_brings_strokes_a_picture_and_the_switch() -> None:
    header, arrays = pad(open_page(strokes="AQ-_", start="strokes.0012", centred="no"))
    assert header["state"]["drawn"]["value"] == {"drawing": "AQ-_", "base": "strokes.12", "centred": False}
    np.testing.assert_array_equal(arrays["base"], data.load("strokes", "test", count=64).images[12, :, :, 0])


def test_the_url_brings_heads_maps_and_what_is_pinned() -> None:
    model = "pixel_attention.digits"
    header, arrays = pad(
        open_page(
            models=model,
            heads=f"{model}:3",
            map="jacobian",
            change="yes",
            trained="25",
            pin_trained="100",
            pin="AQ-_",
            pin_start="strokes.7",
        )
    )
    pin = {"drawing": "AQ-_", "base": "strokes.7", "centred": True}
    panels = {"heads": {model: 2}, "map": "jacobian", "change": True, "trained": 25, "pin_trained": 100}
    wanted = {**panels, "pin": pin}
    assert header["state"]["panels"]["value"] == header["panels"] == wanted
    np.testing.assert_array_equal(arrays["pin_base"], data.load("strokes", "test", count=64).images[7, :, :, 0])


def test_a_head_of_a_model_without_a_panel_leaves_the_url_with_it() -> None:
    one, other = "pixel_attention.digits", "cnn_attention.digits"
    test = open_page(models=f"{one},{other}", heads=f"{one}:3,{other}:2")
    test.multiselect[0].set_value([one])
    run(test)
    assert (test.query_params["models"], test.query_params["heads"]) == (one, f"{one}:3")
    assert not test.warning


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"strokes": "a b"}, "The drawing in the URL cannot be read"),
        ({"start": "strokes.10000"}, "pictures 0 to 9,999"),
        ({"start": "strokes.-1"}, "pictures 0 to 9,999"),
        ({"start": "strokes.²"}, "pictures 0 to 9,999"),
        ({"start": "stroke.1"}, "Did you mean 'strokes'"),
        ({"start": "cifar10.10000"}, "pictures 0 to 9,999"),
        ({"start": "[a](b)"}, "There is no data set"),
        ({"centred": "maybe"}, "can be 'yes' or 'no'"),
    ],
)
def test_nonsense_in_the_url_is_one_sentence(words: dict[str, str], sentence: str) -> None:
    test = open_page(**words)
    (warning,) = test.warning
    assert sentence in warning.value.replace("\\", "")
    assert pad(test)[0]["state"]["drawn"]["value"] == {"drawing": "", "base": None, "centred": True}


def test_a_data_set_that_is_not_here_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path))
    test = open_page(start="mnist.3")
    assert pad(test)[0]["state"]["drawn"]["value"]["base"] is None
    assert "mnist" in test.warning[0].value.lower()


def test_it_loads_no_torch() -> None:
    code = f"""
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_file({str(PAGE)!r}, default_timeout=120).run()
assert not at.exception and at.title, at.exception
assert not {{"torch", "torchvision"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_word_that_says_no_share_of_a_training_is_a_sentence() -> None:
    for word in ("100", "x", "-1", "1.5"):
        test = open_page(models="pixel_attention.1v8", trained=word)
        assert "0 to 99" in test.warning[0].value
        assert pad(test)[0]["panels"]["trained"] is None
    test = open_page(models="pixel_attention.1v8", pin="AQ-_", pin_trained="101")
    assert "pin_trained" in test.warning[0].value.replace("\\", "")
    assert "0 to 100" in test.warning[0].value
    assert pad(test)[0]["panels"]["pin_trained"] is None


def test_a_panel_has_the_epochs_of_its_models_history() -> None:
    header, _ = pad(open_page(models="pixel_attention.1v8,ink.1v8"))
    first, second = header["cards"]["models"]
    assert first["epochs"][0] == [0, "history:pixel_attention.1v8@0"]
    assert first["epochs"][-1][1] == "pixel_attention.1v8"
    assert second["epochs"] == []
