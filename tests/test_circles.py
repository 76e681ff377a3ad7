"""No circle of imports, be they inside of functions or for types alone. Of JavaScript, see tests/test_layers.py."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def module(path: str) -> str:
    """Return the name under which a file is imported: "attnviz.data" for attnviz/data/__init__.py."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(text: str, known: Mapping[str, str]) -> Iterator[str]:
    """Yield the files that a file imports anywhere in it.

    Args:
        text: of the file.
        known: name of a module -> its file.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (known[one.name] for one in node.names if one.name in known)
        elif isinstance(node, ast.ImportFrom):
            names = (f"{node.module}.{one.name}" for one in node.names)
            found = (name if name in known else node.module or "" for name in names)
            yield from (known[name] for name in found if name in known)


def circle(files: Mapping[str, str]) -> list[str]:
    """Return the files of one circle, the first one twice; none where there is none.

    Args:
        files: path -> text.
    """
    known = {module(path): path for path in files}
    graph = {path: set(imports(text, known)) - {path} for path, text in files.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_through_others() -> None:
    paths = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "attnviz").rglob("*.py")]
    assert len(paths) > 300
    assert circle({path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}) == []


@pytest.mark.parametrize(
    "back",
    [
        "from a import one",
        "import a.one",
        "def f():\n    from a.one import x\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a.one import x\n",
    ],
)
def test_a_circle_is_found_wherever_the_import_stands(back: str) -> None:
    files = {"a/__init__.py": "", "a/one.py": "from a import two", "a/two.py": back}
    assert set(circle(files)) == {"a/one.py", "a/two.py"}
    assert circle({**files, "a/two.py": "from b import one"}) == []
