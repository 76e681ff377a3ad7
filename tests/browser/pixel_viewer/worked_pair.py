"""Opening the viewer with a pair of query and key, and its steps."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from ..conftest import Visit, read_state
from .viewers import APP


def wait_for_digits(page: Page) -> dict[str, Any]:
    """Wait until the panel's digits are those of what is looked at, and return the reading."""
    root = page.locator(".viewer")
    weight = root.evaluate("(root) => String(root.read().weight)")
    expect(page.locator(".step.softmax .result")).to_have_attribute("title", weight)
    return read_state(root)


def open_view(visit: Visit, words: str, **options: Any) -> Page:
    return visit(APP, words, ".viewer", **options)


def find_steps(page: Page) -> Locator:
    return page.locator(".step")
