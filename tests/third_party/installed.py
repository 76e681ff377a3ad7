"""The packages of third parties beside this file, as if they were installed: on the path, with the metadata of a wheel.

Installing them with pip would take a build backend, which a test environment need not have; entry points, import and
Streamlit's search for components ask for no more than this.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TRAINED = ("chance_looks", "colour_stages", "strip_reader")  # those with a recipe called digits
PACKAGES = (*TRAINED, "ink_columns")
TABLES = {
    "datasets": "attnviz.data:DATASETS",
    "models": "attnviz.models:MODELS",
    "recipes": "attnviz.recipes:RECIPES",
    "objectives": "attnviz.training.objectives:OBJECTIVES",
    "nets": "attnviz.subjects:NETS",
    "examples": "attnviz.subjects:EXAMPLES",
    "mechanisms": "attnviz.ui.mechanisms:MECHANISMS",
}  # group of entry points -> the table that reads it


def environment(folder: Path, packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Return the environment of a process that finds the packages, and keeps its runs and checkpoints in a folder.

    Args:
        folder: the caller's to remove.
        packages: which of those beside this file.
    """
    for name in packages:
        project = tomllib.loads((HERE / name / "pyproject.toml").read_text())["project"]
        metadata = folder / "metadata" / f"{name}-{project['version']}.dist-info"
        metadata.mkdir(parents=True, exist_ok=True)  # of a training that failed
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\nSummary: {project['description']}\n"
        )
        groups = [
            "\n".join([f"[{group}]", *(f"{row} = {value}" for row, value in points.items())])
            for group, points in project["entry-points"].items()
        ]
        (metadata / "entry_points.txt").write_text("\n\n".join(groups) + "\n")
    path = os.pathsep.join([str(folder / "metadata"), *(str(HERE / name) for name in packages)])
    return {
        "PYTHONPATH": path,
        "ATTNVIZ_RUNS": str(folder / "runs"),
        "ATTNVIZ_CHECKPOINTS": str(folder / "checkpoints"),
    }


def register(patch: pytest.MonkeyPatch, *packages: str) -> None:
    """Put the rows of some packages into the tables of this process, as if it had found their entry points.

    Args:
        patch: takes them out again.
        *packages: which of those beside this file.
    """
    for name in packages:
        patch.syspath_prepend(str(HERE / name))
        project = tomllib.loads((HERE / name / "pyproject.toml").read_text())["project"]
        for group, points in project["entry-points"].items():
            module, _, table = TABLES[group.removeprefix("attnviz.")].partition(":")
            rows = getattr(import_module(module), table)
            for key, value in points.items():
                for row, found in rows._read(key, EntryPoint(key, value, group).load()).items():
                    patch.setitem(rows, row, found)


ALL = "import sys; from attnviz.__main__ import main; sys.exit(max(main(one.split()) for one in sys.argv[1:]))"


def attnviz(*commands: str, env: dict[str, str]) -> str:
    """Run commands of attnviz in one process, one after the other, and return what they printed.

    Raises:
        AssertionError: one failed; the message holds what it said.
    """
    command = [sys.executable, "-c", ALL, *commands]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{'; '.join(commands)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def trained(folder: Path, packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Train the recipe of each package that has one, and return the environment in which its checkpoint is found.

    Args:
        folder: where the packages are, once this has been called; what is trained there is not trained again.
        packages: which of those beside this file.
    """
    written = folder / "environment.json"
    if not written.exists():
        env = environment(folder, packages)
        names = [one for one in packages if one in TRAINED]
        attnviz(*(f"train {one} --recipe digits --seeds 0-1 --device cpu --threads 1" for one in names), env=env)
        written.write_text(json.dumps(env))
    return json.loads(written.read_text())
