"""The app as its container runs it: the files that the Containerfile copies, all read-only but for two folders.

No container engine is needed. On Linux, where that is allowed, the whole file system is mounted read-only for the
server (`unshare`), and root gives up its capabilities, so that it may write no more than anybody else; elsewhere what
is copied has no write permission.
"""

import importlib.metadata
import json
import os
import re
import select
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from attnviz.views.payload import unpack
from benchmarks import beside
from tests import session
from tests.browser.harness import run_app

from . import containerfile

ROOT = containerfile.ROOT

pytestmark = pytest.mark.slow  # a server of its own, and a whole training

LONGEST = 300  # seconds that a training of one epoch may take on a busy machine
TRAINING = {
    "mechanism": "pixel_attention",
    "recipe": "pixel_attention.1v8",
    "data": "strokes",
    "epochs": "1",
    "learning_rate": "0.01",
}
READ_ONLY = """
mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,bind,ro / && exec \
setpriv --bounding-set=-all --inh-caps=-all "$@"
"""


@dataclass(frozen=True)
class Container:
    """A server as in the container.

    Args:
        address: of the app.
        files: the copied files.
        data: the folder that can be written.
    """

    address: str
    files: Path
    data: Path


def read_only(writable: Path) -> list[str]:
    """Return a command that runs another where only one folder can be written; none where it is not allowed."""
    for more in ([], ["--user", "--map-root-user"]):
        command = ["unshare", *more, "--mount", "sh", "-c", READ_ONLY, str(writable)]
        if (
            shutil.which("unshare")
            and subprocess.run([*command, "true"], check=False, capture_output=True).returncode == 0
        ):
            return command
    return []


def copy(into: Path) -> None:
    """Copy what the image has of the repository, make it known as installed, and take all write permissions away."""
    for source, target in containerfile.copied().items():
        (into / target).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, into / target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, into / target)
    installed = importlib.metadata.distribution("attnviz")
    (into / "attnviz.egg-info").mkdir()
    told = installed.read_text("METADATA") or installed.read_text("PKG-INFO") or ""
    (into / "attnviz.egg-info" / "PKG-INFO").write_text(told)
    for path in (into, *into.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def wait_for_the_training(container: Container) -> None:
    """Wait until the process has ended, where the system can tell (Linux)."""
    (told,) = (container.data / "runs" / ".jobs").glob("*/process.json")
    if hasattr(os, "pidfd_open"):
        with suppress(ProcessLookupError):
            process = os.pidfd_open(json.loads(told.read_text())["process"])
            select.select([process], [], [], LONGEST)
            os.close(process)


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    """Run the app in place, with the container's variables."""
    files, written = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("written")
    copy(files)
    data, temporary = written / "data", written / "tmp"
    data.mkdir()
    temporary.mkdir()
    env = {
        name: re.sub("^/(?=data/|tmp$)", f"{written}/", value)
        for name, value in containerfile.environment().items()
        if name != "PATH"
    }
    through = read_only(written)
    if not through and os.name == "posix" and os.geteuid() == 0:
        pytest.skip("Root may write everywhere, and the file system cannot be mounted read-only here.")
    with run_app(env={**env, "TMPDIR": str(temporary)}, folder=files, through=through) as server:
        yield Container(server.address, files, data)
    for path in (files, *files.rglob("*")):  # else they could not be removed
        path.chmod(0o755)


def test_every_page_opens(container: Container) -> None:
    with session.open_at(container.address, "pages") as visitor:
        pages = visitor.run("").pages
        assert len(pages) >= 14
        assert {page: errors for page in pages if (errors := visitor.run(page).errors)} == {}


def test_a_drawing_is_answered(container: Container) -> None:
    with beside.visit(container.address, "draws") as visitor:
        visitor.send(beside.drawing(1))
        answers = [unpack(visitor.recv(timeout=120))[0]]
        while not answers[-1]["done"]:
            answers.append(unpack(visitor.recv(timeout=120))[0])
    assert len(answers) >= 8
    assert [one["error"] for one in answers if "error" in one] == []


def test_models_answer(container: Container) -> None:
    with urllib.request.urlopen(f"{container.address}/health", timeout=60) as answer:
        assert answer.status == 200


def test_a_training_writes_into_the_mounted_folder(container: Container) -> None:
    with session.open_at(container.address, "trains") as visitor:
        button = visitor.run("train", TRAINING).button("Train")
        assert visitor.run("train", TRAINING, press=button).errors == []
        wait_for_the_training(container)
        until = time.monotonic() + LONGEST
        while "Finished after 1 epoch" not in visitor.run("train", TRAINING).words:
            assert time.monotonic() < until
    assert len(list((container.data / "runs").glob("pixel_attention.1v8.0.*"))) == 1
