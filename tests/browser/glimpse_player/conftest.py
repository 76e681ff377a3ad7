"""The page of recurrent attention with small models."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.ui.mechanisms.recurrent_attention.placed import SOURCE, place

from ..conftest import NewPage, open_at
from .players import NUMBER, Open


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stand in for the folder of committed checkpoints."""
    return place(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture
def opened(alone: str, new_page: NewPage) -> Open:
    """Return a function that opens the page; which model, words of the URL, and options of the browser's page."""

    def open_page(name: str, words: str = "", **options: Any) -> Page:
        model = f"recurrent_attention.{name}"
        address = f"{alone}/recurrent_attention?v=2&model={model}&data={SOURCE}&number={NUMBER}{words}"
        return open_at(new_page(**options), address, ".st-key-glimpses .glimpse-player[data-drawn]")

    return open_page
