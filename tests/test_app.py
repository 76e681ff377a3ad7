"""The server's file and the list of pages."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.web.server.app_discovery import discover_asgi_app

from attnviz.ui import head, security
from attnviz.ui.no_delay import NoDelay

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "pages"


def test_streamlit_finds_the_app_and_its_script() -> None:
    found = discover_asgi_app(ROOT / "app.py")
    assert found.is_asgi_app
    assert (ROOT / "pages" / "_navigation.py").is_file()


def test_the_app_has_the_headers_the_imports_ahead_and_the_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(st, "App", lambda script, **settings: given.update(settings, script=script))
    runpy.run_path(str(ROOT / "app.py"))
    assert (ROOT / given["script"]).is_file()
    assert [layer.cls for layer in given["middleware"]] == [NoDelay, security.Headers, head.Head]
    assert given["on_script_error"] is security.one_sentence


def test_the_server_starts_without_torch() -> None:
    code = (
        "import app, sys; from attnviz.ui import warm; warm.load_pages(); "
        "assert not {'torch', 'torchvision'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r'st\.Page\("(\w+\.py)"', (PAGES / "_navigation.py").read_text())
    assert sorted(listed) == sorted(path.name for path in PAGES.glob("*.py") if path.name != "_navigation.py")


def test_the_address_of_a_page_is_its_name_without_the_number() -> None:
    listed = re.findall(r'"(\w+)\.py", [^)]*url_path="(\w+)"', (PAGES / "_navigation.py").read_text())
    assert listed
    assert all(re.sub(r"^\d+_", "", file) == address for file, address in listed)


def test_the_navigation_opens_on_the_home_page() -> None:
    at = AppTest.from_file(PAGES / "_navigation.py").run()
    assert not at.exception
    assert at.title[0].value == "See attention"
