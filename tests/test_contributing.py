"""The worked example in CONTRIBUTING.md is code that runs: each block stands in the package that the tests install."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
EXAMPLE = ROOT / "tests" / "third_party" / "colour_stages"
BLOCKS = re.findall(r"```(?:python|js)\n(.*?)```", TEXT, re.DOTALL)


def test_there_is_a_block_for_each_step() -> None:
    assert len(BLOCKS) == len(re.findall(r"^\*\*\d\.", TEXT, re.MULTILINE)) - 1  # the last step is the tests


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_stands_in_the_package(block: str) -> None:
    assert any(block in path.read_text() for path in EXAMPLE.rglob("*.*") if path.suffix in (".py", ".js"))


def test_the_folders_are_there() -> None:
    for name in re.findall(r"`(attnviz/[\w/]+/|tests/[\w/]+/?|\.ci/run|attnviz/\w+\.py|tests/\w+\.py)`", TEXT):
        assert (ROOT / name).exists(), name


def test_the_tree_names_every_package() -> None:
    tree = TEXT.split("## Where things are")[1].split("```")[1]
    for folder in (ROOT, ROOT / "attnviz"):
        for package in folder.iterdir():
            if (package / "__init__.py").exists() and package.name != "attnviz":
                assert f"{package.name}/" in tree, package.name


def test_every_dependency_has_its_reason() -> None:
    table = TEXT.split("## Dependencies")[1].split("\n## ")[0]
    for file in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / file).read_text().splitlines():
            name, _, version = line.partition("==")
            if not line.startswith("-"):
                assert re.search(rf"\b{name.partition('[')[0]}\b", table), name
                assert version, f"{name} needs an exact pin"
