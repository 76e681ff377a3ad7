"""Reading the steps of a pair of query and key."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from ..conftest import read_state


def wait_for_digits(page: Page) -> dict[str, Any]:
    """Wait until the panel's digits are those of what is looked at, and return the reading."""
    root = page.locator(".viewer")
    weight = root.evaluate("(root) => String(root.read().weight)")
    expect(page.locator(".step.softmax .result")).to_have_attribute("title", weight)
    return read_state(root)


def find_steps(page: Page) -> Locator:
    return page.locator(".step")
