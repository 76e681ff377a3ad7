import errno
import os
import shutil
import sys
import time
from dataclasses import replace
from http.client import RemoteDisconnected
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from filelock import FileLock, Timeout
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnviz import data, paths
from attnviz.data import DATASETS, Dataset, store, vision
from attnviz.errors import AttnvizError, BadInput, DataError, UnknownName

COUNTS = {"train": 6, "test": 4}


def made(split: str, seed: int = 0) -> Dataset:
    chance = np.random.default_rng([seed, len(split)])
    count = COUNTS[split]
    return Dataset(chance.integers(0, 256, (count, 28, 28, 1)).astype(np.uint8), np.arange(count) % 10)


@pytest.fixture
def folder(monkeypatch, tmp_path) -> Path:
    """A data folder of its own, in which MNIST has ten pictures."""
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path / "data"))
    monkeypatch.setitem(DATASETS, "mnist", replace(DATASETS["mnist"], counts=COUNTS))
    return tmp_path / "data"


@pytest.fixture
def network(monkeypatch):
    """A network that brings MNIST, or raises what a test puts into `fails`."""

    class Network:
        fails: BaseException | None = None
        asked = 0

        def download(self, kind, root, received):
            self.asked += 1
            assert kind == "MNIST" and root.is_dir()
            (root / "half.gz").write_bytes(b"half")
            received(2**20)
            if self.fails is not None:
                raise self.fails
            received(2**20)
            return {split: made(split) for split in COUNTS}

    network = Network()
    monkeypatch.setattr(vision, "download", network.download)
    return network


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


WHOLE = [f"mnist/{split}-{part}.npy" for split in ("test", "train") for part in ("images", "labels")]


def test_a_fetched_set_is_mapped_and_equal(folder, network):
    assert not data.available("mnist")
    data.fetch("mnist")
    assert data.available("mnist") and files(folder) == WHOLE
    for split in COUNTS:
        images, labels = data.load("mnist", split)
        assert isinstance(images, np.memmap) and not images.flags.writeable
        assert (images == made(split).images).all() and (labels == made(split).labels).all()
    assert data.load("mnist", "train", classes=(5, 2)).labels.tolist() == [1, 0]


def test_files_are_opened_once_and_again_when_they_have_been_replaced(folder, network, monkeypatch):
    data.fetch("mnist")
    long_ago = 1_000_000_000
    for path in folder.rglob("*.npy"):
        os.utime(path, (long_ago, long_ago))
    opened = []
    really = np.lib.format.open_memmap
    monkeypatch.setattr(
        np.lib.format, "open_memmap", lambda path, mode: (opened.append(path), really(path, mode=mode))[1]
    )
    for _ in range(3):
        assert (data.load("mnist", "test").images == made("test").images).all()
    assert len(opened) == 2  # images and labels
    other = made("test", seed=1)
    np.save(folder / "mnist" / "test-images.npy", other.images)
    assert (data.load("mnist", "test").images == other.images).all()
    assert data.load("mnist", "train", count=2).images.shape == (2, 28, 28, 1)


def test_what_is_there_is_not_fetched_again(folder, network):
    data.fetch("mnist")
    data.fetch("mnist")
    data.fetch("strokes")
    assert network.asked == 1


def test_progress_grows_from_nothing_to_all(folder, network):
    told = []
    data.fetch("mnist", lambda done, sentence: told.append((done, sentence)))
    fractions = [done for done, _ in told]
    assert fractions[0] == 0 and fractions[-1] == 1 and fractions == sorted(fractions)
    assert any("2.0 of 11 MB" in sentence for _, sentence in told)


@pytest.mark.parametrize(
    ("failure", "kind", "says"),
    [
        (URLError("Name or service not known"), DataError, "Check the network"),
        (RuntimeError("Error downloading:\nTried this\n<urlopen error no route>"), DataError, "no route"),
        (RuntimeError("File not found or corrupted."), DataError, r"\(File not found or corrupted\)"),
        (TimeoutError("timed out"), DataError, "timed out"),
        (RemoteDisconnected("closed"), DataError, "Check the network"),
        (OSError(errno.ENOSPC, "No space left on device"), DataError, "disk is full"),
        (PermissionError(errno.EACCES, "Permission denied"), BadInput, "cannot be written to"),
        (ImportError("No module named 'torchvision'"), DataError, "torchvision"),
    ],
)
def test_a_failed_download_is_one_sentence_and_leaves_nothing(folder, network, failure, kind, says):
    network.fails = failure
    with pytest.raises(kind, match=says) as caught:
        data.fetch("mnist")
    assert "\n" not in str(caught.value)
    assert list(folder.iterdir()) == []
    network.fails = None
    data.fetch("mnist")
    assert files(folder) == WHOLE


@pytest.mark.parametrize("step", ["np.save", "fsync", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_a_failure_while_writing_leaves_whole_files_only(folder, network, monkeypatch, step, number, times):
    """Whatever fails at whichever of the four files: nothing half, and a second try succeeds."""
    owner, name = {"np.save": (np, "save"), "fsync": (os, "fsync"), "replace": (Path, "replace")}[step]
    real, calls = getattr(owner, name), []

    def failing(*arguments):
        calls.append(arguments)
        if len(calls) > times:
            if step == "np.save":
                arguments[0].write(b"\x93NUMPY half of it")
            raise OSError(number, os.strerror(number))
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, failing)
        with pytest.raises(AttnvizError, match="disk is full" if number == errno.ENOSPC else "cannot be written to"):
            data.fetch("mnist")
    assert set(files(folder)) <= set(WHOLE)
    for path in files(folder):
        np.load(folder / path)
    assert not list(folder.glob(".fetching-*")) and not data.available("mnist")
    data.fetch("mnist")
    assert data.available("mnist")


def test_a_kill_leaves_no_file_under_its_name_and_is_swept_later(folder, network, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)  # killed: nothing cleans up
        network.fails = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            data.fetch("mnist")
    (left,) = folder.iterdir()
    assert left.name.startswith(".fetching-") and not data.available("mnist")
    network.fails = None
    data.fetch("mnist")
    assert left.exists()  # it could be another process at work
    day_before = time.time() - 25 * 3600
    (folder / "mnist" / "test-labels.npy").unlink()
    with FileLock(left / store._AT_WORK):  # it is one, and the clock was set
        os.utime(left, (day_before, day_before))
        data.fetch("mnist")
        assert left.exists()
    os.utime(left, (day_before, day_before))
    (folder / "mnist" / "test-labels.npy").unlink()
    data.fetch("mnist")
    assert not left.exists() and files(folder) == WHOLE


def test_a_download_says_that_it_is_at_work(folder, network):
    def told(done, sentence):
        for one in folder.glob(".fetching-*"):
            with pytest.raises(Timeout):
                FileLock(one / store._AT_WORK, timeout=0).acquire()
            seen.append(one)

    seen: list[Path] = []
    data.fetch("mnist", told)
    assert seen


def test_the_caller_can_stop_a_download(folder, network):
    class Stop(BaseException):
        pass

    def stop(done, sentence):
        if done > 0:
            raise Stop

    with pytest.raises(Stop):
        data.fetch("mnist", stop)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made(monkeypatch, tmp_path, network):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path / "file" / "data"))
    with pytest.raises(BadInput, match="Set ATTNVIZ_DATA"):
        data.fetch("mnist")
    assert not data.available("mnist")


def test_files_are_on_the_disk_before_they_get_their_names(folder, network, monkeypatch):
    events = []
    real_sync, real_replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: events.append("sync") or real_sync(handle))
    monkeypatch.setattr(Path, "replace", lambda path, to: events.append("name") or real_replace(path, to))
    data.fetch("mnist")
    assert events == ["sync"] * 4 + ["name"] * 4 + ["sync"]


def header(shape: str) -> bytes:
    described = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(described).to_bytes(2, "little") + described


def damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    array = np.load(path)
    match how:
        case "cut":
            path.write_bytes(content[:-5])
        case "cut in the header":
            path.write_bytes(content[:50])
        case "empty":
            path.write_bytes(b"")
        case "foreign":
            path.write_bytes(b"PK\x03\x04 something else" * 100)
        case "another type":
            np.save(path, array.astype(np.float32))
        case "another shape":
            np.save(path, array[:-1])
        case "another order":
            np.save(path, np.asfortranarray(array) if array.ndim > 1 else array[:, None])
        case "an endless shape":
            path.write_bytes(header(f"({10**30},)") + bytes(64))
        case "a shape of words":
            path.write_bytes(header("(True,)") + bytes(64))
        case "objects":
            np.save(path, np.array([{}] * len(array), object), allow_pickle=True)


@pytest.mark.parametrize(
    "how",
    [
        "cut",
        "cut in the header",
        "empty",
        "foreign",
        "another type",
        "another shape",
        "another order",
        "an endless shape",
        "a shape of words",
        "objects",
    ],
)
@pytest.mark.parametrize("part", ["images", "labels"])
def test_a_damaged_file_is_named_and_fetched_anew(folder, network, how, part):
    data.fetch("mnist")
    damage(folder / "mnist" / f"test-{part}.npy", how)
    with pytest.raises(DataError, match=rf"test-{part}\.npy is damaged.*python -m attnviz data mnist") as caught:
        data.load("mnist", "test")
    assert "\n" not in str(caught.value)
    assert not data.available("mnist")
    data.fetch("mnist")
    assert (data.load("mnist", "test").images == made("test").images).all()


def test_labels_out_of_range_are_damage(folder, network):
    data.fetch("mnist")
    np.save(folder / "mnist" / "test-labels.npy", np.array([0, 1, 10, 2]))
    with pytest.raises(DataError, match="from 0 to 10"):
        data.load("mnist", "test")


def test_a_file_that_may_not_be_read(folder, network, monkeypatch):
    data.fetch("mnist")

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(np.lib.format, "open_memmap", refuse)
    with pytest.raises(BadInput, match="may not be read"):
        data.load("mnist", "test")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 127), byte=st.integers(0, 255), cut=st.integers(0, 200))
def test_any_damage_to_a_header_is_one_sentence_or_harmless(folder, network, place, byte, cut):
    data.fetch("mnist")
    path = folder / "mnist" / "test-labels.npy"
    whole = path.read_bytes()
    spoilt = bytearray(whole)
    spoilt[place] = byte
    path.write_bytes(bytes(spoilt[: len(spoilt) - cut]))
    try:
        assert data.load("mnist", "test").labels.tolist() == [0, 1, 2, 3]
    except DataError as error:
        assert "damaged" in str(error)
    path.write_bytes(whole)


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTNVIZ_DATA", "~/pictures")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data.folder() == tmp_path / "pictures"
    monkeypatch.delenv("ATTNVIZ_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data.folder() == paths.user_cache()
    if sys.platform == "linux":
        assert data.folder() == tmp_path / "cache" / "attnviz"
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert data.folder() == tmp_path / ".cache" / "attnviz"


def test_reading_knows_its_splits(folder):
    with pytest.raises(UnknownName, match="train, test"):
        store.read("mnist", "validation")
