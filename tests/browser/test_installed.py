"""attnviz as its users install it: a wheel with the app's extra, in an empty environment, far from the checkout."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .cards import wait_for_answers
from .conftest import NewPage
from .harness import ROOT, free_port, healthy, wait_until_ready
from .pads import draw_stroke, find_pad

pytestmark = pytest.mark.slow  # a fresh environment is filled with 1.5 GB


def run(*command: object, cwd: Path) -> str:
    """Run a command away from the checkout and from what is installed for these tests; return what it printed."""
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=bare, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with nothing but the wheel, made of an sdist, and its app's extra."""
    folder = tmp_path_factory.mktemp("installed")
    python = folder / "python" / "bin" / "python"
    made = ("egg_info", "--egg-base", folder, "sdist", "--dist-dir", folder)
    run(sys.executable, "-W", "ignore", "setup.py", "-q", *made, cwd=ROOT)
    (source,) = folder.glob("*.tar.gz")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    run(sys.executable, "-m", "venv", python.parents[1], cwd=folder)
    pins = ROOT / "requirements.txt"
    constraints = folder / "constraints.txt"  # so that the versions are those of all other tests
    constraints.write_text("\n".join(line for line in pins.read_text().splitlines() if "==" in line))
    run(python, "-m", "pip", "install", "--quiet", "-c", constraints, f"{wheel}[app]", cwd=folder)
    return python


@pytest.fixture(scope="module")
def address(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of `attnviz app`, started in a folder of a user without files."""
    home, port = tmp_path_factory.mktemp("home"), free_port()
    named = ("PATH", "LANG", "OMP_NUM_THREADS")
    mine = {name: os.environ[name] for name in named if name in os.environ} | {"HOME": str(home)}
    command = [installed.with_name("attnviz"), "app", "--port", str(port), "--no-browser", "--runs", home / "trained"]
    process = subprocess.Popen(command, cwd=home, env=mine, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        assert healthy(process, f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def listed(folder: Path) -> dict[str, int]:
    """Return the files of a folder, but for compiled ones, with the nanosecond of their last change."""
    return {
        str(path): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and "__pycache__" not in path.parts
    }


def test_the_app_of_a_wheel_shows_draws_trains_and_writes_nothing_into_the_packages(
    installed: Path, address: str, new_page: NewPage
) -> None:
    packages = next(installed.parents[1].glob("lib/python*/site-packages"))
    before = listed(packages)
    page = new_page()
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto(f"{address}/pixel_attention")
    page.locator(".viewer[data-drawn]").wait_for()
    page.goto(f"{address}/explorer")
    expect(page.get_by_role("heading", level=1)).to_have_text("Explorer")
    wait_until_ready(page)

    page.goto(f"{address}/draw")
    find_pad(page).and_(page.locator("[data-drawn]")).wait_for()
    draw_stroke(page, (150, 40), (140, 250))
    answers = [card["answer"] for card in wait_for_answers(page).values()]
    assert len(answers) > 5 and answers.count("1") > len(answers) / 2

    page.goto(f"{address}/train?epochs=2")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Finished after 2 epochs.")).to_be_visible(timeout=300_000)
    assert listed(packages) == before
