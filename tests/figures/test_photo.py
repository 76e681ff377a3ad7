"""The picture that a figure lies over: attnviz/figures/photo.py."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from attnviz.errors import BadInput
from attnviz.figures.photo import as_received, photo_of

LEVELS = np.array([[0, 51, 255], [102, 153, 204]], np.uint8)
SHARES = torch.from_numpy(LEVELS / 255)


@pytest.mark.parametrize(
    "given",
    [LEVELS, LEVELS[..., None], SHARES[None], SHARES[None].numpy(), SHARES[None].half(), SHARES[None].bfloat16(),
     SHARES[None].tolist(), SHARES[None].requires_grad_(), Image.fromarray(LEVELS),
     Image.fromarray(LEVELS.astype(np.float32)), Image.fromarray(SHARES.float().numpy()),
     Image.fromarray(LEVELS.astype(np.uint16) * 257)],
    ids=["uint8", "with channel", "floats", "array", "half", "bfloat16", "list", "with gradients", "L", "F, 0..255",
         "F, 0..1", "16 bits"],
)  # fmt: skip
def test_the_same_picture_in_every_way_that_one_comes_in(given: Any) -> None:
    np.testing.assert_allclose(photo_of(given)[..., 0], LEVELS, atol=1)


def test_a_file_of_16_bits_is_not_cut_off_at_255(tmp_path: Path) -> None:
    Image.fromarray(LEVELS.astype(np.uint16) * 257).save(tmp_path / "deep.png")
    np.testing.assert_array_equal(photo_of(tmp_path / "deep.png")[..., 0], LEVELS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (SHARES[None] * 255, "expected floats from 0 to 1"),
        (SHARES[None] * torch.nan, "expected floats from 0 to 1"),
        (SHARES, r"got float64 of the shape \(2, 3\)"),
        (torch.zeros(1, 3, 4, 4), r"got float64 of the shape \(1, 3, 4, 4\)"),
        (LEVELS.astype(np.int64), r"got int64 of the shape \(2, 3\)"),
        ([[0.0], [0.0, 1.0]], "got a list, not an array"),
    ],
    ids=["0..255", "no numbers", "no channel", "batch", "int64", "ragged"],
)
def test_what_is_no_such_picture_is_refused(given: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        photo_of(given)


def test_a_file_with_too_many_pixels_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.fromarray(LEVELS).save(tmp_path / "bomb.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 2)
    with pytest.raises(BadInput, match="bomb.png cannot be read as a picture"):
        photo_of(tmp_path / "bomb.png")


@pytest.mark.parametrize("what", ["a pipe", "a link to itself", "text"])
def test_a_file_that_is_no_picture_is_refused_and_never_waited_for(tmp_path: Path, what: str) -> None:
    path = tmp_path / "photo.png"
    {"a pipe": os.mkfifo, "a link to itself": lambda at: at.symlink_to(at.name), "text": Path.touch}[what](path)
    with pytest.raises(BadInput, match=r"photo\.png cannot be read as a picture: [a-zA-Z ]+\.$"):
        photo_of(path)


@pytest.mark.parametrize("shape", [(480, 640), (640, 480), (500, 500), (300, 1200)], ids=str)
def test_what_transforms_cut_off_of_a_photograph_is_not_shown(shape: tuple[int, int]) -> None:
    """A photograph was laid under a map as a whole, where the model had received its middle."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    photo = np.stack([rows * 255 / shape[0], columns * 255 / shape[1], (rows + columns) % 256], 2).astype(np.uint8)
    whole = Image.fromarray(photo)
    for side in (224, 248, 256):
        share = side / min(shape)
        resized = whole.resize((round(shape[1] * share), round(shape[0] * share)), Image.Resampling.BICUBIC)
        left, top = (resized.width - 224) // 2, (resized.height - 224) // 2
        part = as_received(photo, _normalised(resized.crop((left, top, left + 224, top + 224))))
        assert np.allclose(part.shape[:2], 224 / share, atol=1.5)
        corner = [(size - 224 / share) / 2 for size in shape]
        assert np.allclose(part[0, 0], photo[round(corner[0]), round(corner[1])], atol=2)
    for received in (_normalised(whole.resize((224, 224))), torch.randn(3, 224, 224), torch.zeros(3, 224, 224)):
        assert as_received(photo, received) is photo


def _normalised(image: Image.Image) -> torch.Tensor:
    pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1) / 255
    return (pixels - torch.tensor([0.485, 0.456, 0.406])[:, None, None]) / 0.225
