"""README keeps its promises: the code runs, the commands are there, and so is everything it links to."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_use_of_the_library_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n\n".join(re.findall(r"```python\n(.*?)```", README, re.S))
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    pair, shape, sums = capsys.readouterr().out.splitlines()
    assert shape == "torch.Size([5, 5])"
    weights = names["weights"]
    assert weights.shape == (196, 196)
    assert weights[names["query"], names["key"]] == weights.max()
    assert names["labels"][23] == 8
    assert pair == "Token (5, 10) takes 151 times an even share from token (4, 11)."
    assert sums.startswith("tensor([")
    rows = names["seen"]["weights"].tensor.sum(-1)
    assert rows.shape == (1, 1, 5)
    assert ((rows - 1).abs() < 1e-6).all()


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
    links = re.findall(r"\]\((?!http)([^)]+)\)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link
