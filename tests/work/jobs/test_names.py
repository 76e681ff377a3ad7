"""A thousand path-like names and tampered IDs through every entry: nothing is read or written outside."""

import io
import os
import random
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from attnviz import __main__, data, subjects
from attnviz.data import own
from attnviz.errors import AttnvizError
from attnviz.training import mistakes, runs
from attnviz.training.run import Run
from attnviz.ui.live import trainings
from attnviz.work import processes
from attnviz.work.jobs import keeping, table
from attnviz.work.jobs.order import Order
from tests.training import small

COUNTS = [80, pytest.param(300, marks=pytest.mark.slow)]
ME = "me"
PIECES = [
    "..", ".", "/", "//", "\\", "\0", "\n", " ", "~", "C:", "%2e%2e", "%2f", "$HOME", "`id`", ";", "&&", "|", "*", "?",
    "etc",
    "passwd", "run.json", "order.json", "queue", ".jobs", "lock", "pixel_attention", "small", "0", "..%c0%af", "\u2025",
    "\ufeff",
    "é", "\ud800", "x" * 300, "own-0123456789abcdef", "@1", "run:", "data:", "file://", "-", "--set", "a.b", ":",
]  # fmt: skip

_opened: list[str] | None = None


def _hear(event: str, given: tuple[Any, ...]) -> None:
    if _opened is not None and event in ("open", "os.mkdir", "os.rename", "os.remove", "shutil.rmtree", "os.symlink"):
        _opened.extend(os.fsdecode(one) for one in given[:2] if isinstance(one, str | bytes))


sys.addaudithook(_hear)


def names(known: list[str], count: int) -> Iterator[str]:
    """Yield names made of what leads out of a folder, and known ones that were tampered with."""
    chance = random.Random(41)
    for place in range(count):
        if place % 4 == 0:
            name = chance.choice(known)
            at = chance.randrange(len(name) + 1)
            yield name[:at] + chance.choice(PIECES) + name[at + chance.randrange(2) :]
        else:
            yield "".join(chance.choices(PIECES, k=chance.randint(1, 6)))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, str, str]]:
    """A run, a kept model and a job, and a secret beside their folders."""
    place = tmp_path / "inside"
    monkeypatch.setenv("ATTNVIZ_KEPT", str(place / "kept"))
    monkeypatch.setenv("ATTNVIZ_DATA", str(place / "data"))
    monkeypatch.setattr(Order, "words", lambda one: [sys.executable, "-c", "pass"])
    with small.place(place):
        chosen = small.recipe(epochs=1)
        info = small.run_file(chosen)
        list(Run(info).train(small.training(chosen)))
        keeping.keep(info.id, 1, "mine")
        job = table.start(Order(model="pixel_attention", recipe="small"))
        for child in processes.children:
            child.wait()
        (tmp_path / "run.json").write_text("secret")
        (tmp_path / "order.json").write_text("secret")
        yield tmp_path, info.id, job


def entries(run: str, content: bytes) -> list[Callable[[str], object]]:
    """Return all that takes a name from anywhere."""
    jobs = [table.read, table.state, table.stop, table.resume, table.delete, table.runs_of]
    looked = [runs.read, runs.status, runs.durations, runs.curve, runs.epochs, mistakes.read]
    return [
        *jobs, *looked,
        lambda name: runs.weights(name, 1), lambda name: runs.digest(name, 1),
        lambda name: subjects.net(f"run:{name}@1"), subjects.net, lambda name: subjects.net(f"history:{name}@1"),
        trainings.history_of, lambda name: trainings.history_of(f"run:{name}"),
        lambda name: keeping.keep(name, 1, "other"), lambda name: keeping.keep(run, 1, name),
        keeping.remove, keeping.packed, lambda name: keeping.bring(content, name),
        own.spec, lambda name: own.remove(name, ME),
        lambda name: Order.read({"model": name, "recipe": "small"}).made(),
        lambda name: Order.read({"model": "pixel_attention", "recipe": name}).made(),
        lambda name: Order.read({"model": "pixel_attention", "recipe": "small", "changes": {"data": name}}).made(),
        lambda name: Order.read({"model": "pixel_attention", "recipe": "small", "changes": {name: "1"}}).made(),
    ]  # fmt: skip


def command(action: str, *words: str) -> int:
    """Say `python -m attnviz jobs ACTION WORDS`; return its exit status."""
    try:
        return __main__.main(["jobs", action, *words])
    except SystemExit as refused:  # of argparse
        return int(str(refused.code))


def said_in_a_shell(run: str, name: str) -> list[int]:
    """Return how every command ends that takes a name."""
    small = ("pixel_attention", "--recipe", "small")
    return [
        *(command(action, "--", name) for action in ("stop", "resume", "delete", "work")),
        command("keep", "--", name, "1", "other"), command("keep", "--", run, "1", name),
        command("start", "--recipe", "small", "--", name),
        command("start", "pixel_attention", f"--recipe={name}"),
        command("start", *small, f"--set={name}=1"), command("start", *small, f"--set=data={name}"),
    ]  # fmt: skip


def folders(name: str) -> bytes:
    """Return a zip with a folder of that name in it, of pictures that could be brought."""
    picture = io.BytesIO()
    Image.fromarray(np.zeros((9, 9), np.uint8)).save(picture, "png")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(24):
            archive.writestr(f"{name if number % 2 else 'other'}/{number}.png", picture.getvalue())
    return content.getvalue()


def brought(name: str) -> None:
    """Bring pictures with a name as their title, and as a class; what is taken is removed again."""
    picture = np.zeros((24, 9, 9), np.uint8)
    file = io.BytesIO()
    np.savez(file, images=picture, labels=np.arange(24) % 2)
    # No zip can hold half a character, and a name in it ends at a zero.
    as_a_class = folders(name.encode("utf-8", "replace").decode().replace("\0", ""))
    for content, title in ((file.getvalue(), name), (as_a_class, "mine")):
        with suppress(AttnvizError):
            own.remove(own.bring(content, title, data.spec("strokes"), ME), ME)


class Watched:
    """What lies in a folder, and what this process opens while it is watched."""

    def __init__(self, outside: Path) -> None:
        self.outside = outside
        self.before = self.content()

    def __enter__(self) -> None:
        global _opened  # noqa: PLW0603 (a hook cannot be taken back)
        _opened = []

    def __exit__(self, *_: object) -> None:
        global _opened  # noqa: PLW0603
        self.opened, _opened = _opened or [], None

    def content(self) -> dict[Path, bytes]:
        files = (path for path in self.outside.rglob("*") if path.is_file() and path.name != "lock")
        return {path: path.read_bytes() for path in files}

    def assert_nothing_led_out(self) -> None:
        libraries = (str(Path(__file__).parents[3]), sys.prefix, sys.base_prefix, *filter(os.path.isabs, sys.path))
        allowed = (str(self.outside / "inside"), "/proc/", "/dev/", "/tmp/attnviz-", *libraries)
        paths = {path for path in self.opened if path.startswith("/")}
        assert {path for path in paths if not os.path.normpath(path).startswith(allowed)} == set()
        assert not {path for path in self.opened if not path.startswith("/") and ("/" in path or "\\" in path)}
        assert self.content() == self.before


@pytest.mark.parametrize("count", COUNTS)
def test_no_name_leads_out_of_the_folders(here: tuple[Path, str, str], count: int) -> None:
    outside, run, job = here
    content = keeping.packed("pixel_attention.mine")
    watched, asked = Watched(outside), entries(run, content)
    with watched:
        for name in tried(run, job, count):
            for ask in asked:
                try:
                    found = ask(name)
                except AttnvizError as error:
                    assert "\n" not in str(error) and len(str(error)) < 1500
                else:
                    kept = outside / "inside" / "kept" / f"pixel_attention.{name}"
                    assert kept.parent == outside / "inside" / "kept" and found == kept.name, (ask, name)
                    keeping.remove(kept.name)
            brought(name)
    watched.assert_nothing_led_out()


def tried(run: str, job: str, count: int) -> Iterator[str]:
    """Yield so many names, without those of what there is."""
    there = (run, job, "pixel_attention.mine", "pixel_attention", "small")
    yield from (name for name in names([run, job, "pixel_attention.mine"], count) if name not in there)


@pytest.mark.parametrize("count", COUNTS)
def test_no_word_of_a_command_leads_out_of_the_folders(
    here: tuple[Path, str, str], count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    outside, run, job = here
    watched = Watched(outside)
    with watched:
        for name in tried(run, job, count // 4):
            ends = said_in_a_shell(run, name)
            if ends[5] == 0:  # a name under which a model may be kept
                keeping.remove(f"pixel_attention.{name}")
            assert set(ends[:5] + ends[6:]) == {2}, name
            said = capsys.readouterr().err
            assert "Traceback" not in said
    watched.assert_nothing_led_out()
