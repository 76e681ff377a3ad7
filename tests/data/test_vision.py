import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from attnviz.data import vision


class FakeSet:
    """Stands for a class of torchvision: counts through its module's bar, as the real ones do."""

    utilities = SimpleNamespace(tqdm="the printing bar")

    def __init__(self, root, train, download):
        assert download and isinstance(root, str)
        with FakeSet.utilities.tqdm(total=7, unit="B", unit_scale=True) as bar:
            bar.update(3)
            bar.update(4)
        count = 5 if train else 2
        self.data = np.full((count, 28, 28), 9, np.uint8)
        self.targets = [1] * count


@pytest.fixture
def fake(monkeypatch):
    sets = SimpleNamespace(MNIST=FakeSet, utils=FakeSet.utilities)
    monkeypatch.setattr(vision, "torchvision", lambda: SimpleNamespace(datasets=sets))


def test_a_download_gives_both_splits_and_counts_bytes(fake, tmp_path):
    came: list[Any] = []
    splits = vision.download("MNIST", tmp_path, came.append)
    assert splits["train"].images.shape == (5, 28, 28, 1) and splits["test"].images.shape == (2, 28, 28, 1)
    assert splits["test"].labels.dtype == np.int64 and splits["test"].labels.tolist() == [1, 1]
    assert came == [3, 4, 3, 4]
    assert FakeSet.utilities.tqdm == "the printing bar"


def test_the_bar_is_put_back_after_an_error(fake, tmp_path):
    def stop(count):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vision.download("MNIST", tmp_path, stop)
    assert FakeSet.utilities.tqdm == "the printing bar"


@pytest.mark.parametrize("library", ["_C.so", "_C_stable.so"])
def test_the_compiled_library_is_found_by_its_old_and_its_new_name(library, tmp_path, monkeypatch):
    """Where it was not found, its operators were declared a second time, which ended the process."""
    loaded: list[str] = []
    (tmp_path / library).touch()
    monkeypatch.setattr(vision, "find_spec", lambda name: SimpleNamespace(origin=str(tmp_path / "__init__.py")))
    monkeypatch.setattr(torch.ops, "load_library", loaded.append)
    assert vision._compiled()
    assert loaded == [str(tmp_path / library)]


def test_torchvision_can_be_imported_without_a_warning():
    code = (
        "from attnviz.data import vision; a = vision.torchvision(); assert a is vision.torchvision(); "
        "assert a.datasets.MNIST and a.transforms and hasattr(a.datasets.utils, 'tqdm')"
    )
    warnings = ("-W", "error", "-W", "ignore:Implicitly cleaning up:ResourceWarning")  # of torch 2.6 at its end
    done = subprocess.run([sys.executable, *warnings, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_the_real_classes_are_read_as_they_are(tmp_path):
    """torchvision reads MNIST's own file format from its raw folder; made here, so that no network is needed."""
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    chance = np.random.default_rng(0)
    for prefix, count in (("train", 6), ("t10k", 3)):
        images = chance.integers(0, 256, (count, 28, 28)).astype(np.uint8)
        header = b"".join(number.to_bytes(4, "big") for number in (2051, count, 28, 28))
        (raw / f"{prefix}-images-idx3-ubyte").write_bytes(header + images.tobytes())
        header = b"".join(number.to_bytes(4, "big") for number in (2049, count))
        (raw / f"{prefix}-labels-idx1-ubyte").write_bytes(header + bytes(range(count)))
    splits = vision.download("MNIST", tmp_path, lambda count: None)
    assert splits["train"].images.shape == (6, 28, 28, 1) and splits["train"].images.dtype == np.uint8
    assert (splits["test"].images[..., 0] == images).all() and splits["test"].labels.tolist() == [0, 1, 2]
