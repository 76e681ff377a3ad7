"""Which pages of mechanisms the navigation takes, and under which URLs."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.mechanisms import MECHANISMS, guard

PAGES = Path(__file__).resolve().parents[3] / "pages"
# Streamlit looks for pages beside the script that it runs, which is another one here.
ROWS = [
    replace(
        row,
        page=str(PAGES / row.page),
        further=tuple(replace(one, page=str(PAGES / one.page)) for one in row.further),
    )
    for row in MECHANISMS.values()
]
ONE, OTHER = (next(row for row in ROWS if row.name == name) for name in ("element_wise", "cnn_attention"))


def listed(rows: list, taken: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    """Return mechanism, title and URL of each page, as Streamlit has them."""

    def app(rows: list, taken: tuple[str, ...]) -> None:
        import streamlit as st

        from attnviz.ui.shared import navigation

        st.session_state.found = [(row.name, page.title, page.url_path) for row, page in navigation.pages(rows, taken)]

    test = AppTest.from_function(app, args=(rows, taken)).run()
    assert not test.exception
    found: list[tuple[str, str, str]] = test.session_state.found
    return found


def test_every_mechanism_has_a_page_and_its_further_ones_follow() -> None:
    guard._written.clear()
    found = listed(ROWS)
    wanted = [(row.name, row.title, row.url) for row in ROWS]
    wanted += [(row.name, one.title, one.url) for row in ROWS for one in row.further]
    assert found == wanted
    assert not guard._written, "no page is one that says what is wrong"
    assert len({url for _, _, url in found}) == len(found)


def test_a_url_that_is_taken_leads_to_no_second_page(caplog: pytest.LogCaptureFixture) -> None:
    guard._written.clear()
    assert listed([ONE, OTHER], taken=(OTHER.url,)) == [(ONE.name, ONE.title, ONE.url)]
    assert f"Its URL, '{OTHER.url}', is that of another page." in caplog.text


def test_of_two_mechanisms_with_one_url_the_first_has_it() -> None:
    again = replace(OTHER, url=ONE.url)
    assert listed([ONE, again]) == [(ONE.name, ONE.title, ONE.url)]


def test_a_page_that_cannot_be_made_says_why() -> None:
    lost = replace(OTHER, page="none.py")
    assert listed([lost]) == [(OTHER.name, OTHER.title, OTHER.url)]

    def app(row: object) -> None:
        from attnviz.ui.shared import navigation

        ((_, page),) = navigation.pages([row], ())
        assert callable(page._page)
        page._page()

    test = AppTest.from_function(app, args=(lost,)).run()
    assert not test.exception
    assert test.title[0].value == OTHER.title
    sentence = test.error[0].value.replace("\\", "")
    assert sentence == f"\u201c{OTHER.title}\u201d could not give its page. The server's log says why."
