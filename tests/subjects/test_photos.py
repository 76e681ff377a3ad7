"""Photographs of a folder: what is none is left out, and what cannot be read is said in a sentence."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from attnviz import files
from attnviz.errors import BadInput
from attnviz.subjects import net, photos


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(photos.VARIABLE, str(tmp_path))
    Image.fromarray(np.full((8, 9, 3), 200, np.uint8)).save(tmp_path / "good.png")
    return tmp_path


def test_what_is_no_file_or_has_no_name_that_can_be_written_is_left_out(folder: Path) -> None:
    (folder / "broken.png").symlink_to("nowhere.png")
    (folder / "circle.jpg").symlink_to("circle.jpg")
    (folder / "folder.png").mkdir()
    (folder / "device.webp").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.gif")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.png")).write_bytes(b"")
    (folder / "empty.bmp").write_bytes(b"")
    assert list(photos.in_folder()) == ["empty.bmp", "good.png"]
    assert photos.Photo("good.png").picture.shape == (8, 9, 3)
    with pytest.raises(BadInput, match="This file is empty"):
        _ = photos.Photo("empty.bmp").picture
    with pytest.raises(BadInput, match="no photograph 'broken.png'"):
        photos.Photo("broken.png")


def test_one_that_has_gone_or_cannot_be_read_any_more_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photo = photos.Photo("good.png")
    (folder / "good.png").unlink()
    with pytest.raises(BadInput, match="is no longer in its folder"):
        _ = photo.picture

    def refused(path: Path, most: int) -> bytes:
        raise PermissionError(13, "Permission denied")

    (folder / "good.png").write_bytes(b"other")
    monkeypatch.setattr(files, "read", refused)
    with pytest.raises(BadInput, match="'good.png' cannot be read: permission denied"):
        _ = photo.picture


def test_a_folder_that_cannot_be_looked_into_has_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "itself").symlink_to("itself")
    monkeypatch.setenv(photos.VARIABLE, str(folder / "itself"))
    assert photos.in_folder() == {}


@pytest.mark.parametrize("model", ["vision_transformer.digits", "element_wise.cifar-repaired"])
@pytest.mark.parametrize("shape", [(60, 90), (90, 60)])
def test_our_nets_receive_the_middle_square(folder: Path, model: str, shape: tuple[int, int]) -> None:
    picture = np.zeros((*shape, 3), np.uint8)
    down, across = (shape[0] - 60) // 2, (shape[1] - 60) // 2
    square = np.random.default_rng(0).integers(0, 256, (60, 60, 3), np.uint8)
    picture[down : down + 60, across : across + 60] = square
    Image.fromarray(picture).save(folder / "long.png")
    np.testing.assert_array_equal(photos.Photo("long.png").taken_by(net(model)), net(model).fitted(square))
