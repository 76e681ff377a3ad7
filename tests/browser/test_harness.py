"""How the browser tests come by a browser."""

import ast
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from .harness import INSTALL, NotThere, find_browser


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a Playwright on a machine without any browser, where nothing can be installed."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(subprocess, "run", lambda command, **settings: None)
    return SimpleNamespace(chromium=SimpleNamespace(executable_path=str(tmp_path / "chrome")))


def test_the_environment_comes_first_then_the_path_then_playwright(bare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path(bare.chromium.executable_path)
    own.touch()
    assert find_browser(bare) == str(own)
    monkeypatch.setattr(shutil, "which", {"google-chrome": "/usr/bin/google-chrome"}.get)
    assert find_browser(bare) == "/usr/bin/google-chrome"
    monkeypatch.setenv("CHROMIUM", "/my/chrome")
    assert find_browser(bare) == "/my/chrome"


def test_where_there_is_none_one_is_installed(bare: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path(bare.chromium.executable_path)
    monkeypatch.setattr(subprocess, "run", lambda command, **settings: own.touch())
    assert find_browser(bare) == str(own)


def test_where_none_can_be_installed_the_tests_fail_and_name_the_command(bare: Any) -> None:
    with pytest.raises(NotThere, match=INSTALL):
        find_browser(bare)


def test_what_is_waited_for_is_a_function() -> None:
    """Playwright evaluates an expression at each look: the second one breaks the page's content policy."""
    expressions = [
        f"{file.name}:{node.lineno}"
        for file in [*Path(__file__).parents[1].rglob("*.py"), *(Path(__file__).parents[2] / "benchmarks").glob("*.py")]
        for text in [file.read_text("utf-8")]
        if "wait_for_function" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "wait_for_function"
        for start in [node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]]
        if isinstance(start, ast.Constant) and not str(start.value).lstrip().startswith(("(", "async ("))
    ]
    assert expressions == []
