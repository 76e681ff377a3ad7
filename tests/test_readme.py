"""README keeps its promises: the code runs, the picture is there, the commands and the tree are true."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_use_of_the_library_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert capsys.readouterr().out.startswith("tensor(")
    seen = names["seen"]
    rows = seen["attention.weights"].tensor.sum(-1)  # type: ignore[index]
    assert rows.shape == (100, 1, 784)
    assert ((rows - 1).abs() < 1e-4).all()


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


def test_the_tree_names_every_room() -> None:
    tree = README.split("## The house")[1].split("```")[1]
    for folder in (ROOT, ROOT / "attnviz"):
        for room in folder.iterdir():
            if (room / "__init__.py").exists() and room.name != "attnviz":
                assert f"{room.name}/" in tree, room.name


def test_every_dependency_has_its_reason() -> None:
    table = README.split("## What it depends on")[1]
    for file in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / file).read_text().splitlines():
            name, _, version = line.partition("==")
            if not line.startswith("-"):
                assert re.search(rf"\b{name}\b", table), name
                assert version, f"{name} needs an exact pin"
