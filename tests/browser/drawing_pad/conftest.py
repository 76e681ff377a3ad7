"""The pad alone on a page."""

import pytest
from playwright.sync_api import Page

from ..conftest import COMPONENTS, NewPage, Serve
from ..pads import open_pad


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return f"{serve(COMPONENTS)}/drawing_pad"


@pytest.fixture
def phone(new_page: NewPage, address: str) -> Page:
    size = {"width": 375, "height": 667}
    return open_pad(new_page(viewport=size, has_touch=True, is_mobile=True), address)
