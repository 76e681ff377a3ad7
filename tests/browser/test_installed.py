"""attnviz as its users install it: a wheel with the app's extra, in an empty environment, far from the checkout."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .cards import find_card, wait_for_answers
from .conftest import NewPage
from .harness import ROOT, free_port, healthy, wait_until_ready
from .pads import draw_stroke, find_pad

OTHERS = (
    "colour_stages",
    "chance_looks",
)  # packages of tests/third_party/; the first is the example of CONTRIBUTING.md

pytestmark = pytest.mark.slow  # a fresh environment is filled with 1.5 GB


def run(*command: object, cwd: Path, **env: str) -> str:
    """Run a command away from the checkout and from what is installed for these tests; return what it printed."""
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env={**bare, **env}, check=False, capture_output=True, text=True
    )
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
    run(python, "-m", "pip", "install", "--quiet", "--no-compile", "-c", constraints, f"{wheel}[app]", cwd=folder)
    return python


@contextmanager
def started(python: Path, home: Path) -> Iterator[str]:
    """Run `attnviz app` in the folder of a user, and yield its address."""
    port = free_port()
    named = ("PATH", "LANG", "OMP_NUM_THREADS")
    mine = {name: os.environ[name] for name in named if name in os.environ} | {"HOME": str(home)}
    command = [python.with_name("attnviz"), "app", "--port", str(port), "--no-browser", "--runs", home / "trained"]
    process = subprocess.Popen(command, cwd=home, env=mine, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        assert healthy(process, f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def address(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the app of a user without files."""
    with started(installed, tmp_path_factory.mktemp("home")) as address:
        yield address


@pytest.fixture(scope="module")
def beside(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the app beside the wheels of others, whose models are trained and kept."""
    home = tmp_path_factory.mktemp("beside")
    for name in OTHERS:
        source = home / name  # built from a copy, as a build leaves files behind
        shutil.copytree(ROOT / "tests" / "third_party" / name, source, ignore=shutil.ignore_patterns("__pycache__"))
        run(installed, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", home / "wheels", source, cwd=home)
    run(installed, "-m", "pip", "install", "--quiet", "--no-deps", *(home / "wheels").glob("*.whl"), cwd=home)
    folders = {
        "ATTNVIZ_CHECKPOINTS": str(home / ".local/share/attnviz/checkpoints"),
        "ATTNVIZ_RUNS": str(home / "runs"),
    }
    for name in OTHERS:
        words = (name, "--recipe", "digits", "--quiet", "--device", "cpu")
        run(installed.with_name("attnviz"), "train", *words, cwd=home, HOME=str(home), **folders)
    with started(installed, home) as address:
        yield address


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


def test_mechanisms_of_others_are_wheels_that_do_not_mention_streamlit_and_stand_beside_ours(
    installed: Path, beside: str, new_page: NewPage
) -> None:
    packages = next(installed.parents[1].glob("lib/python*/site-packages"))
    for name in OTHERS:
        (metadata,) = packages.glob(f"{name}-*.dist-info/METADATA")
        assert "streamlit" not in metadata.read_text().lower()
        assert not (packages / name / "pyproject.toml").exists()
    page = new_page()
    page.goto(beside)
    cards = page.locator(".st-key-home_mechanisms").get_by_role("link")
    for title in ("Pixel attention", "Colour stages", "Chance looks"):
        expect(cards.filter(has_text=title)).to_be_visible()
    cards.filter(has_text="Colour stages").click()
    page.locator(".energies[data-drawn]").wait_for()
    expect(page.get_by_text("By a third party.")).to_be_visible()

    page.goto(f"{beside}/draw?models=colour_stages.digits,chance_looks.digits,pixel_attention.digits")
    find_pad(page).and_(page.locator("[data-drawn]")).wait_for()
    draw_stroke(page, (150, 40), (140, 250))
    shown = wait_for_answers(page)
    assert set(shown) == {"colour_stages.digits", "chance_looks.digits", "pixel_attention.digits"}
    for name in shown:
        expect(find_card(page, name).locator("canvas").first).to_be_visible()
        expect(find_card(page, name)).not_to_contain_text("could not be loaded")
