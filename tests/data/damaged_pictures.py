"""Damaged picture files by the thousand, in a process of their own, so that its memory can be told.

python -W error -m tests.data.damaged_pictures SEED COUNT

Prints as JSON how many were read and how many refused, in which sentences, and by how many megabytes the highest use of
memory grew. Whatever else is raised ends it.
"""

import json
import re
import resource
import sys
from pathlib import Path

import numpy as np

from attnviz.data.inputs.digit import prepare
from attnviz.data.inputs.photograph import find
from attnviz.data.inputs.pictures import LONGEST, read
from attnviz.errors import BadInput
from tests.data.picture_files import DIGIT, MODES, TURNED, claiming, enlarged, image, noted, png, saved, written

# Sizes that a bomb claims: far too many pixels, some too many, and some that are read.
SIZES = [(65_535, 65_535), (65_535, 1), (20_000, 20_000), (9_000, 9_000), (7_100, 7_100), (3_000, 3_000), (1, 65_535)]


def good() -> list[bytes]:
    """Return small files of every format, mode and orientation."""
    files = [written(name, mode, enlarged(DIGIT, 1)) for name, modes in MODES.items() for mode in modes]
    for orientation in TURNED:
        files += [written(name, "L", DIGIT, exif=noted(orientation)) for name in ("JPEG", "PNG", "WEBP")]
    frames = [image("RGB", np.roll(DIGIT, step, 1)) for step in range(3)]
    files += [saved(frames[0], kind, save_all=True, append_images=frames[1:]) for kind in ("GIF", "WEBP", "PNG", "MPO")]
    files.append(saved(image("RGB", np.tile(DIGIT, (1, 60))), "JPEG"))  # wider than is kept, so it is decoded small
    return files


def damaged(files: list[bytes], chance: np.random.Generator) -> bytes:
    """Return one file with a few bytes changed, cut, repeated, or put together with others; or a bomb, changed too."""
    data = bytearray(files[chance.integers(len(files))])
    way = chance.integers(7)
    if way == 0:
        return bytes(data[: chance.integers(len(data))])
    if way == 1:
        other = files[chance.integers(len(files))]
        return bytes(data[: chance.integers(len(data))]) + other[chance.integers(len(other)) :]
    if way == 2:
        first, last = sorted(chance.integers(0, len(data), 2))
        return bytes(data[:first] + data[first:last] * int(chance.integers(0, 6)) + data[last:])
    if way == 3:
        wide, high = SIZES[chance.integers(len(SIZES))]
        data = bytearray(list(claiming(wide, high).values())[chance.integers(5)])
        if chance.integers(2):
            return bytes(data)
    # The beginnings of files hold what is most easily misread: half of the changes fall there.
    for _ in range(chance.integers(1, 9)):
        place = chance.integers(min(len(data), 64) if chance.integers(2) else len(data))
        data[place] = chance.choice(
            [0, 1, 0x7F, 0x80, 0xFF, chance.integers(256), data[place] ^ 1 << chance.integers(8)]
        )
    return bytes(data)


def taken(data: bytes) -> str:
    """Read a file as the draw page does; return the refusal, if it is refused."""
    try:
        upload = read(data)
    except BadInput as refused:
        return str(refused)
    assert upload.grey.dtype == np.uint8 and min(upload.grey.shape) >= 1 and max(upload.grey.shape) <= LONGEST
    canvas = find(upload.grey).canvas
    assert canvas.shape == (280, 280) and prepare(canvas).picture.shape == (28, 28)
    return ""


def highest() -> float:
    """Return the megabytes that this process ever had in use."""
    status = Path("/proc/self/status")
    if status.exists():  # where the other number begins with that of the process which started this one
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        assert found
        return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def main() -> None:
    seed, count = map(int, sys.argv[1:])
    chance = np.random.default_rng(seed)
    files = good()
    for data in files:
        assert taken(data) == ""
    before = highest()
    refused, sentences = 0, set()
    for number in range(count):
        data = damaged(files, chance)
        try:
            sentence = taken(data)
        except Exception as error:
            error.add_note(f"file {number} of seed {seed}, {len(data)} bytes: {data[:40]!r}")
            raise
        refused += bool(sentence)
        sentences.add(re.sub(r"[\d,.]+", "0", sentence))
    taken(png(8_900, 5_600, colour=6, row=bytes(4 * 8_900)))  # the largest that is read
    found = {
        "read": count - refused,
        "refused": refused,
        "sentences": sorted(sentences),
        "megabytes": highest() - before,
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
