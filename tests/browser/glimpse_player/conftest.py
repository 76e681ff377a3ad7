"""The page of recurrent attention with small models."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.ui.mechanisms.recurrent_attention.placed import SOURCE

from ..conftest import NewPage, Visit, open_at
from .players import NUMBER, Open

PLAYER = ".st-key-glimpses .glimpse-player[data-drawn]"


def address(alone: str, name: str, words: str) -> str:
    return f"{alone}/recurrent_attention?v=2&model=recurrent_attention.{name}&data={SOURCE}&number={NUMBER}{words}"


@pytest.fixture
def opened(alone: str, visit: Visit) -> Open:
    """Return a function that opens the page; which model, words of the URL, and options of the browser's page."""

    def open_page(name: str, words: str = "", **options: Any) -> Page:
        return visit(address(alone, name, words), PLAYER, **options)

    return open_page


@pytest.fixture
def loaded(alone: str, new_page: NewPage) -> Open:
    """Return a function like `opened` that loads the page anew, for tests that change it."""

    def load_page(name: str, words: str = "", **options: Any) -> Page:
        return open_at(new_page(**options), address(alone, name, words), PLAYER)

    return load_page
