"""A thousand path-like names and tampered IDs through every entry: nothing is read or written outside."""

import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from attnviz import subjects
from attnviz.data import own
from attnviz.errors import AttnvizError
from attnviz.training import mistakes, runs
from attnviz.training.run import Run
from attnviz.work.jobs import keeping, table
from attnviz.work.jobs.order import Order
from tests.training import small

COUNTS = [80, pytest.param(1000, marks=pytest.mark.slow)]
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
        for child in table._children:
            child.wait()
        (tmp_path / "run.json").write_text("secret")
        (tmp_path / "order.json").write_text("secret")
        yield tmp_path, info.id, job


def entries(run: str, content: bytes) -> list[Callable[[str], object]]:
    """Return all that takes a name from anywhere."""
    jobs = [table.read, table.state, table.stop, table.resume, table.delete, table.runs_of]
    looked = [runs.read, runs.status, runs.seconds, runs.curve, runs.epochs, mistakes.read]
    return [
        *jobs, *looked,
        lambda name: runs.weights(name, 1), lambda name: runs.digest(name, 1),
        lambda name: subjects.net(f"run:{name}@1"), subjects.net,
        lambda name: keeping.keep(name, 1, "other"), lambda name: keeping.keep(run, 1, name),
        keeping.remove, keeping.packed, lambda name: keeping.bring(content, name),
        own.spec, lambda name: own.remove(name, "me"),
        lambda name: Order.read({"model": name, "recipe": "small"}).made(),
        lambda name: Order.read({"model": "pixel_attention", "recipe": name}).made(),
        lambda name: Order.read({"model": "pixel_attention", "recipe": "small", "changes": {"data": name}}).made(),
        lambda name: Order.read({"model": "pixel_attention", "recipe": "small", "changes": {name: "1"}}).made(),
    ]  # fmt: skip


@pytest.mark.parametrize("count", COUNTS)
def test_no_name_leads_out_of_the_folders(here: tuple[Path, str, str], count: int) -> None:
    global _opened  # noqa: PLW0603 (a hook cannot be taken back)
    outside, run, job = here
    content = keeping.packed("pixel_attention.mine")
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file() and path.name != "lock"}
    asked = entries(run, content)
    _opened = []
    try:
        for name in names([run, job, "pixel_attention.mine"], count):
            if name in (run, job, "pixel_attention.mine", "pixel_attention", "small"):  # which there are
                continue
            for ask in asked:
                try:
                    found = ask(name)
                except AttnvizError as error:
                    assert "\n" not in str(error) and len(str(error)) < 1500
                else:
                    kept = outside / "inside" / "kept" / f"pixel_attention.{name}"
                    assert kept.parent == outside / "inside" / "kept" and found == kept.name, (ask, name)
                    keeping.remove(kept.name)
    finally:
        opened, _opened = _opened, None
    libraries = (str(Path(__file__).parents[3]), sys.prefix, sys.base_prefix, *filter(os.path.isabs, sys.path))
    allowed = (str(outside / "inside"), "/proc/", "/dev/", "/tmp/attnviz-", *libraries)
    led_out = {path for path in opened if path.startswith("/") and not os.path.normpath(path).startswith(allowed)}
    assert led_out == set()
    assert not {path for path in opened if not path.startswith("/") and ("/" in path or "\\" in path)}
    after = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file() and path.name != "lock"}
    assert after == before
