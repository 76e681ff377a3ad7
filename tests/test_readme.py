"""README keeps its promises: the code runs, the commands are there, and so is everything it links to."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from torch import nn

import attnviz

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_use_of_the_library_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n\n".join(re.findall(r"```python\n(.*?)```", README, re.S))
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    pair, sums = capsys.readouterr().out.splitlines()
    weights = names["weights"]
    assert weights.shape == (196, 196)
    assert weights[names["query"], names["key"]] == weights.max()
    assert names["labels"][23] == 8
    assert pair == "Token (5, 10) takes 151 times an even share from token (4, 11)."
    assert sums.startswith("tensor([")
    rows = names["seen"]["weights"].tensor.sum(-1)
    assert rows.shape == (1, 1, 5)
    assert ((rows - 1).abs() < 1e-6).all()


class Small(nn.Module):
    """Twelve layers of attention among 8 x 8 patches."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.layers(self.patches(images).flatten(2).mT).mean(1)
        return found


def test_a_model_of_ones_own_becomes_a_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```py\n(.*?)```", README, re.S)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Image.new("RGB", (64, 64), "teal").save("photo.jpg")
    names: dict[str, Any] = {"attnviz": attnviz, "model": Small().eval(), "batch": torch.rand(1, 3, 32, 32)}
    exec(compile(code, "README.md", "exec"), names)
    assert (tmp_path / "fig.pdf").read_bytes().startswith(b"%PDF")
    with Image.open(tmp_path / "fig.png") as made, Image.open(ROOT / "docs" / "figures.png") as shown:
        assert made.size == shown.size


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize(
    "command",
    [
        "pip install -r requirements.txt && streamlit run app.py",
        "pip install -r requirements-dev.txt && python -m pytest",
    ],
)
def test_the_two_commands_stand_there(command: str) -> None:
    assert f"\n{command}\n" in README


def test_every_picture_and_file_it_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!http)([^)]+)\)|src=\"([^\"]+)\"", README)
    assert links
    for link in map("".join, links):
        assert (ROOT / link).exists(), link
