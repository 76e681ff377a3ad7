"""The server's file and the list of pages."""

import os
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

from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.server import head, preload, security
from attnviz.ui.server.compressed import Compressed
from attnviz.ui.server.connections import NoDelay
from attnviz.ui.server.hosts import Hosts
from attnviz.ui.server.moved import Moved
from attnviz.ui.server.sockets import Sockets
from attnviz.ui.server.uploads import Uploads
from attnviz.ui.shared import threads

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "pages"


def test_streamlit_finds_the_app_and_its_script() -> None:
    found = discover_asgi_app(ROOT / "app.py")
    assert found.is_asgi_app
    assert (ROOT / "pages" / "_navigation.py").is_file()


def test_the_app_has_the_headers_the_imports_ahead_and_the_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(st, "App", lambda script, **settings: given.update(settings, script=script))
    monkeypatch.setattr(preload, "at_start", lambda: None)  # which would hold for the other tests, too
    runpy.run_path(str(ROOT / "app.py"))
    assert (ROOT / given["script"]).is_file()
    assert [layer.cls for layer in given["middleware"]] == [
        NoDelay,
        security.Headers,
        Hosts,
        Sockets,
        Uploads,
        Moved,
        Compressed,
        head.Head,
    ]
    assert given["on_script_error"] is security.one_sentence


def test_the_server_starts_without_torch() -> None:
    code = (
        "import app, sys; from attnviz.ui.server import preload; preload.load_pages(); "
        "assert not {'torch', 'torchvision'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_server_computes_with_one_thread_whoever_loads_torch_first() -> None:
    code = "import app, sys, torch; print(torch.get_num_threads(), sys.getswitchinterval())"
    free = {name: value for name, value in os.environ.items() if name not in (threads.VARIABLE, threads._OURS)}
    found = subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env=free, capture_output=True, text=True)
    assert found.stdout.split() == ["1", "0.0005"]


def listed() -> list[tuple[str, str]]:
    """Return file and URL of each page that the navigation names itself, and of those of the mechanisms."""
    own = re.findall(
        r'st\.Page\("(\w+\.py)", title="\w+"(?:, url_path="(\w+)")?', (PAGES / "_navigation.py").read_text()
    )
    further = [(one.page, one.url) for row in MECHANISMS.values() for one in row.further]
    return [*own, *((row.page, row.url) for row in MECHANISMS.values()), *further]


def test_every_page_is_in_the_navigation_once() -> None:
    files = [path.name for path in PAGES.glob("*.py") if path.name != "_navigation.py"]
    assert sorted(file for file, _ in listed()) == sorted(files)


def test_the_url_of_a_page_is_its_name_without_the_number() -> None:
    assert len(listed()) >= 4
    assert all(re.sub(r"^\d+_|\.py$", "", file) == url for file, url in listed() if url)


def test_the_navigation_opens_on_the_home_page() -> None:
    at = AppTest.from_file(PAGES / "_navigation.py", default_timeout=120).run()
    assert not at.exception
    assert at.title[0].value == "See attention"
