"""What is saved between a change of the URL and the view that it asks for: name, link and numbers are of one view."""

import csv
import re

import pytest
from playwright.sync_api import expect

from .conftest import NewPage, listen, read_state, wait_for_state
from .held import Held
from .test_epochs import KEY, VIEWER, WORDS, open_page

GO = "(words) => { history.pushState(null, '', words); dispatchEvent(new PopStateEvent('popstate')); }"
ANOTHER = "({ weight }, first) => weight !== first"
OTHER = WORDS.replace("number=23", "number=24")


def test_saving_waits_for_the_view_that_back_asks_for_and_says_so(new_page: NewPage, alone: str) -> None:
    page, held = new_page(), Held()
    held.route(page, "**/_stcore/stream")
    open_page(page, alone)
    first = read_state(page.locator(VIEWER))["weight"]
    page.evaluate(GO, f"?{OTHER}")
    wait_for_state(page, ".viewer", ANOTHER, first)
    button = page.locator(VIEWER).get_by_role("button", name="CSV", exact=True)
    held.holding = True
    page.go_back()
    page.wait_for_url("**number=23*")
    heard = listen(button)
    button.click()
    expect(page.locator(VIEWER).get_by_role("button", name="waiting\u2026")).to_be_visible()
    expect(page.locator(VIEWER).get_by_role("status")).to_contain_text("CSV: waiting for the view that was asked for.")
    assert read_state(page.locator(VIEWER))["weight"] != first, "what is drawn is still the other one"
    with page.expect_download() as waiting:
        held.release()
    heard("saved")
    content = waiting.value.path().read_text()
    assert re.search(r"^# image: \S+/23$", content, re.MULTILINE)
    assert re.search(r"^# page: .*number=23&", content, re.MULTILINE)
    assert "strokes_test_23-" in waiting.value.suggested_filename
    rows = csv.DictReader(line for line in content.splitlines() if not line.startswith("#"))
    (row,) = [one for one in rows if (one["row"], one["column"]) == (str(KEY[0] + 1), str(KEY[1] + 1))]
    assert float(row["head 1"]) == pytest.approx(first, rel=1e-6)
