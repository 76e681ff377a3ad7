"""An installed attnviz, not an editable one, has all that it reads: checkpoints, components, samples, its command."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from attnviz import cards

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow  # building and installing takes far longer than what is looked at


def run(*command: object, cwd: Path, **env: str) -> str:
    """Run a command of this interpreter in an environment that holds `env` alone, and return what it printed."""
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env={"PATH": "", **env},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which a wheel of attnviz is installed, without what it depends on."""
    folder = tmp_path_factory.mktemp("wheel")
    places = ("egg_info", "--egg-base", folder, "build", "--build-base", folder / "build")
    run("-W", "ignore", "setup.py", "-q", *places, "bdist_wheel", "--dist-dir", folder, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    options = ("--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check")
    run("-m", "pip", "install", *options, "--target", folder / "site", wheel, cwd=folder)
    return folder / "site"


def test_checkpoints_and_sample_pictures_are_found_from_anywhere(site: Path, tmp_path: Path) -> None:
    code = (
        "import attnviz; from attnviz import data; print(attnviz.__file__, *attnviz.names()); "
        "attnviz.load('ink.1v8'); data.load('cifar10', 'samples')"
    )
    place, *names = run("-c", code, cwd=tmp_path, PYTHONPATH=str(site)).split()
    assert Path(place).is_relative_to(site)
    assert names == cards.names()


def test_every_file_of_the_components_is_there(site: Path) -> None:
    def files(folder: Path) -> set[str]:
        found = (folder / "attnviz" / "ui").rglob("*")
        return {str(path.relative_to(folder)) for path in found if path.suffix in (".js", ".css", ".json")}

    assert files(site) == files(ROOT)
    assert any(name.endswith(".js") for name in files(site))


def test_type_checkers_are_told_that_it_has_types(site: Path) -> None:
    assert (site / "attnviz" / "py.typed").is_file()


def test_the_core_needs_neither_the_app_nor_what_trains(site: Path) -> None:
    (found,) = metadata.distributions(path=[str(site)], name="attnviz")
    needed = {re.split(r"[<>=\[ ;]", line)[0] for line in found.requires or () if "extra ==" not in line}
    known = {"torch", "numpy", "pillow", "safetensors", "pydantic", "filelock", "tqdm", "platformdirs"}
    assert needed == known


def test_the_glossary_is_there(site: Path, tmp_path: Path) -> None:
    code = "from attnviz.ui.shared import glossary; print(len(glossary.sentences()))"
    assert int(run("-c", code, cwd=tmp_path, PYTHONPATH=str(site))) > 50


def test_the_app_its_pages_and_settings_and_the_table_of_its_components_are_there(site: Path) -> None:
    shipped = site / "attnviz" / "_shipped"
    pages = {path.name for path in (ROOT / "pages").glob("*.py")}
    assert {path.name for path in (shipped / "pages").glob("*.py")} == pages
    for name in ("app.py", ".streamlit/config.toml"):
        assert (shipped / name).read_bytes() == (ROOT / name).read_bytes()
    (found,) = metadata.distributions(path=[str(site)], name="attnviz")
    scanned = manifest_scanner._process_single_package(found)  # what Streamlit does with each package
    assert scanned is not None
    manifest, root = scanned
    assert {one.name for one in manifest.components} >= {"pixel_viewer", "map_grid", "drawing_pad"}
    assert (root / "ui" / "frontend").is_dir()
    assert manifest_scanner._find_package_pyproject_toml(found) == site / "attnviz" / "pyproject.toml"


def test_the_command_is_installed(site: Path, tmp_path: Path) -> None:
    said = run(site / "bin" / "attnviz", "--help", cwd=tmp_path, PYTHONPATH=str(site))
    assert "results" in said
