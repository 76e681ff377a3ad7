"""Who may import whom, what importing costs, and that no module hides a name of the public API."""

import ast
import subprocess
import sys
from collections.abc import Iterator
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
    "layers": {"equal_tokens", "layers", "tracing", "roles", "errors"},
    "models": {"equal_tokens", "extensions", "models", "layers", "tracing", "grids", "roles", "errors"},
    "data": {"data", "extensions", "errors", "files"},
    "measures": {"answers", "edits", "equal_tokens", "measures", "readings", "tracing", "roles", "errors"},
    "figures": {"figures", "roles", "errors"},
}


def imported(path: Path) -> Iterator[str]:
    """Yield the full name of every module, or thing of a module, that a file imports anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            yield from (f"{node.module}.{name.name}" for name in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_its_package_may(path: Path) -> None:
    names = [name.split(".") for name in imported(path)]
    packages = {name[1] for name in names if name[0] == "attnviz" and len(name) > 1}
    tops = {name[0] for name in names}
    home = path.relative_to(ROOT).parts
    assert "pages" not in tops
    if home[0] == "attnviz" and home[1] != "ui":
        assert "streamlit" not in tops
        assert "ui" not in packages
        assert packages <= ALLOWED.get(home[1].removesuffix(".py"), packages)
    if home[:2] == ("attnviz", "figures"):
        assert tops <= {"attnviz", "numpy", "plotly", *sys.stdlib_module_names}
    if home[:2] == ("attnviz", "layers"):
        assert tops <= {"attnviz", "torch", *sys.stdlib_module_names}


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
        attnviz.nmaes  # noqa: B018


def test_listing_the_checkpoints_costs_no_torch() -> None:
    code = "import attnviz, sys; assert attnviz.names(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_library_needs_no_streamlit() -> None:
    code = (
        "import sys; sys.modules['streamlit'] = None; import attnviz; from attnviz import data, models, checkpoints; "
        "[getattr(attnviz, name) for name in attnviz.__all__]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
