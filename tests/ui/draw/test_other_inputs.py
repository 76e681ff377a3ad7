"""Test pictures, files and the camera on the draw page: what the pad is handed, and what is refused."""

from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from attnviz import data
from attnviz.data.inputs.photograph import find
from attnviz.data.inputs.pictures import MOST_BYTES, read
from attnviz.ui.components.drawn import Drawn
from attnviz.ui.draw import other_inputs
from attnviz.ui.shared.visitor import camera_refusal
from tests.data.picture_files import DIGIT, enlarged, image, noted, saved
from tests.pages.draw_page import open_page, pad, run

PNG = saved(image("RGB", enlarged(255 - DIGIT, 4)))
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"


def upload(test: AppTest, content: bytes, name: str = "picture") -> AppTest:
    test.file_uploader[0].set_value((name, content, ""))
    return run(test)


def canvas_of(content: bytes) -> np.ndarray:
    picture = read(content, colours=True).colours
    assert picture is not None
    return find(picture).canvas


def asked(header: dict[str, Any]) -> dict[str, Any]:
    """Return what the pad is asked to show, and the revision of that."""
    found: dict[str, Any] = header["state"]["drawn"]
    return found


def told(drawn: Drawn) -> dict[str, Any]:
    """Return what the pad reports."""
    return {"drawn": {"value": drawn.plain(), "revision": 99}}


def said(test: AppTest) -> str:
    return " ".join(caption.value.replace("\\", "") for caption in test.caption)


def test_nothing_is_open_unless_the_url_or_a_click_says_so() -> None:
    test = open_page()
    assert not test.file_uploader and not test.camera_input and not test.number_input
    assert "input" not in [group.key for group in test.button_group]
    header = pad(test)[0]
    assert [one["label"] for one in header["inputs"]] == ["a test picture", "a picture file", "the camera"]
    assert header["input"] == ""
    test.session_state["pad"] = {"input": "file"}
    run(test)
    assert test.query_params["input"] == "file" and test.file_uploader and pad(test)[0]["input"] == "file"
    test.session_state["pad"] = {"input": ""}
    run(test)
    assert "input" not in test.query_params and not test.file_uploader and pad(test)[0]["input"] == ""


def test_the_way_can_be_changed_and_closed_above_the_pad() -> None:
    test = open_page(input="file")
    choice = test.button_group(key="input")
    assert choice.options == ["A test picture", "A picture file", "The camera"] and choice.value == "file"
    choice.set_value("sample")
    run(test)
    assert test.number_input and not test.file_uploader and pad(test)[0]["input"] == "sample"
    test.button_group(key="input").set_value(None)
    run(test)
    assert "input" not in test.query_params and not test.number_input


def test_nonsense_in_the_url_is_one_sentence() -> None:
    test = open_page(input="scanner")
    assert "There is no input 'scanner'" in test.warning[0].value.replace("\\", "")
    assert not test.file_uploader


# Files


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "GIF"])
def test_a_file_of_any_name_comes_onto_the_pad(kind: str) -> None:
    content = saved(image("RGB", enlarged(255 - DIGIT, 8)), kind)
    header, arrays = pad(upload(open_page(input="file"), content, "notes.txt"))
    asked_for = asked(header)["value"]
    assert asked_for["base"].startswith("file-") and asked_for["drawing"] == "" and header["side"] == 280
    np.testing.assert_array_equal(arrays["base"], canvas_of(content))


def test_it_is_said_what_was_done() -> None:
    content = saved(image("L", enlarged(255 - DIGIT, 8)), "JPEG", exif=noted(6))
    words = said(upload(open_page(input="file"), content))
    assert "JPEG; ink darker than its background, as found. It was rotated upright" in words
    assert "only for this visit" in words


def test_light_ink_on_dark_paper_is_found_and_said() -> None:
    content = saved(image("L", enlarged(DIGIT, 8)), "PNG")
    test = upload(open_page(input="file"), content)
    np.testing.assert_array_equal(pad(test)[1]["base"], canvas_of(content))
    assert test.button_group(key="input_dark").value is False
    assert "PNG; ink lighter than its background, as found." in said(test)


def test_it_takes_the_place_of_what_the_url_names_and_is_handed_over_once() -> None:
    test = upload(open_page(input="file", start="strokes.12", strokes="AQ-_", centred="no"), PNG)
    given = pad(test)[0]
    assert asked(given)["value"]["centred"] is False and asked(given)["value"]["base"].startswith("file-")
    assert asked(pad(run(test))[0])["revision"] == asked(given)["revision"]
    del test.query_params["start"], test.query_params["strokes"]  # as the pad's own callback does
    for drawing in ("", "AB"):
        test.session_state["pad"] = told(Drawn(drawing, asked(given)["value"]["base"], False))
        header, arrays = pad(run(test))
        assert asked(header)["revision"] == asked(given)["revision"] and "base" not in arrays


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (HEIC, "HEIC picture"),
        (b"hello", "not a picture"),
        (PNG[:200], "damaged or incomplete"),
        (saved(Image.new("L", (40, 40), 128)), "Nothing in this picture stands out"),
    ],
    ids=["HEIC", "text", "cut", "blank"],
)
def test_what_is_refused_leaves_the_old_picture(content: bytes, sentence: str) -> None:
    test = upload(open_page(input="file"), PNG)
    before = pad(test)
    upload(test, content)
    (error,) = test.error
    assert sentence in error.value.replace("\\", "") and "pad stays as it was" in error.value
    assert asked(pad(test)[0])["revision"] == asked(before[0])["revision"]
    np.testing.assert_array_equal(pad(test)[1]["base"], before[1]["base"])
    assert not upload(test, PNG).error


def test_what_is_taken_back_leaves_the_pad() -> None:
    test = upload(open_page(input="file"), HEIC)
    test.file_uploader[0].clear()
    run(test)
    assert not test.error and asked(pad(test)[0])["value"]["base"] is None


def test_which_is_the_ink_can_be_chosen() -> None:
    test = upload(open_page(input="file"), PNG)
    first = asked(pad(test)[0])["value"]["base"]
    choice = test.button_group(key="input_dark")
    assert choice.value is True
    choice.set_value(False)
    run(test)
    header, arrays = pad(test)
    assert asked(header)["value"]["base"] not in (None, first)
    np.testing.assert_array_equal(arrays["base"], find(read(PNG).grey, False).canvas)
    assert "lighter than its background, as you chose" in said(test)


def test_it_can_be_put_on_the_pad_again() -> None:
    test = upload(open_page(input="file"), PNG)
    first = asked(pad(test)[0])["value"]["base"]
    test.session_state["pad"] = told(Drawn("", first))
    assert "base" not in pad(run(test))[1]
    test.button(key="input_again").click()
    header, arrays = pad(run(test))
    assert asked(header)["value"]["base"] != first
    np.testing.assert_array_equal(arrays["base"], canvas_of(PNG))


def test_two_visitors_do_not_see_each_others_pictures() -> None:
    one, other = open_page(input="file"), open_page(input="file")
    upload(one, PNG)
    assert "base" not in pad(run(other))[1] and "input_dark" not in other.session_state


def test_uploads_are_kept_out_of_files() -> None:
    from starlette.formparsers import MultiPartParser

    open_page(input="file")
    assert MultiPartParser.spool_max_size > MOST_BYTES


# The camera


def test_a_photograph_comes_onto_the_pad() -> None:
    test = open_page(input="camera")
    test.camera_input[0].set_value(("photo.jpg", saved(image("RGB", enlarged(255 - DIGIT, 8)), "JPEG"), "image/jpeg"))
    header, arrays = pad(run(test))
    assert asked(header)["value"]["base"].startswith("camera-") and arrays["base"].any()


@pytest.mark.parametrize(
    "url",
    [
        None,
        "http://localhost:8501/draw",
        "http://127.0.0.1:8501/draw",
        "http://[::1]:8501/draw",
        "http://attnviz.localhost/draw",
        "https://192.168.1.5/draw",
        "https://example.org",
    ],
)
def test_the_camera_is_lent_on_this_machine_and_over_https(url: str | None) -> None:
    assert camera_refusal(url, "A picture file") is None


@pytest.mark.parametrize("host", ["192.168.1.5", "class-room.local", "localhost.example.org", "[fe80::1]"])
def test_over_plain_http_it_is_said_why_there_is_no_camera(host: str) -> None:
    sentence = camera_refusal(f"http://{host}:8501/draw", "A picture file")
    assert sentence and host.strip("[]") in sentence and "https" in sentence and "A picture file" in sentence


def test_where_the_camera_is_refused_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_inputs, "camera_refusal", lambda url, instead: "Browsers allow no camera here.")
    test = open_page(input="camera")
    assert test.info[0].value.replace("\\", "") == "Browsers allow no camera here." and not test.camera_input


# Test pictures


def test_a_test_picture_is_chosen_by_number() -> None:
    test = open_page(input="sample", strokes="AQ-_")
    test.number_input(key="input_number").set_value(42)
    run(test)
    assert test.query_params["start"] == "strokes.42" and "strokes" not in test.query_params
    header, arrays = pad(test)
    assert asked(header)["value"] == {"drawing": "", "base": "strokes.42", "centred": True}
    np.testing.assert_array_equal(arrays["base"], data.load("strokes", "test", count=64).images[42, :, :, 0])


def test_a_test_picture_is_chosen_by_digit_next_and_at_random() -> None:
    labels = data.labels("strokes", "test")
    sevens = [int(number) for number in np.flatnonzero(labels == 7)]
    test = open_page(input="sample")
    test.selectbox(key="input_class").set_value("7")
    assert run(test).query_params["start"] == f"strokes.{sevens[0]}"
    test.button(key="input_next").click()
    assert run(test).query_params["start"] == f"strokes.{sevens[1]}"
    assert test.number_input(key="input_number").value == sevens[1]
    found = set()
    for _ in range(8):
        test.button(key="input_random").click()
        found.add(int(run(test).query_params["start"].removeprefix("strokes.")))
    assert found <= set(sevens) and len(found) > 1


def test_after_the_last_one_comes_the_first_again() -> None:
    test = open_page(input="sample", start="strokes.9999")
    test.button(key="input_next").click()
    assert run(test).query_params["start"] == "strokes.0"


@pytest.mark.parametrize("start", ["strokes.99999", "strokes.x", "mnist.3", "cifar10.1", ""])
def test_nonsense_at_the_start_does_not_break_the_choice(start: str) -> None:
    test = open_page(input="sample", start=start)
    assert test.number_input(key="input_number").value in (0, 9999)
    assert test.button_group(key="input_data").options == ["Strokes", "Fashion-MNIST"]


def test_samples_are_offered_where_a_data_set_is_not_downloaded() -> None:
    numbers = data.shown("fashion_mnist").numbers.tolist()
    test = open_page(input="sample", start=f"fashion_mnist.{numbers[3]}")
    assert test.number_input(key="input_number").value == numbers[3]
    test.button(key="input_next").click()
    assert run(test).query_params["start"] == f"fashion_mnist.{numbers[4]}"
    test.number_input(key="input_number").set_value(numbers[4] - 1)
    assert run(test).query_params["start"] == f"fashion_mnist.{numbers[3]}"
    np.testing.assert_array_equal(pad(test)[1]["base"], data.load("fashion_mnist", "samples").images[3, :, :, 0])


def test_a_test_picture_takes_the_place_of_an_upload_that_is_still_on_its_way() -> None:
    test = upload(open_page(input="file"), PNG)
    test.button_group(key="input").set_value("sample")
    run(test)
    test.number_input(key="input_number").set_value(3)
    assert asked(pad(run(test))[0])["value"]["base"] == "strokes.3"
