"""The scripts of examples/ run as they stand, and write what they say."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SAID = {
    "checkpoints": "vision_transformer.digits: 8, ",
    "own_model": "layers.layers.0.self_attn.weights: the class token takes ",
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, path], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert SAID[path.stem] in done.stdout
    assert [file.name for file in tmp_path.iterdir()] == (["own_model.csv"] if path.stem == "own_model" else [])
