"""A visitor's own pictures, attnviz/data/own.py: what is taken, what is refused, and who can see it."""

import io
import json
import pickle
import struct
import threading
import tracemalloc
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from attnviz import data, files
from attnviz.data import brought, own
from attnviz.data.inputs import pictures
from attnviz.errors import AttnvizError, BadInput, DataError, UnknownName

ME, OTHER = "a-cookie", "another-cookie"
LIKE = data.DATASETS["strokes"]
COLOUR = data.DATASETS["cifar10"]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_DATA", str(tmp_path / "data"))
    return tmp_path


def npz(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def numbers(count: int = 24, side: int = 28) -> dict[str, np.ndarray]:
    images = np.random.default_rng(0).integers(0, 99, (count, side, side), np.uint8)
    return {"images": images, "labels": np.arange(count) % 3 + 4}


def png(grey: int = 0, side: int = 30) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.full((side, side), grey, np.uint8)).save(file, "PNG")
    return file.getvalue()


def packed(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, kind)
    return file.getvalue()


def folders(count: int = 24, **more: bytes) -> bytes:
    return packed({**{f"mine/{'cat' if n % 2 else 'dog'}/{n}.png": png(n) for n in range(count)}, **more})


def test_arrays_are_kept_as_they_are_for_whoever_brought_them():
    given = numbers()
    name = own.bring(npz(**given, classes=np.array([f"class {n}" for n in range(9)])), "mine", LIKE, ME)
    assert own.bring(npz(**given, classes=np.array([f"class {n}" for n in range(9)])), "mine", LIKE, ME) == name
    its = data.spec(name)
    assert (its.classes, its.shape, its.counts) == (("class 4", "class 5", "class 6"), (28, 28, 1), {"train": 24})
    found = data.load(name, "train", classes=(2, 0))
    assert np.array_equal(found.images[:, :, :, 0], given["images"][given["labels"] != 5])
    assert set(found.labels) == {0, 1}
    assert data.available(name)
    assert own.names(ME) == [name]


def test_folders_are_classes_and_pictures_are_scaled_and_light_paper_becomes_dark():
    content = packed({f"{'a' if n % 2 else 'b'}/{n}.png": png(255 - n, 56) for n in range(20)} | {".DS_Store": b"x"})
    name = own.bring(content, "paper", LIKE, ME)
    found = data.load(name)
    assert data.spec(name).classes == ("a", "b")
    assert found.images.shape == (20, 28, 28, 1)
    assert [int(one.max()) for one in found.images] == list(range(20))
    colour = own.bring(content, "paper", COLOUR, ME)
    assert data.load(colour).images.shape == (20, 32, 32, 3)
    assert int(data.load(colour).images[0].min()) == 255


def test_nobody_else_sees_or_removes_them_and_no_page_shows_them():
    name = own.bring(npz(**numbers()), "mine", LIKE, ME)
    assert own.names(OTHER) == own.names("") == []
    assert not own.held(name, OTHER) and not own.held(name, "") and own.held(name, ME)
    theirs = own.bring(npz(**numbers()), "mine", LIKE, OTHER)
    assert theirs != name
    with pytest.raises(UnknownName):
        own.remove(name, OTHER)
    assert name not in data.DATASETS
    assert name not in list(data.DATASETS)
    for ask in (lambda: data.shown(name), lambda: data.pick(name, "test", [0]), lambda: data.load(name, "test"),
                lambda: data.labels(name, "test")):  # fmt: skip
        with pytest.raises(AttnvizError):
            ask()
    own.remove(name, ME)
    assert own.names(ME) == [] and own.names(OTHER) == [theirs]
    with pytest.raises(UnknownName):
        data.spec(name)


def bomb() -> bytes:
    return packed({f"a/{n}.png": bytes(brought.UNPACKED // 20 + 1) for n in range(21)})


def lying() -> bytes:
    """A zip whose member says that it is small."""
    content = bytearray(packed({"images.npy": bytes(10**7), "labels.npy": b"x"}))
    for mark in (b"PK\1\2",):
        at = content.find(mark)
        content[at + 24 : at + 28] = struct.pack("<L", 10)
    return bytes(content)


def header(text: str) -> bytes:
    body = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(body)) + body


class Harmful:
    def __reduce__(self):
        return (exec, ("raise SystemExit('it was run')",))


REFUSED = {
    "nothing": (b"", "no .npz and no zip"),
    "no zip": (b"GIF89a" * 100, "no .npz and no zip"),
    "half": (folders()[:-40], "no .npz and no zip"),
    "pickle": (npz(images=np.array([Harmful()] * 24, object), labels=np.arange(24)), "Python objects"),
    "bare pickle": (packed({"images.npy": pickle.dumps(Harmful()), "labels.npy": b"x"}), "damaged"),
    "code in a header": (
        packed({"images.npy": header("__import__('os').system('true')"), "labels.npy": b""}), "damaged"),
    "a header that is never closed": (packed({"images.npy": header("{'shape': ("), "labels.npy": b""}), "damaged"),
    "a header of terabytes": (
        packed({"images.npy": header("{'descr': '|u1', 'fortran_order': False, 'shape': (10000000, 1000, 1000)}"),
                "labels.npy": b""}), "wrong size"),
    "bomb": (bomb(), "contents of the file have more than"),
    "a size that is a lie": (lying(), "no .npz|wrong sizes|damaged"),
    "a kind of packing that is rare": (
        packed({f"{n % 2}/{n}.png": png(n) for n in range(24)}, zipfile.ZIP_LZMA), "in an unusual way"),
    "a member without a name": (folders(**{"": b"x"}), "in a folder"),
    "a million classes": (npz(images=np.zeros((40_000, 2, 2), np.uint8), labels=np.arange(40_000)), "100 classes"),
    "a folder for each picture": (packed({f"{n}/a.png": b"" for n in range(300)}), "100 classes"),
    "one class": (npz(images=np.zeros((24, 9, 9), np.uint8), labels=np.zeros(24, int)), "from 2 to 100"),
    "few": (npz(**numbers(6)), "at least 20 pictures, not 6"),
    "no folders": (packed({f"{n}.png": png() for n in range(24)}), "in a folder that is named"),
    "out of it": (folders(**{"../../etc/x.png": png()}), "point outside it"),
    "from the root": (folders(**{"/etc/cat/x.png": png()}), "point outside it"),
    "from a drive": (folders(**{"C:/cat/x.png": png()}), "point outside it"),
    "no picture": (folders(**{"mine/cat/x.png": b"text"}), "number 25, cannot be read"),
    "long class": (folders(**{f"mine/{'x' * 41}/x.png": png()}), "at most 40 characters"),
    "more arrays": (npz(**numbers(), more=np.zeros(3)), "nothing else"),
    "floats": (npz(images=np.zeros((24, 9, 9)), labels=np.arange(24)), "uint8"),
    "labels of another length": (npz(images=np.zeros((24, 9, 9), np.uint8), labels=np.arange(23)), "one for each"),
    "four channels": (npz(images=np.zeros((24, 9, 9, 4), np.uint8), labels=np.arange(24)), "uint8"),
    "huge pictures": (npz(images=np.zeros((1, 2000, 9), np.uint8), labels=np.zeros(1, int)), "sides of at most"),
    "too few class names": (npz(**numbers(), classes=np.array(["a"])), "one for each label"),
    "names that are numbers": (npz(**numbers(), classes=np.arange(9)), "array of texts"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(name, place):
    content, said = REFUSED[name]
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match=said) as refused:
            own.bring(content, "mine", LIKE, ME)
        assert tracemalloc.get_traced_memory()[1] < 2 * brought.UNPACKED
    finally:
        tracemalloc.stop()
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 400
    assert not list(place.rglob("*.npy"))
    assert own.names(ME) == []


def test_pictures_are_read_in_parts_and_kept_with_the_last():
    work = own.Bringing(folders(40), "mine", LIKE, ME)
    assert (work.pictures, work.parts) == (40, 3)
    assert [work.step(part) for part in range(2)] == ["", ""]
    assert own.names(ME) == []
    assert work.step(2) == own.bring(folders(40), "mine", LIKE, ME)


def test_the_pixels_of_all_pictures_are_bounded_together(monkeypatch):
    large, read, seen = io.BytesIO(), pictures.read, []
    Image.new("1", (700, 700)).save(large, "PNG")
    monkeypatch.setattr(brought, "PIXELS", 4_000_000)
    monkeypatch.setattr(pictures, "read", lambda *data, **how: (seen.append(1), read(*data, **how))[1])
    content = packed({f"{'ab'[n % 2]}/{n}.png": large.getvalue() for n in range(50)})
    with pytest.raises(BadInput, match="more than 4 megapixels together. Make them smaller: here they become 28 × 28"):
        own.bring(content, "mine", LIKE, ME)
    assert brought.PIXELS < len(seen) * 700**2 < brought.PIXELS + 700**2  # of half a megapixel
    assert own.names(ME) == []


def test_somebody_elses_picture_is_read_between_those_of_a_zip(monkeypatch):
    """A lock that is taken again as soon as it is let go keeps all others out."""
    inside, may, order = threading.Event(), threading.Event(), []
    read = pictures._read

    def noted(image, *more):
        order.append(image.size[0])
        inside.set()
        assert may.wait(30)
        return read(image, *more)

    monkeypatch.setattr(pictures, "_read", noted)
    many = threading.Thread(target=lambda: [pictures.read(png(side=30)) for _ in range(50)])
    many.start()
    assert inside.wait(30)
    other = threading.Thread(target=lambda: pictures.read(png(side=40)))
    other.start()
    while not pictures._line.locked():  # it waits for its turn
        pass
    may.set()
    for one in (many, other):
        one.join(30)
    assert order.index(40) <= 2


def test_a_file_that_is_too_large_is_not_opened(monkeypatch):
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(BadInput, match="at most"):
        own.bring(bytes(brought.LARGEST + 1), "mine", LIKE, ME)
    many = files._END.pack(b"PK\5\6", 0, 0, 60_000, 60_000, 2**22, 0, 0)
    long = files._END.pack(b"PK\5\6", 0, 0, 10, 10, 2**24, 0, 0)
    for end in (many, long, b"PK\6\7" + bytes(16) + files._END.pack(b"PK\5\6", 0, 0, 10, 10, 100, 0, 0)):
        with pytest.raises(BadInput, match="too many members"):
            own.bring(bytes(30) + end, "mine", LIKE, ME)


@pytest.mark.parametrize("title", ["", "x" * 41, "a\nb", "../x", "<b>", "\0"])
def test_a_name_that_is_none_is_refused(title):
    with pytest.raises(BadInput, match="Give your pictures a name"):
        own.bring(npz(**numbers()), title, LIKE, ME)


def test_without_a_cookie_nothing_is_taken():
    with pytest.raises(BadInput, match="not accept cookies"):
        own.bring(npz(**numbers()), "mine", LIKE, "")


def test_only_so_many_are_kept():
    for seed in range(own.OF_ONE):
        own.bring(npz(**numbers(24 + seed)), "mine", LIKE, ME)
    with pytest.raises(BadInput, match="Remove one first"):
        own.bring(npz(**numbers(40)), "mine", LIKE, ME)
    own.bring(npz(**numbers()), "mine", LIKE, ME)  # which is there


def test_a_full_disk_is_one_sentence_and_leaves_nothing(monkeypatch, place):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("attnviz.files.write", full)
    with pytest.raises(DataError, match="cannot be kept: no space left"):
        own.bring(npz(**numbers()), "mine", LIKE, ME)
    assert own.names(ME) == [] and not list(place.rglob("*.npy"))


def test_a_full_disk_leaves_the_same_data_set_that_is_there(monkeypatch, place):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    name = own.bring(npz(**numbers()), "mine", LIKE, ME)
    monkeypatch.setattr("attnviz.files.write", full)
    with pytest.raises(DataError, match="cannot be kept: no space left"):
        own.bring(npz(**numbers()), "mine", LIKE, ME)
    assert own.names(ME) == [name]


def told(**changed: object) -> Callable[[bytes], bytes]:
    """Return what changes fields of `about.json`."""
    return lambda content: json.dumps({**json.loads(content), **changed}).encode()


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("about.json", lambda content: b"{}"), ("about.json", told(count=True)), ("about.json", told(count=-1)),
        ("about.json", told(shape=[28, 28])), ("about.json", told(shape=[28, 28, "1"])),
        ("about.json", told(shape=[float("inf"), 28, 1])), ("about.json", told(classes=[4, 5, 6])),
        ("about.json", told(classes=["4", "5"])),  # of three labels
        ("images.npy", lambda content: b"nothing"), ("images.npy", lambda content: content.replace(b"}", b"(", 1)),
        ("labels.npy", lambda content: b"nothing"), ("labels.npy", lambda content: content.replace(b"}", b"'", 1)),
        ("labels.npy", lambda content: content[:-1] + b"\xff"),
    ],
)  # fmt: skip
def test_what_was_damaged_on_the_disk_is_a_sentence(file, damage, place):
    name = own.bring(npz(**numbers()), "mine", LIKE, ME)
    (path,) = place.rglob(file)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match="Upload the pictures again|upload the pictures again"):
        data.load(name)


NAMES = ["../x", "own-../../../../x", "own-0000000000000000/..", "own-000000000000000g", "own-", "/etc", "", "own-\0"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_from_anywhere_leads_nowhere(name, place):
    own.bring(npz(**numbers()), "mine", LIKE, ME)
    before = sorted(place.rglob("*"))
    assert not own.held(name, ME)
    for ask in (own.spec, data.spec, lambda name: own.remove(name, ME)):
        with pytest.raises(UnknownName):
            ask(name)
    assert sorted(place.rglob("*")) == before
