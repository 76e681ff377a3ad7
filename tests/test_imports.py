"""Who may import whom, what importing costs, and that no module hides a name of the public API."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import attnviz

ROOT = Path(__file__).parents[1]
MODULES = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py")), *sorted((ROOT / "attnviz").rglob("*.py"))]

# package: what of attnviz it may import; a package that is not named here may import any but ui
ALLOWED = {
    "equal_tokens": set(),
    "capture": {
        "capture",
        "data",
        "devices",
        "edits",
        "errors",
        "files",
        "grids",
        "listening",
        "passes",
        "paths",
        "readings",
        "tracing",
    },  # fmt: skip
    "layers": {"equal_tokens", "layers", "tracing", "roles", "errors"},
    "models": {"equal_tokens", "extensions", "models", "layers", "tracing", "grids", "roles", "errors"},
    "data": {"data", "extensions", "errors", "files", "looks", "paths"},
    "measures": {"answers", "edits", "equal_tokens", "measures", "readings", "tracing", "roles", "errors"},
    "charts": {"charts", "roles", "errors"},
    "figures": {
        "capture",
        "data",
        "edits",
        "errors",
        "extensions",
        "figures",
        "files",
        "grids",
        "listening",
        "subjects",
        "tracing",
        "version",
        "views",
    },
    "views": {"answers", "errors", "grids", "layers", "measures", "readings", "roles", "subjects", "tracing", "views"},
}


def imported(path: Path) -> Iterator[str]:
    """Yield the full name of every module, or thing of a module, that a file imports anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def forbidden(home: tuple[str, ...], names: Iterable[str]) -> set[str]:
    """Return what a module imports and may not.

    Args:
        home: the parts of its path.
        names: what it imports, in full.
    """
    parts = [name.split(".") for name in names]
    packages, tops = {name[1] for name in parts if name[0] == "attnviz" and len(name) > 1}, {name[0] for name in parts}
    found = tops & {"pages"}
    if home[0] == "attnviz" and home[1] != "ui":
        found |= tops & {"streamlit"}
        found |= packages & {"ui"} | packages - {"arrays"} - ALLOWED.get(home[1].removesuffix(".py"), packages)
    for package, allowed in (
        ("charts", {"numpy", "plotly"}),
        (
            "figures",
            {"numpy", "torch", "PIL", "matplotlib", "lightning", "pytorch_lightning", "transformers"}
            | {"anywidget", "traitlets"},
        ),
        ("layers", {"torch"}),
    ):
        if home[:2] == ("attnviz", package):
            found |= tops - {"attnviz", *allowed, *sys.stdlib_module_names}
    return found


def test_every_module_imports_only_what_its_package_may() -> None:
    homes = {path: path.relative_to(ROOT).parts for path in MODULES}
    assert len(homes) > 300
    assert {str(path): found for path in MODULES if (found := forbidden(homes[path], imported(path)))} == {}


@pytest.mark.parametrize(
    ("home", "name"),
    [
        (("attnviz", "ui", "page.py"), "pages.home"),
        (("attnviz", "cards.py"), "streamlit"),
        (("attnviz", "cards.py"), "attnviz.ui.shared"),
        (("attnviz", "data", "store.py"), "attnviz.models.MODELS"),
        (("attnviz", "equal_tokens.py"), "attnviz.roles"),
        (("attnviz", "charts", "bars.py"), "torch"),
        (("attnviz", "layers", "attention.py"), "numpy"),
    ],
)
def test_what_a_module_may_not_import_is_found(home: tuple[str, ...], name: str) -> None:
    assert forbidden(home, [name])
    assert not forbidden(home, ["attnviz.errors", "dataclasses"] if home != ("attnviz", "equal_tokens.py") else ["re"])


def test_no_module_bears_a_name_of_the_public_api() -> None:
    for module in walk_packages(attnviz.__path__, "attnviz."):
        import_module(module.name)
    for name in attnviz.__all__:
        meant = name == "edits"  # a vocabulary, used as edits.off(head=3)
        assert callable(getattr(attnviz, name)) is not meant, f"attnviz.{name} is a module"


@pytest.mark.parametrize(
    "statement",
    [
        "import attnviz",
        "from attnviz import data",
        "from attnviz.models import MODELS",
        "from attnviz.ui.shared import page",
    ],
)
def test_importing_costs_no_torch(statement: str) -> None:
    code = f"{statement}; import sys; assert not {{'torch', 'torchvision', 'optuna', 'ray'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_is_there_and_they_are_in_order() -> None:
    assert attnviz.__all__ == sorted(attnviz.__all__)
    assert set(attnviz.__all__) <= set(dir(attnviz))
    assert attnviz.edits.off(head=3) is not None
    assert "pixel_attention.1v8" in attnviz.names()
    with pytest.raises(AttributeError, match="no attribute 'nmaes'"):
        attnviz.nmaes  # type: ignore[attr-defined]  # noqa: B018


def test_what_only_lists_costs_no_torch() -> None:
    lists = ["models", "recipes", "checkpoints", "runs", "data", "jobs list", "search", "paths", "reproduce", "results"]
    code = (
        "import attnviz, sys; from attnviz.__main__ import main; assert attnviz.names(); "
        f"assert not any(main(words.split()) for words in {lists}); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_the_library_needs_no_streamlit() -> None:
    code = (
        "import sys; sys.modules['streamlit'] = None; import attnviz; from attnviz import data, models, checkpoints; "
        "[getattr(attnviz, name) for name in attnviz.__all__]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
