"""*Outputs of several pictures* on its page: which pictures, and what comes out, against a computation made apart."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from streamlit.testing.v1 import AppTest

from attnviz import checkpoints, data
from attnviz.subjects import net
from attnviz.tracing import trace
from attnviz.ui.mechanisms.pixel_attention.experiments import outputs
from attnviz.views.payload import unpack

from .opened import opened
from .placed import STANDARD

PAGE = Path(__file__).parents[5] / "pages" / "10_pixel_attention.py"


pytestmark = pytest.mark.usefixtures("here")


def run(name: str = "without", **words: str) -> AppTest:
    return opened({"model": f"pixel_attention.{name}", "experiment": "outputs", **words})


def grid(test: AppTest, title: str) -> tuple[dict, np.ndarray]:
    grids = [unpack(one.proto.bytes) for one in test.get("bidi_component") if "map_grid" in one.proto.component_name]
    ((header, arrays),) = [found for found in grids if found[0]["title"].startswith(title)]
    return header, arrays["maps"]


def prose(test: AppTest) -> str:
    return "\n".join(one.value for one in test.markdown)


def numbers() -> tuple[int, ...]:
    found = outputs.in_turn(net("pixel_attention.without"), "strokes", [*"8181818"])
    return tuple(one.number for one in found)


def images() -> np.ndarray:
    return data.load("strokes", "test", count=256).images[list(numbers())][..., 0]


def test_seven_pictures_alternate_between_the_classes_each_the_first_of_its_kind() -> None:
    labels = data.labels("strokes", "test")
    assert labels[list(numbers())].tolist() == [8, 1, 8, 1, 8, 1, 8]
    assert numbers()[::2] == tuple(np.flatnonzero(labels == 8)[:4])
    assert numbers()[1::2] == tuple(np.flatnonzero(labels == 1)[:3])
    header, pictures = grid(run(), "Pictures")
    np.testing.assert_array_equal(pictures, images() / 255)
    assert header["labels"][:2] == [f"8 ({numbers()[0]})", f"1 ({numbers()[1]})"]


def test_the_maps_are_what_comes_out_of_the_attention(here: Path) -> None:
    header, maps = grid(run(), "Output")
    assert (header["role"], header["scale"]) == ("signed", "all")
    file = {name: array.astype(float) for name, array in
            load_file(here / "pixel_attention.without" / "weights.safetensors").items()}  # fmt: skip
    for picture, found in zip(images(), maps, strict=True):
        tokens = (picture.reshape(-1, 1) / 255 - STANDARD["mean"]) / STANDARD["std"]
        query, key, value = (
            (tokens @ file[f"attention.{part}.weight"].T + file[f"attention.{part}.bias"]).reshape(784, 3, 2)
            for part in ("query", "key", "value")
        )
        weights = np.exp(np.einsum("qhs,khs->hqk", query, key) / np.sqrt(2))
        mixed = np.einsum("hqk,khs->qhs", weights / weights.sum(-1, keepdims=True), value).reshape(784, 6)
        wanted = mixed @ file["attention.output.weight"].T + file["attention.output.bias"]
        np.testing.assert_allclose(found.ravel(), wanted[:, 0], rtol=1e-9, atol=1e-9)


def test_a_feature_of_several_is_chosen() -> None:
    test = run("with", feature="4")
    header, maps = grid(test, "Output")
    assert header["title"] == "Output of the attention, feature 4"
    model, _ = checkpoints.load("pixel_attention.with")
    with torch.no_grad(), trace(model.double(), ["attention.output"]) as seen:
        model(torch.from_numpy(images()[:, None] / 255.0))
    wanted = seen["attention.output"].tensor[..., 3].reshape(7, 14, 14)
    np.testing.assert_allclose(maps, wanted.numpy(), atol=1e-12)
    assert "goes in as 9 numbers" in prose(test)


@pytest.mark.parametrize("word", ["10", "x", "0"])
def test_no_such_feature_is_the_first(word: str) -> None:
    test = run("with", feature=word)
    assert grid(test, "Output")[0]["title"].endswith("feature 1")
    assert any(f"feature '{word}'" in warning.value.replace("\\", "") for warning in test.warning)


def test_the_numbers_of_one_token_lie_as_its_pixels_did() -> None:
    test = run("one-token")
    _, maps = grid(test, "Output")
    assert maps.shape == (7, 28, 28)
    model, _ = checkpoints.load("pixel_attention.one-token")
    with torch.no_grad(), trace(model.double(), ["attention.output"]) as seen:
        model(torch.from_numpy(images()[:, None] / 255.0))
    np.testing.assert_allclose(maps.reshape(7, 784), seen["attention.output"].tensor[:, 0].numpy(), atol=1e-12)
    assert "attention is the constant 1" in prose(test)


def test_how_alike_output_and_picture_are_is_computed() -> None:
    test = run()
    maps, pictures = grid(test, "Output")[1], grid(test, "Pictures")[1]
    found = [np.corrcoef(one.ravel(), other.ravel())[0, 1] for one, other in zip(maps, pictures, strict=True)]
    assert f"is {min(found):.2f} to {max(found):.2f} over 7 pictures".replace("-", "\u2212") in prose(test)


def test_an_even_output_is_said_to_hold_nothing() -> None:
    assert "nothing is left of the picture" in outputs.finding(
        outputs.correlations(np.ones((7, 28, 28)), images() / 255)
    )


def test_the_tile_of_the_picture_in_the_viewer_is_framed() -> None:
    assert grid(run(number=str(numbers()[2])), "Output")[0]["state"]["chosen"]["value"] == 2
