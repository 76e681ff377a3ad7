"""*Side by side* on its page: each kind of other, against weights worked out apart, and nonsense as sentences."""

from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from attnviz import checkpoints, data
from attnviz.tracing import trace
from attnviz.views.payload import unpack

from .opened import opened

PAGE = Path(__file__).parents[5] / "pages" / "10_pixel_attention.py"
EIGHT, ONE = (int(np.flatnonzero(data.labels("strokes", "test")[:256] == digit)[0]) for digit in (8, 1))


pytestmark = pytest.mark.usefixtures("here")


def run(name: str = "without", **words: str) -> AppTest:
    return opened({"model": f"pixel_attention.{name}", "experiment": "compare", "number": str(EIGHT), **words})


def grid(test: AppTest, count: int) -> tuple[dict, np.ndarray]:
    """The grid of two maps, or of the one that is their difference."""
    grids = [unpack(one.proto.bytes) for one in test.get("bidi_component") if "map_grid" in one.proto.component_name]
    ((header, arrays),) = [found for found in grids if len(found[1]["maps"]) == count]
    return header, arrays["maps"]


def prose(test: AppTest) -> str:
    return "\n".join(one.value for one in [*test.markdown, *test.caption])


def weights(name: str, number: int) -> np.ndarray:
    """(head, query, key) of a placed model and a drawn digit."""
    model, _ = checkpoints.load(f"pixel_attention.{name}")
    image = torch.from_numpy(data.load("strokes", "test", count=256).images[number].transpose(2, 0, 1)[None] / 255.0)
    with torch.no_grad(), trace(model.double(), ["attention.weights"]) as seen:
        model(image)
    return seen["attention.weights"].at(batch=0).numpy()


def test_two_pixels_of_a_head(here: Path) -> None:
    test = run(query="15,15", other_pixel="3,4", head="2")
    found = weights("without", EIGHT)[1]
    header, maps = grid(test, 2)
    np.testing.assert_allclose(maps.reshape(2, -1), found[[14 * 28 + 14, 2 * 28 + 3]], rtol=1e-6)
    assert header["labels"] == ["left: row 15, column 15", "right: row 3, column 4"]
    assert header["outlined"] == [14 * 28 + 14, 2 * 28 + 3]
    left, right = np.clip(maps * 784, 1 / 16, 16)
    np.testing.assert_allclose(grid(test, 1)[1][0], np.log2(right) - np.log2(left), atol=1e-9)
    distance = np.abs(maps[0] - maps[1]).sum() / 2
    assert f"total variation distance is **{distance:.3g}" in prose(test).replace("\u2212", "-")


def test_what_two_pixels_give_holds_the_key_and_is_no_distribution() -> None:
    row, column = divmod(int((data.load("strokes", "test", count=256).images[EIGHT] > 127).argmax()), 28)  # ink
    test = run(direction="to", key=f"{row + 1},{column + 1}", other_pixel="3,4", head="mean")
    header, maps = grid(test, 2)
    found = weights("without", EIGHT).mean(0)
    np.testing.assert_allclose(maps.reshape(2, -1), found[:, [row * 28 + column, 2 * 28 + 3]].T, rtol=1e-6)
    assert header["outlined"] is None, "what is held is a key, and the outline has the query's colour"
    assert f"row {row + 1}, column {column + 1}: the one locked in the viewer above" in prose(test)
    assert "half of their mean absolute difference is **" in prose(test)


def test_where_no_pixel_is_locked_one_of_the_ink_is_held() -> None:
    assert "the one in the middle of the ink, because none is locked" in prose(run())


def test_two_heads() -> None:
    test = run(other="head", head="3", other_head="1", query="15,15")
    header, maps = grid(test, 2)
    np.testing.assert_allclose(maps.reshape(2, -1), weights("without", EIGHT)[[2, 0], 14 * 28 + 14], rtol=1e-6)
    assert header["labels"] == ["left: Head 3", "right: Head 1"]


def test_two_pictures_received_from_all() -> None:
    test = run(other="picture", direction="received", other_number=str(ONE))
    header, maps = grid(test, 2)
    for at, number in enumerate((EIGHT, ONE)):
        np.testing.assert_allclose(maps[at].ravel(), weights("without", number)[0].mean(0), rtol=1e-6)
    assert header["labels"] == [f"left: 8, number {EIGHT}", f"right: 1, number {ONE}"]


def test_the_other_picture_is_of_another_class_at_first() -> None:
    labels = grid(run(other="picture"), 2)[0]["labels"]
    assert (labels[0][:7], labels[1][:8]) == ("left: 8", "right: 1")


@pytest.mark.parametrize(("name", "other"), [("without", "with"), ("with", "without")])
def test_two_models_of_other_grids_meet_on_the_coarser(name: str, other: str) -> None:
    query = "15,15" if name == "without" else "8,8"
    test = run(name, other="model", other_model=f"pixel_attention.{other}", query=query)
    maps = grid(test, 2)[1]
    assert maps.shape == (2, 14, 14)
    fine = weights("without", EIGHT).mean(0)[14 * 28 + 14].reshape(28, 28)
    boxes = np.array([[fine[2 * r : 2 * r + 2, 2 * c : 2 * c + 2].sum() for c in range(14)] for r in range(14)])
    coarse = weights("with", EIGHT).mean(0)[7 * 14 + 7].reshape(14, 14)
    wanted = [boxes, coarse] if name == "without" else [coarse, boxes]
    np.testing.assert_allclose(maps, wanted, rtol=1e-6)
    assert "28 × 28 tokens, the other 14 × 14" in prose(test)
    assert "heads of two models do not correspond" in prose(test)


def test_pixels_of_one_intensity_are_the_same_without_positions() -> None:
    assert "The two maps are the same" in prose(run(query="1,1", other_pixel="1,2"))


def test_received_from_all_holds_no_pixel() -> None:
    test = run(direction="received")
    assert "does not depend on a pixel" in test.info[0].value


def test_one_token_is_refused_and_no_other_model_for_itself() -> None:
    assert "one token" in run("one-token").info[0].value
    options = run(other="model").selectbox(key="other_model").options
    assert options == ["Small, with"]


def test_nonsense_is_a_sentence_and_the_default() -> None:
    test = run(other="planet", other_pixel="29,1")
    complaints = "\n".join(warning.value.replace("\\", "") for warning in test.warning)
    assert "other 'planet'" in complaints
    assert "the other pixel '29,1'; rows run from 1 to 28" in complaints
    test = run(other="head", other_head="9")
    assert "other_head '9'" in test.warning[0].value.replace("\\", "")


def test_a_choice_stands_in_the_url() -> None:
    test = run(other_pixel="3,4")
    test.number_input(key="other_row").set_value(9).run()
    assert test.query_params["other_pixel"] in ("9,4", ["9,4"])
    assert grid(test, 2)[0]["labels"][1] == "right: row 9, column 4"
