"""Runs a page without a browser, and reads what is on it."""

from typing import Any

from streamlit.testing.v1 import AppTest

from attnviz.views.payload import header_of


def run(page: AppTest, **words: str) -> AppTest:
    """Run a page with these words in its URL."""
    for name, word in words.items():
        page.query_params[name] = word
    page.run()
    assert not page.exception
    return page


def headers(page: AppTest, field: str) -> list[dict[str, Any]]:
    """Return the headers of what the components got, of those that have a field."""
    found = [header_of(one.proto.bytes) for one in page.get("bidi_component")]
    return [header for header in found if field in header]


def stated(page: AppTest) -> dict[str, str]:
    """Return the words that the browser is to add to the URL."""
    [found] = headers(page, "words")
    return dict(found["words"])


def text(page: AppTest) -> str:
    """Return all sentences on a page."""
    kinds = ("markdown", "info", "warning", "error", "caption")
    return "\n".join(one.value for kind in kinds for one in page.get(kind))
