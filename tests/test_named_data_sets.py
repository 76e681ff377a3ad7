"""Pages, views and derived values work on any data set: they name one in their *try* links alone."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from attnviz.data import DATASETS
from attnviz.ui import derived_values
from attnviz.ui.live.derived import View

ROOT = Path(__file__).parents[1]
NAME = re.compile(rf"({'|'.join(DATASETS)})([./:].*)?")  # also as the beginning of an example's key
TRIES = "TRIES"


def files() -> list[Path]:
    """Return the pages, and the modules that compute views and derived values."""
    rows = derived_values.known().values()
    functions = [row.payload if isinstance(row, View) else row.compute for row in rows]
    return [*sorted((ROOT / "pages").glob("*.py")), *sorted({Path(inspect.getfile(one)) for one in functions})]


def named(text: str) -> list[str]:
    """Return the data sets that a module names, except in docstrings and in what only its *try* links use."""
    tree = ast.parse(text)
    skipped: set[ast.AST] = {node for block in ast.walk(tree) for node in docstring(block)}
    values = {
        target: node for node in tree.body if isinstance(node, ast.Assign) for target in map(ast.unparse, node.targets)
    }
    tries = {TRIES}
    for _ in values:  # those that the links are made of, and those that these are made of
        skipped |= {inner for name in tries & set(values) for inner in ast.walk(values[name])}
        used = {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in skipped
        }
        inside = {node.id for node in skipped if isinstance(node, ast.Name)}
        tries |= inside - used
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in skipped]
    return [str(node.value) for node in texts if isinstance(node.value, str) and NAME.fullmatch(node.value)]


def docstring(block: ast.AST) -> Iterator[ast.AST]:
    """Yield the constants that stand by themselves, which are docstrings."""
    if isinstance(block, ast.Expr) and isinstance(block.value, ast.Constant):
        yield block.value


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_data_set_is_named(path: Path) -> None:
    assert named(path.read_text()) == []


def test_views_and_derived_values_of_every_kind_are_among_the_files() -> None:
    names = {path.relative_to(ROOT / "attnviz" / "ui").as_posix() for path in files() if "pages" not in path.parts}
    assert {"live/tap_view.py", "dot_product/attention_view.py", "dot_product/mean_row.py"} <= names
    assert {name.split("/")[1] for name in names if name.startswith("mechanisms/")} > {"element_wise", "cnn_attention"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('OPENS = Picture("strokes", 23)', ["strokes"]),
        ('def f(key="mnist/test/3"):\n    """Such as "mnist"."""', ["mnist/test/3"]),
        ('"""mnist"""\nX = "pen strokes"', []),
        ('TRIES = [("an 8", {"data": "strokes"})]', []),
        ('EIGHT = {"data": "strokes"}\nTRIES = [("an 8", {**EIGHT, "head": "1"})]', []),
        ('D = "strokes"\nEIGHT = {"data": D}\nTRIES = [("an 8", EIGHT)]', []),
        ('D = "strokes"\nTRIES = [("an 8", {"data": D})]\nshow(D)', ["strokes"]),
    ],
)
def test_a_name_is_found_unless_only_a_try_link_uses_it(text: str, found: list[str]) -> None:
    assert named(text) == found
