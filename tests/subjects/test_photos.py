"""Photographs of a folder: what is none is left out, and what cannot be read is said in a sentence."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from attnviz import files
from attnviz.errors import BadInput
from attnviz.subjects import photos


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
