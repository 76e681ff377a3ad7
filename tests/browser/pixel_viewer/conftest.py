"""The pixel viewer alone on a page."""

from typing import Any

import pytest
from playwright.sync_api import Page

from ..conftest import COMPONENTS, NewPage, Serve, Visit, open_at
from .viewers import Open


@pytest.fixture
def opened(serve: Serve, visit: Visit) -> Open:
    """Return a function that shows the viewer; the words of the URL, and options of the page."""

    def open_viewer(words: str = "", **options: Any) -> Page:
        return visit(f"{serve(COMPONENTS)}/pixel_viewer?{words}", ".viewer[data-drawn]", **options)

    return open_viewer


@pytest.fixture
def loaded(serve: Serve, new_page: NewPage) -> Open:
    """Return a function like `opened` that loads the page anew, for tests of its URL and for those that change it."""

    def load_viewer(words: str = "", **options: Any) -> Page:
        return open_at(new_page(**options), f"{serve(COMPONENTS)}/pixel_viewer?{words}", ".viewer[data-drawn]")

    return load_viewer
