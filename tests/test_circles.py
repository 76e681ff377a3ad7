"""No circle of imports: not in Python, be they inside of functions or for types alone, and not in JavaScript."""

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FRONT_END = ROOT / "attnviz" / "ui" / "frontend"
COMMENTS = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']""")


def module(path: str) -> str:
    """Return the name under which a file is imported: "attnviz.data" for attnviz/data/__init__.py."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(text: str, known: Mapping[str, str]) -> Iterator[str]:
    """Yield the files that a file of Python imports anywhere in it.

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


def python(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return which other files each imports: path -> paths."""
    known = {module(path): path for path in files}
    return {path: set(imports(text, known)) - {path} for path, text in files.items()}


def javascript(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return which files each imports, but for the types in its comments: path -> paths."""
    return {
        path: {str((ROOT / path).parent.joinpath(found).resolve().relative_to(ROOT)) for found in IMPORT.findall(code)}
        for path, text in files.items()
        for code in [COMMENTS.sub("", text)]
    }


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the files of one circle, the first one twice; none where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def read(*paths: Path) -> dict[str, str]:
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


def test_no_module_imports_itself_through_others() -> None:
    files = read(ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "attnviz").rglob("*.py"))
    graph = python(files)
    assert sum(map(len, graph.values())) > 1000
    assert circle(graph) == []


def test_no_module_of_the_front_end_imports_itself_through_others() -> None:
    graph = javascript(read(*FRONT_END.rglob("*.js")))
    assert sum(map(len, graph.values())) > 200
    assert circle(graph) == []


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
    assert set(circle(python(files))) == {"a/one.py", "a/two.py"}
    assert circle(python({**files, "a/two.py": "from b import one"})) == []


@pytest.mark.parametrize(
    "back", ['import { x } from "../one.js";', 'import "../one.js";', 'await import("../one.js");']
)
def test_a_circle_is_found_in_javascript(back: str) -> None:
    files = {"one.js": 'export { y } from "./b/two.js";', "b/two.js": back}
    assert set(circle(javascript(files))) == {"one.js", "b/two.js"}
    assert circle(javascript({**files, "b/two.js": f"/** @type {{import('../one.js').X}} */\n// {back}\n"})) == []
