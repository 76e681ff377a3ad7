"""The pixel viewer alone on a page."""

from typing import Any

import pytest
from playwright.sync_api import Page

from ..conftest import NewPage, Serve, open_at
from .viewers import APP, Open


@pytest.fixture
def opened(serve: Serve, new_page: NewPage) -> Open:
    """Return a function that opens the viewer's page; the address's words, and options of the page."""

    def open_viewer(words: str = "", **options: Any) -> Page:
        return open_at(new_page(**options), f"{serve(APP)}/?{words}", ".viewer[data-reading]")

    return open_viewer
